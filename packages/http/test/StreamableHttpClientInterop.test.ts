/** Our client against the official server of version 1, and against our own, on real sockets. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@mcp-effect/client"
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import { JsonRpc, type Peer, Tool, ToolResult } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import { McpServer as OfficialServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { HttpClient } from "effect/http/HttpClient"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServer } from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as StreamableHttpClient from "../src/StreamableHttpClient.ts"
import * as StreamableHttpServer from "../src/StreamableHttpServer.ts"
import { eventually } from "./scripted.ts"

const info = { name: "interop", version: "1.0.0" }

// Answers what a server asks of a user.
const answering = (peer: Peer.Peer): Peer.Peer => ({
  notify: peer.notify,
  request: (request, back) =>
    request.method === "elicitation/create"
      ? Effect.succeed(JsonRpc.success(request.id, { action: "accept", content: { name: "Ada" } }))
      : peer.request(request, back)
})

const transport = (url: string) =>
  Layer.effect(
    ClientTransport,
    Effect.map(HttpClient, (http) => ({
      connect: (local: Peer.Peer) =>
        StreamableHttpClient.connect({ url }, answering(local)).pipe(
          Effect.map((connection) => ({
            closed: connection.closed,
            notify: connection.notify,
            request: (request: JsonRpc.Request, back: Peer.Peer) => connection.request(request, answering(back))
          })),
          Effect.provideService(HttpClient, http)
        )
    }))
  )

const client = (url: string, options: Partial<McpClient.Options> = {}) =>
  McpClient.layer({ ...info, ...options, capabilities: { elicitation: { form: {} } } }).pipe(
    Layer.provide(transport(url)),
    Layer.provide(FetchHttpClient.layer)
  )

interface Official {
  readonly url: string
  readonly sessions: Map<string, StreamableHTTPServerTransport>
  readonly cancelled: () => number
  /** What is said outside of requests. */
  readonly change: () => void
}

const official = (options: { readonly enableJsonResponse?: boolean } = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sessions = new Map<string, StreamableHTTPServerTransport>()
      const servers: Array<OfficialServer> = []
      let cancelled = 0
      const build = (): OfficialServer => {
        const server = new OfficialServer({ name: "official", version: "1.0.0" })
        server.registerTool(
          "echo",
          { description: "Says it again" },
          () => ({ content: [{ type: "text", text: "hello" }] })
        )
        server.registerTool("count", {}, async (extra) => {
          const progressToken = extra._meta?.progressToken
          if (progressToken === undefined) throw new Error("no token")
          for (const progress of [1, 2, 3]) {
            await extra.sendNotification({
              method: "notifications/progress",
              params: { progressToken, progress, total: 3 }
            })
          }
          return { content: [] }
        })
        server.registerTool("ask", {}, async () => {
          const answer = await server.server.elicitInput({
            message: "Who are you?",
            requestedSchema: { type: "object", properties: { name: { type: "string" } } }
          })
          return { content: [{ type: "text", text: JSON.stringify(answer) }] }
        })
        server.registerTool("wait", {}, (extra) =>
          new Promise((resolve) =>
            extra.signal.addEventListener("abort", () => {
              cancelled++
              resolve({ content: [] })
            })
          ))
        servers.push(server)
        return server
      }
      const node = Http.createServer((request, response) => {
        const handle = async (): Promise<void> => {
          const id = request.headers["mcp-session-id"]
          let transport = typeof id === "string" ? sessions.get(id) : undefined
          if (id !== undefined && transport === undefined) return void response.writeHead(404).end()
          if (transport === undefined) {
            const created: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
              ...options,
              sessionIdGenerator: randomUUID,
              onsessioninitialized: (id) => void sessions.set(id, created),
              onsessionclosed: (id) => void sessions.delete(id)
            })
            transport = created
            // Sound: its types do not know `exactOptionalPropertyTypes`.
            await build().connect(created as Parameters<OfficialServer["connect"]>[0])
          }
          await transport.handleRequest(request, response)
        }
        handle().catch((error: unknown) => void response.writeHead(500).end(String(error)))
      })
      await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve))
      return {
        node,
        sessions,
        url: `http://127.0.0.1:${(node.address() as AddressInfo).port}/mcp`,
        cancelled: () => cancelled,
        change: () => servers.at(-1)?.sendToolListChanged()
      }
    }),
    ({ node }) =>
      Effect.promise(() =>
        new Promise<void>((resolve) => {
          node.close(() => resolve())
          node.closeAllConnections()
        })
      )
  )

describe.each([false, true])("the official server, version 1, that replies as JSON: %s", (enableJsonResponse) => {
  it.live("MUST be listed, called, watched and cancelled by our client, and be left without a session", () =>
    Effect.gen(function*() {
      const server: Official = yield* official({ enableJsonResponse })
      yield* Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        assert.strictEqual((yield* mcp.server).revision.name, "2025-11-25")
        assert.deepStrictEqual((yield* mcp.listTools()).map(({ name }) => name), ["echo", "count", "ask", "wait"])
        assert.strictEqual(ToolResult.text(yield* mcp.callTool("echo")), "hello")
        assert.strictEqual(server.sessions.size, 1)
        const changed = yield* Effect.forkChild(Stream.runHead(mcp.notifications), { startImmediately: true })
        // Nobody can tell when the stream for it is open.
        const saying = yield* Effect.forkChild(
          Effect.forever(Effect.andThen(Effect.sync(server.change), Effect.sleep(20)))
        )
        const notification = yield* Fiber.join(changed)
        yield* Fiber.interrupt(saying)
        assert.strictEqual(
          notification._tag === "Some" && notification.value.method,
          "notifications/tools/list_changed"
        )
        const call = yield* Effect.forkChild(mcp.callTool("wait"), { startImmediately: true })
        yield* Effect.sleep(100)
        yield* Fiber.interrupt(call)
        yield* eventually(() => server.cancelled() === 1)
        assert.strictEqual(ToolResult.text(yield* mcp.callTool("echo")), "hello")
      }).pipe(Effect.provide(client(server.url)))
      assert.strictEqual(server.sessions.size, 0)
    }).pipe(Effect.scoped))
})

describe("the official server, version 1", () => {
  it.live("MUST be heard and answered while a call goes on", () =>
    Effect.gen(function*() {
      const { url } = yield* official()
      yield* Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const seen: Array<number> = []
        yield* mcp.callTool("count", {}, { onProgress: ({ progress }) => Effect.sync(() => void seen.push(progress)) })
        assert.deepStrictEqual(seen, [1, 2, 3])
        const answer = ToolResult.text(yield* mcp.callTool("ask"))
        assert.deepStrictEqual(JSON.parse(answer), { action: "accept", content: { name: "Ada" } })
      }).pipe(Effect.provide(client(url)))
    }).pipe(Effect.scoped))
})

const Add = Tool.make("add", {
  input: { a: Schema.Finite, b: Schema.Finite },
  output: Schema.Struct({ sum: Schema.Finite })
})

const own = (interrupted: Effect.Effect<void>) =>
  Effect.map(
    Layer.build(
      HttpRouter.serve(StreamableHttpServer.layer({ path: "/mcp" }), { disableLogger: true, disableListenLog: true })
        .pipe(
          Layer.provide(Layer.mergeAll(
            McpServer.tool(Add, ({ a, b }) => Effect.succeed({ sum: a + b })),
            McpServer.tool(Tool.make("count"), () =>
              Stream.concat(
                Stream.map(Stream.range(1, 3), (progress) => Tool.progress({ progress })),
                Stream.succeed(Tool.part({ type: "text", text: "counted" }))
              )),
            McpServer.tool(Tool.make("wait"), () => Effect.onInterrupt(Effect.never, () => interrupted))
          )),
          Layer.provide(McpServer.layer({ name: "own", version: "1.0.0" })),
          Layer.provideMerge(
            NodeHttpServer.layer(() => Http.createServer(), {
              port: 0,
              host: "127.0.0.1",
              gracefulShutdownTimeout: 500
            })
          )
        )
    ),
    (context) => {
      const { address } = Context.get(context, HttpServer)
      return `http://127.0.0.1:${"port" in address ? address.port : 0}/mcp`
    }
  )

describe.each(["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const)("our server, in %s", (revision) => {
  it.live("MUST be listed, called, watched and cancelled by our client", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const url = yield* own(Effect.asVoid(Deferred.succeed(interrupted, undefined)))
      yield* Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        assert.strictEqual((yield* mcp.server).revision.name, revision)
        assert.deepStrictEqual((yield* mcp.listTools()).map(({ name }) => name).toSorted(), ["add", "count", "wait"])
        assert.deepStrictEqual(yield* mcp.call(Add, { a: 1, b: 2 }), { sum: 3 })
        const seen: Array<number> = []
        const counted = yield* mcp.callTool("count", {}, {
          onProgress: ({ progress }) => Effect.sync(() => void seen.push(progress))
        })
        assert.deepStrictEqual([seen, ToolResult.text(counted)], [[1, 2, 3], "counted"])
        const call = yield* Effect.forkChild(mcp.callTool("wait"), { startImmediately: true })
        yield* Effect.sleep(100)
        yield* Fiber.interrupt(call)
        yield* Deferred.await(interrupted)
      }).pipe(Effect.provide(client(url, { revisions: [revision] })))
    }).pipe(Effect.scoped))
})
