/** HTTP+SSE of 2024-11-05 as a client meets it, be it told so or not. */
import { assert, describe, it } from "@effect/vitest"
import * as McpClient from "@mcp-effect/client/McpClient"
import * as SseClient from "@mcp-effect/http/SseClient"
import * as StreamableHttpClient from "@mcp-effect/http/StreamableHttpClient"
import { JsonRpc, Tool } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { clients, event, events, hearing, json, serve } from "./scripted.ts"
import * as Sse from "./sse.ts"

const [, http] = clients[0]

const Echo = McpServer.tool(Tool.make("echo"), () => Effect.succeed("here"))

const initialize = JsonRpc.request("initialize", "initialize", { protocolVersion: "2024-11-05" })

describe("a client of Streamable HTTP", () => {
  it.live.each(clients)("MUST find a server of HTTP+SSE at its URL, by %s", ([, http]) =>
    Effect.gen(function*() {
      const port = yield* Sse.serve(Echo)
      const transport = StreamableHttpClient.layer({ url: `http://127.0.0.1:${port}/sse` })
      const called = Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const { revision } = yield* mcp.server
        return [revision.era, (yield* mcp.callTool("echo")).content]
      })
      const outcome = yield* Effect.provide(
        called,
        McpClient.layer({ name: "test", version: "1.0.0" }).pipe(Layer.provide(transport), Layer.provide(http))
      )
      assert.deepStrictEqual(outcome, ["stateful", [{ type: "text", text: "here" }]])
    }).pipe(Effect.scoped))

  it.live("MUST NOT look for one where that is not wanted, and say what was wrong at first", () =>
    Effect.gen(function*() {
      for (const fallback of [true, false]) {
        const server = yield* serve((_seen, response) => void response.writeHead(404).end())
        const connection = yield* StreamableHttpClient.connect({ url: server.url, fallback }, hearing())
        const error = yield* Effect.flip(connection.request(initialize, hearing()))
        assert.include(error.message, "answered POST with status 404")
        assert.deepStrictEqual(server.seen.map(({ method }) => method), fallback ? ["POST", "GET"] : ["POST"])
      }
    }).pipe(Effect.scoped, Effect.provide(http)))
})

describe("a client of HTTP+SSE", () => {
  const connect = (url: string) =>
    SseClient.connect({ url, headers: { authorization: "Bearer of-a-token" } }, hearing())

  it.live("MUST send to the endpoint that the server names, with its own headers, and take the reply from the stream", () =>
    Effect.gen(function*() {
      let stream: { readonly write: (text: string) => unknown } | undefined
      const server = yield* serve((seen, response) => {
        if (seen.method === "GET") {
          stream = events(response)
          return void stream.write("event: endpoint\ndata: /messages?session=abcdef\n\n")
        }
        response.writeHead(202).end("Accepted")
        stream?.write(event({ jsonrpc: "2.0", id: seen.message.id, result: { ok: true } }))
      })
      const connection = yield* connect(server.url)
      const response = yield* connection.request(initialize, hearing())
      assert.ok(response._tag === "Success")
      assert.deepStrictEqual(response.result, { ok: true })
      const [get, post] = server.seen
      assert.deepStrictEqual([get?.headers.accept, post?.path], ["text/event-stream", "/messages?session=abcdef"])
      for (const one of [get, post]) assert.strictEqual(one?.headers.authorization, "Bearer of-a-token")
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST NOT send to an endpoint of another origin", () =>
    Effect.gen(function*() {
      const server = yield* serve((_seen, response) => {
        events(response).write("event: endpoint\ndata: https://evil.example.com/messages\n\n")
      })
      const error = yield* Effect.flip(connect(server.url))
      assert.include(error.message, "names an endpoint of another origin")
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live.each([
    { what: "is not there", status: 404, type: "text/plain", says: "answered GET with status 404" },
    { what: "has no events", status: 200, type: "text/html", says: "Content-Type \"text/html\"" }
  ])("MUST say what is wrong with a server that $what", ({ says, status, type }) =>
    Effect.gen(function*() {
      const server = yield* serve((_seen, response) =>
        void response.writeHead(status, { "content-type": type }).end("<html>")
      )
      const error = yield* Effect.flip(connect(server.url))
      assert.include(error.message, says)
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST fail the request that the server does not take, and end when its session is gone", () =>
    Effect.gen(function*() {
      let posts = 0
      const server = yield* serve((seen, response) => {
        if (seen.method === "GET") {
          return void events(response).write("event: endpoint\ndata: /messages?session=abcdef\n\n")
        }
        return json(response, {}, ++posts === 1 ? 500 : 404)
      })
      const connection = yield* connect(server.url)
      const refused = yield* connection.request(initialize, hearing())
      assert.ok(refused._tag === "Failure")
      assert.include(refused.error.message, "status 500")
      const gone = yield* Effect.flip(connection.request(initialize, hearing()))
      assert.include(gone.message, "status 404")
      assert.notInclude(gone.message, "abcdef")
      assert.strictEqual((yield* connection.closed).reason, "refused")
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST end with its stream, and fail what is in flight", () =>
    Effect.gen(function*() {
      const server = yield* serve((seen, response) => {
        if (seen.method !== "GET") return void response.writeHead(202).end()
        const stream = events(response)
        stream.write("event: endpoint\ndata: /messages\n\n")
        setTimeout(() => stream.end(), 100)
      })
      const connection = yield* connect(server.url)
      const error = yield* Effect.flip(connection.request(initialize, hearing()))
      assert.include(error.message, "ended its event stream")
      assert.strictEqual((yield* connection.closed).reason, "closed")
    }).pipe(Effect.scoped, Effect.provide(http)))
})
