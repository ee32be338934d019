/**
 * A minimal bridge from node:http to a server, for driving it by the official suite on one URL in both eras.
 *
 * It is no transport: no resumption, no limits, no authorization, loopback only.
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import { type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type { ServerConnection } from "@mcp-effect/server/Dispatch"
import { McpServer } from "@mcp-effect/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import * as Http from "node:http"

const STATELESS = "2026-07-28"
const HEADER_MISMATCH = -32020

interface Session {
  readonly id: string
  readonly scope: Scope.Closeable
  readonly connection: ServerConnection
  readonly pending: Map<JsonRpc.Id, Deferred.Deferred<JsonRpc.Response, TransportError>>
  readonly fibers: Map<JsonRpc.Id, Fiber.Fiber<unknown, unknown>>
  stream: Http.ServerResponse | undefined
}

const gone = new TransportError({ reason: "closed", processed: "unknown", message: "Nobody reads this stream" })

interface Bridge {
  readonly server: McpServer["Service"]
  readonly scope: Scope.Scope
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** All stateless traffic. */
  readonly stateless: ServerConnection
  readonly sessions: Map<string, Session>
}

/**
 * Listens on a free port of the loopback interface until the scope closes, and yields the URL.
 */
export const serve: Effect.Effect<string, never, McpServer | Scope.Scope> = Effect.gen(function*() {
  const server = yield* McpServer
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const stateless = yield* server.connect({ request: () => Effect.fail(gone), notify: () => Effect.void })
  const bridge: Bridge = { server, scope, run, stateless, sessions: new Map() }
  return yield* listen(Http.createServer((req, res) => handle(bridge, req, res)))
})

let nextId = 0

const backOf = (res: () => Http.ServerResponse | undefined, pending: Session["pending"] | undefined): Peer => ({
  notify: (notification) => Effect.suspend(() => event(res(), notification) ? Effect.void : Effect.fail(gone)),
  request: (request) =>
    Effect.suspend(() => {
      const id = `server-${nextId++}`
      if (pending === undefined || !event(res(), { ...request, id })) return Effect.fail(gone)
      const reply = Deferred.makeUnsafe<JsonRpc.Response, TransportError>()
      pending.set(id, reply)
      return Effect.ensuring(
        Effect.map(Deferred.await(reply), (response) => JsonRpc.withId(response, request.id)),
        Effect.sync(() => pending.delete(id))
      )
    })
})

const answer = (
  { run }: Bridge,
  connection: ServerConnection,
  request: JsonRpc.Request,
  res: Http.ServerResponse,
  session: Session | undefined
): void => {
  const back = backOf(() => res, session?.pending)
  const fiber = run(Effect.onExit(connection.request(request, back), (exit) =>
    Effect.sync(() => {
      session?.fibers.delete(request.id)
      if (Exit.isSuccess(exit)) reply(res, exit.value, session === undefined)
      else if (!res.writableEnded) res.end()
    })))
  if (!res.writableEnded) session?.fibers.set(request.id, fiber)
  res.on("close", () => fiber.interruptUnsafe())
}

const open = ({ scope, server, sessions }: Bridge): Effect.Effect<Session> =>
  Effect.gen(function*() {
    const own = yield* Scope.fork(scope)
    const pending: Session["pending"] = new Map()
    const id = randomUUID()
    const back = backOf(() => sessions.get(id)?.stream, undefined)
    const connection = yield* Scope.provide(server.connect(back), own)
    const session: Session = { id, scope: own, connection, pending, fibers: new Map(), stream: undefined }
    sessions.set(id, session)
    return session
  })

const posted = (bridge: Bridge, req: Http.IncomingMessage, res: Http.ServerResponse, text: string): void => {
  const message = JsonRpc.decode(text)
  if (message._tag === "Batch") return refuse(res, 400, undefined, JsonRpc.INVALID_REQUEST, "No batches here")
  if (message._tag === "Invalid") return refuse(res, 400, message.id, message.code, message.reason)
  if (message._tag === "Request" && isStateless(req, message)) {
    const mismatch = headerMismatch(req, message)
    if (mismatch !== undefined) return refuse(res, 400, message.id, HEADER_MISMATCH, mismatch)
    return answer(bridge, bridge.stateless, message, res, undefined)
  }
  if (message._tag === "Request" && message.method === "initialize") {
    bridge.run(Effect.map(open(bridge), (session) => {
      res.setHeader("Mcp-Session-Id", session.id)
      answer(bridge, session.connection, message, res, session)
    }))
    return
  }
  const session = bridge.sessions.get(String(req.headers["mcp-session-id"]))
  if (session === undefined) {
    const id = message._tag === "Notification" ? undefined : message.id
    return refuse(res, 404, id, JsonRpc.INVALID_REQUEST, "There is no such session")
  }
  if (message._tag === "Request") return answer(bridge, session.connection, message, res, session)
  if (message._tag === "Notification") {
    const cancelled = message.params?.requestId
    if (message.method === "notifications/cancelled" && JsonRpc.isId(cancelled)) {
      session.fibers.get(cancelled)?.interruptUnsafe()
    } else bridge.run(session.connection.notify(message))
  } else if (message.id !== undefined) {
    const waiting = session.pending.get(message.id)
    if (waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.succeed(message))
  }
  res.writeHead(202).end()
}

const handle = (bridge: Bridge, req: Http.IncomingMessage, res: Http.ServerResponse): void => {
  if (!isLocal(req)) return refuse(res, 403, undefined, JsonRpc.INVALID_REQUEST, "The Host or Origin is not local")
  if (req.url !== "/mcp") return void res.writeHead(404).end()
  if (req.method === "POST") {
    const chunks: Array<Buffer> = []
    req.on("data", (chunk: Buffer) => chunks.push(chunk))
    req.on("end", () => posted(bridge, req, res, Buffer.concat(chunks).toString("utf8")))
    return
  }
  const session = bridge.sessions.get(String(req.headers["mcp-session-id"]))
  if (session === undefined) return void res.writeHead(404).end()
  if (req.method === "GET") {
    session.stream = res
    res.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
    res.on("close", () => {
      if (session.stream === res) session.stream = undefined
    })
    return
  }
  if (req.method !== "DELETE") return void res.writeHead(405).end()
  bridge.sessions.delete(session.id)
  session.stream?.end()
  bridge.run(Scope.close(session.scope, Exit.void))
  res.writeHead(204).end()
}

const listen = (http: Http.Server): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<string>((resume) => {
      http.listen(0, "127.0.0.1", () => {
        const address = http.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed(`http://127.0.0.1:${port}/mcp`))
      })
    }),
    () =>
      Effect.sync(() => {
        http.closeAllConnections()
        http.close()
      })
  )

// `false`: nobody reads.
const event = (res: Http.ServerResponse | undefined, message: JsonRpc.Message): boolean => {
  if (res === undefined || res.writableEnded || res.destroyed) return false
  if (!res.headersSent) res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  res.write(`event: message\ndata: ${JsonRpc.encode(message)}\n\n`)
  return true
}

const reply = (res: Http.ServerResponse, response: JsonRpc.Response, stateless: boolean): void => {
  if (res.writableEnded || res.destroyed) return
  if (res.headersSent) {
    event(res, response)
    return void res.end()
  }
  const status = stateless && response._tag === "Failure" ? statusOf(response.error.code) : 200
  res.writeHead(status, { "content-type": "application/json" }).end(JsonRpc.encode(response))
}

const refuse = (
  res: Http.ServerResponse,
  status: number,
  id: JsonRpc.Id | undefined,
  code: number,
  message: string
): void =>
  void res.writeHead(status, { "content-type": "application/json" }).end(
    JsonRpc.encode(JsonRpc.failure(id, { code, message }))
  )

const statusOf = (code: number): number => {
  if (code === JsonRpc.METHOD_NOT_FOUND) return 404
  return code === JsonRpc.INTERNAL_ERROR ? 500 : 400
}

const isStateless = (req: Http.IncomingMessage, { params }: JsonRpc.Request): boolean =>
  Meta.of(params)?.[Meta.PROTOCOL_VERSION] !== undefined || req.headers["mcp-protocol-version"] === STATELESS

const named: Readonly<Record<string, string>> = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" }

// What a request without a version in its `_meta` lacks is for the server to say.
const headerMismatch = (req: Http.IncomingMessage, { method, params }: JsonRpc.Request): string | undefined => {
  const version = Meta.of(params)?.[Meta.PROTOCOL_VERSION]
  if (typeof version !== "string") return undefined
  const member = named[method]
  const expected: ReadonlyArray<readonly [string, unknown]> = [
    ["MCP-Protocol-Version", version],
    ["Mcp-Method", method],
    ...(member === undefined ? [] : [["Mcp-Name", params?.[member]] as const])
  ]
  const wrong = expected.find(([name, value]) => req.headers[name.toLowerCase()] !== value)
  return wrong === undefined ? undefined : `The header ${wrong[0]} must be ${JSON.stringify(wrong[1])}`
}

const LOCAL = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/u

const isLocal = ({ headers: { host, origin } }: Http.IncomingMessage): boolean =>
  LOCAL.test(host ?? "") && (origin === undefined || LOCAL.test(origin.replace(/^https?:\/\//u, "")))
