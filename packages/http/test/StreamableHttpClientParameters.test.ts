/** Parameters of tools that headers repeat: which a client repeats, and which tools it does not offer. */
import { assert, describe, it } from "@effect/vitest"
import * as McpClient from "@mcp-effect/client/McpClient"
import { JsonRpc, Tool } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { logged } from "./harness.ts"
import { clients, connect, hearing, json, result, type Seen, serve, stateless } from "./scripted.ts"
import { transport } from "./streamableTransport.ts"

const [, http] = clients[0]

const listed = (name: string, properties: object) => ({ name, inputSchema: { type: "object", properties } })

const region = { region: { type: "string", "x-mcp-header": "Region" } }

const tools = [
  listed("query", { ...region, size: { type: "integer", "x-mcp-header": "Size" }, more: { type: "string" } }),
  listed("nested", { at: { type: "object", properties: region } }),
  listed("plain", {}),
  listed("bad", { one: { type: "string", "x-mcp-header": "A" }, two: { type: "string", "x-mcp-header": "a" } }),
  listed("worse", { list: { type: "array", "x-mcp-header": "List" } })
]

const call = (id: number, name: string, args: object) => stateless(id, "tools/call", { name, arguments: args })

const mismatch = (seen: Seen) => ({
  jsonrpc: "2.0",
  id: seen.message.id,
  error: { code: -32020, message: "Header mismatch: Mcp-Param-Region is missing" }
})

const parameters = ({ headers }: Seen) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("mcp-param-")))

describe("the list of tools", () => {
  it.live("MUST be without those whose annotations are wrong, which the log names with the reason", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const server = yield* serve((seen, response) => json(response, result(seen, { tools, nextCursor: "2" })))
        const connection = yield* connect(server.url)
        const response = yield* connection.request(stateless(1, "tools/list"), hearing())
        assert.ok(response._tag === "Success")
        assert.strictEqual(response.result.nextCursor, "2")
        const names = (response.result.tools as ReadonlyArray<{ name: string }>).map(({ name }) => name)
        assert.deepStrictEqual(names, ["query", "nested", "plain"])
        const [warning] = lines.filter((line) => line.startsWith("Dropped tools"))
        assert.include(warning, "\"bad\" (")
        assert.include(warning, "\"worse\" (")
      })
    ).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST be handed over as it came in a session, where headers repeat nothing", () =>
    Effect.gen(function*() {
      const server = yield* serve((seen, response) => json(response, result(seen, { tools })))
      const connection = yield* connect(server.url)
      const response = yield* connection.request(JsonRpc.request(1, "tools/list"), hearing())
      assert.ok(response._tag === "Success")
      assert.deepStrictEqual(response.result.tools, tools)
    }).pipe(Effect.scoped, Effect.provide(http)))
})

describe("a call of a listed tool", () => {
  it.live("MUST repeat its parameters in headers, in Base64 where need be, and no others", () =>
    Effect.gen(function*() {
      const server = yield* serve((seen, response) =>
        json(response, result(seen, seen.message.method === "tools/list" ? { tools } : { content: [] }))
      )
      const connection = yield* connect(server.url)
      yield* connection.request(stateless(1, "tools/list"), hearing())
      yield* connection.request(call(2, "query", { region: "eu", size: 3, more: "x" }), hearing())
      yield* connection.request(call(3, "query", { region: "Zürich" }), hearing())
      yield* connection.request(call(4, "nested", { at: { region: "us" } }), hearing())
      yield* connection.request(call(5, "plain", { region: "eu" }), hearing())
      assert.deepStrictEqual(server.seen.slice(1).map(parameters), [
        { "mcp-param-region": "eu", "mcp-param-size": "3" },
        { "mcp-param-region": `=?base64?${Buffer.from("Zürich").toString("base64")}?=` },
        { "mcp-param-region": "us" },
        {}
      ])
    }).pipe(Effect.scoped, Effect.provide(http)))
})

describe("a call whose headers the server refuses", () => {
  it.live("MUST be sent once more after the tools were listed again, page by page", () =>
    Effect.gen(function*() {
      const server = yield* serve((seen, response) => {
        const { method, params } = seen.message
        if (method === "tools/list") {
          const isLast = params?.cursor === "2"
          return json(response, result(seen, isLast ? { tools } : { tools: [], nextCursor: "2" }))
        }
        return seen.headers["mcp-param-region"] === undefined
          ? json(response, mismatch(seen), 400)
          : json(response, result(seen, { content: [] }))
      })
      const connection = yield* connect(server.url)
      const response = yield* connection.request(call(7, "query", { region: "eu" }), hearing())
      assert.deepStrictEqual(response, JsonRpc.success(7, { content: [] }))
      assert.deepStrictEqual(server.seen.map(({ message }) => message.method), [
        "tools/call",
        "tools/list",
        "tools/list",
        "tools/call"
      ])
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST fail when there is nothing else to say, or it is refused again", () =>
    Effect.gen(function*() {
      for (const list of [[], tools]) {
        const server = yield* serve((seen, response) =>
          seen.message.method === "tools/list"
            ? json(response, result(seen, { tools: list }))
            : json(response, mismatch(seen), 400)
        )
        const connection = yield* connect(server.url)
        const response = yield* connection.request(call(7, "query", { region: "eu" }), hearing())
        assert.ok(response._tag === "Failure" && response.error.code === -32020)
        const calls = server.seen.filter(({ message }) => message.method === "tools/call")
        assert.strictEqual(calls.length, list.length === 0 ? 1 : 2)
      }
    }).pipe(Effect.scoped, Effect.provide(http)))
})

describe("our client and our server", () => {
  it.effect("MUST agree on headers, whether the tools were listed before or not", () => {
    const Query = Tool.make("query", { input: { region: Schema.String.annotate({ "x-mcp-header": "Region" }) } })
    const server = McpServer.tool(Query, ({ region }) => Effect.succeed(region)).pipe(
      Layer.provideMerge(McpServer.layer({ name: "test", version: "1.0.0" }))
    )
    return Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      assert.deepStrictEqual(yield* mcp.call(Query, { region: "Zürich" }), [{ type: "text", text: "Zürich" }])
      yield* mcp.listTools()
      assert.deepStrictEqual(yield* mcp.call(Query, { region: "eu" }), [{ type: "text", text: "eu" }])
    }).pipe(
      Effect.provide(
        McpClient.layer({ name: "test", version: "1.0.0" }).pipe(Layer.provide(transport), Layer.provide(server))
      )
    )
  })
})
