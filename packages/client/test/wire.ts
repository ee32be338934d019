/** A server that a test plays on the wire: it sees what a client sends as JSON, and sends JSON back. */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as McpClient from "@mcp-effect/client/McpClient"
import * as Duplex from "@mcp-effect/protocol/Duplex"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Outbox from "@mcp-effect/protocol/Outbox"
import { TransportError } from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"

type Params = JsonRpc.Params

/** A message as it is on the wire. */
export interface Sent {
  readonly id?: JsonRpc.Id
  readonly method?: string
  readonly params?: Params
  readonly result?: Params
  readonly error?: JsonRpc.ErrorObject
}

export interface Server {
  /** The next message; dies if it is of another method. */
  readonly expect: (method: string) => Effect.Effect<Sent>
  /** The next message, which answers a request of the server. */
  readonly answer: Effect.Effect<Sent>
  /** All messages so far. */
  readonly received: ReadonlyArray<Sent>
  readonly reply: (to: Sent, result: Params) => Effect.Effect<void>
  readonly fail: (to: Sent, error: JsonRpc.ErrorObject) => Effect.Effect<void>
  readonly notify: (method: string, params?: Params) => Effect.Effect<void>
  readonly request: (id: JsonRpc.Id, method: string, params?: Params) => Effect.Effect<void>
  /** A progress notification for a request. */
  readonly progress: (of: Sent, progress: number, more?: Params) => Effect.Effect<void>
  readonly close: (message: string) => Effect.Effect<void>
}

export type Script = (server: Server, connection: number) => Effect.Effect<unknown, unknown, Scope.Scope>

const open = (local: Parameters<ClientTransport["Service"]["connect"]>[0]) =>
  Effect.gen(function*() {
    const outbox = Outbox.make()
    const duplex = yield* Duplex.make({ outbox, local: () => Effect.succeed(local), answerInvalid: false })
    const received: Array<Sent> = []
    const queue = yield* Queue.unbounded<Sent>()
    const carry = Effect.map(outbox.take, (texts) => {
      for (const text of texts) {
        const sent = JSON.parse(text) as Sent
        received.push(sent)
        Queue.offerUnsafe(queue, sent)
      }
    })
    yield* Effect.forkScoped(Effect.ignore(Effect.forever(carry)))
    const send = (message: JsonRpc.Message) => Effect.sync(() => duplex.receive(JsonRpc.encode(message)))
    const idOf = (sent: Sent): JsonRpc.Id => sent.id ?? "a notification has no id"
    const server: Server = {
      received,
      answer: Queue.take(queue),
      expect: (method) =>
        Effect.flatMap(Queue.take(queue), (sent) =>
          sent.method === method
            ? Effect.succeed(sent)
            : Effect.die(new Error(`Expected ${method}, but this came: ${JSON.stringify(sent)}`))),
      reply: (to, result) => send(JsonRpc.success(idOf(to), result)),
      fail: (to, error) => send(JsonRpc.failure(idOf(to), error)),
      notify: (method, params) => send(JsonRpc.notification(method, params)),
      request: (id, method, params) => send(JsonRpc.request(id, method, params)),
      progress: ({ params }, progress, more) => {
        const progressToken = Meta.progressToken(params)
        return send(JsonRpc.notification("notifications/progress", { progressToken, progress, ...more }))
      },
      close: (message) => duplex.close(new TransportError({ reason: "closed", processed: "unknown", message }))
    }
    return { duplex, server }
  })

/** A transport whose servers play a script, given the number of the connection, from 0. */
export const transport = (script: Script): Layer.Layer<ClientTransport> =>
  Layer.sync(ClientTransport, () => {
    let connections = 0
    return {
      connect: (local) =>
        Effect.gen(function*() {
          const { duplex, server } = yield* open(local)
          const played = Effect.catchCause(script(server, connections++), (cause) => server.close(Cause.pretty(cause)))
          yield* Effect.forkScoped(played)
          return duplex
        })
    }
  })

const self = { name: "client", version: "1.0.0" }

/** A client of a script, once it is ready. */
export const connect = (
  script: Script,
  options?: Partial<McpClient.Options>
): Effect.Effect<McpClient.McpClient["Service"], McpError.McpError, Scope.Scope> =>
  McpClient.layer({ ...self, ...options }).pipe(
    Layer.provide(transport(script)),
    Layer.build,
    Effect.map(Context.get(McpClient.McpClient))
  )

/** A client of a script, at once. */
export const begin = (
  script: Script,
  options?: Partial<McpClient.Options>
): Effect.Effect<McpClient.McpClient["Service"], never, Scope.Scope> =>
  Effect.flatMap(
    Layer.build(transport(script)),
    (context) => Effect.provide(McpClient.make({ ...self, ...options }), context)
  )

export const discovery = (more?: Params): Params => ({
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "server", version: "2.0.0" } },
  ...more
})

export const welcome = (protocolVersion: string, more?: Params): Params => ({
  protocolVersion,
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "server", version: "2.0.0" },
  ...more
})

/** Answers the probe as a stateless server does. */
export const stateless: Script = (server) =>
  Effect.flatMap(server.expect("server/discover"), (probe) => server.reply(probe, discovery()))

/** Opens a session as a server of a stateful revision does, which knows no probe. */
export const stateful = (version: string): Script => (server) =>
  Effect.gen(function*() {
    const probe = yield* server.answer
    const first = probe.method === "initialize" ? probe : yield* Effect.andThen(
      server.fail(probe, { code: -32601, message: "Method not found" }),
      server.expect("initialize")
    )
    yield* server.reply(first, welcome(version))
    yield* server.expect("notifications/initialized")
  })

/** A client that is ready, and its server for the test to play. */
export const ready = (options?: Partial<McpClient.Options>, handshake: Script = stateless) =>
  Effect.gen(function*() {
    const playing = yield* Deferred.make<Server>()
    const mcp = yield* connect(
      (server, connection) => Effect.andThen(handshake(server, connection), Deferred.succeed(playing, server)),
      options
    )
    return { mcp, server: yield* Deferred.await(playing) }
  })

/** Turns enough for messages to cross, without time. */
export const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

export const text = (text: string) => ({ type: "text" as const, text })
