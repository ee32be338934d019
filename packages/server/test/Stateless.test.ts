/** The stateless era: what every request must carry, and what every result does. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import { connect, hello, meta, serve, speak } from "./client.ts"

const anything = McpServer.tool(Tool.make("anything", {}), () => Effect.succeed("done"))
const serverInfo = { name: "test", version: "1.0.0" }

describe("server/discover", () => {
  it.effect("MUST say which versions the server speaks, what it can do, and who it is", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(anything, { instructions: "Be kind" }), "2026-07-28")
      assert.deepStrictEqual(yield* client.result("server/discover"), {
        resultType: "complete",
        supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        capabilities: { tools: { listChanged: true }, extensions: { [StreamingTools.ID]: {} } },
        instructions: "Be kind",
        ttlMs: 0,
        cacheScope: "private",
        _meta: { [Meta.SERVER_INFO]: serverInfo }
      })
    }))

  it.effect("MUST name only the versions that the server was given, and no tools where there are none", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(undefined, { revisions: ["2024-11-05", "2026-07-28"] }), "2026-07-28")
      const result = yield* client.result("server/discover")
      assert.deepStrictEqual(result.supportedVersions, ["2026-07-28", "2024-11-05"])
      assert.notProperty(result.capabilities, "tools")
      assert.notProperty(result, "instructions")
    }))

  it.effect("MUST declare tools as soon as there are some", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const client = yield* speak(server, "2026-07-28")
      assert.strictEqual((yield* client.error("tools/list")).code, JsonRpc.METHOD_NOT_FOUND)
      yield* Effect.provideService(
        McpServer.addTool(Tool.make("late", {}), () => Effect.void),
        McpServer.McpServer,
        server
      )
      assert.deepInclude((yield* client.result("server/discover")).capabilities, { tools: { listChanged: true } })
      yield* client.result("tools/list")
    }))

  it.effect("without the members of _meta MUST be answered with -32602 that names them, before any session", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* serve(anything))
      const error = yield* client.error("server/discover")
      assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
      for (const part of [Meta.PROTOCOL_VERSION, Meta.CLIENT_CAPABILITIES, "2026-07-28"]) {
        assert.include(error.message, part)
      }
    }))

  it.effect("of a server that is stateful only MUST be an error that is not of the stateless era", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(anything, { revisions: ["2025-11-25"] }), "2026-07-28")
      const { code } = yield* client.error("server/discover")
      assert.notInclude([-32020, -32021, -32022], code)
      yield* client.result("initialize", hello("2025-11-25"))
    }))
})

describe("a stateless request", () => {
  const wrong: ReadonlyArray<readonly [what: string, meta: JsonRpc.Params, names: string]> = [
    ["no version", { [Meta.CLIENT_CAPABILITIES]: {} }, Meta.PROTOCOL_VERSION],
    ["a version that is a number", { ...meta(), [Meta.PROTOCOL_VERSION]: 20260728 }, Meta.PROTOCOL_VERSION],
    ["no capabilities", { [Meta.PROTOCOL_VERSION]: "2026-07-28" }, Meta.CLIENT_CAPABILITIES],
    ["capabilities that are null", { ...meta(), [Meta.CLIENT_CAPABILITIES]: null }, Meta.CLIENT_CAPABILITIES],
    ["capabilities that are an array", { ...meta(), [Meta.CLIENT_CAPABILITIES]: [] }, Meta.CLIENT_CAPABILITIES],
    ["a client without a version", { ...meta(), [Meta.CLIENT_INFO]: { name: "x" } }, Meta.CLIENT_INFO],
    ["a client that is null", { ...meta(), [Meta.CLIENT_INFO]: null }, Meta.CLIENT_INFO]
  ]
  it.effect.each(wrong)(
    "with %s MUST be answered with -32602 that names the member",
    ([, _meta, names]) =>
      Effect.gen(function*() {
        const client = yield* connect(yield* serve(anything))
        for (const method of ["tools/list", "tools/call", "server/discover"]) {
          const error = yield* client.error(method, { name: "anything", _meta })
          assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
          assert.include(error.message, `"${names}"`)
        }
      })
  )

  it.effect("MAY say who the client is, or not", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* serve(anything))
      const withInfo = { ...meta(), [Meta.CLIENT_INFO]: { name: "x", version: "1" } }
      yield* client.result("tools/call", { name: "anything", _meta: withInfo })
      yield* client.result("tools/call", { name: "anything", _meta: meta() })
    }))

  it.effect.each(["1900-01-01", "2025-11-25", "2027-01-01"])(
    "of version %s MUST be answered with -32022, the versions that the server speaks, and the one asked for",
    (requested) =>
      Effect.gen(function*() {
        const client = yield* connect(yield* serve(anything, { revisions: ["2026-07-28", "2025-06-18"] }))
        const error = yield* client.error("tools/list", { _meta: { ...meta(), [Meta.PROTOCOL_VERSION]: requested } })
        assert.strictEqual(error.code, -32022)
        assert.deepStrictEqual(error.data, { supported: ["2026-07-28", "2025-06-18"], requested })
      })
  )

  it.effect.each(["ping", "initialize", "logging/setLevel", "resources/subscribe", "prompts/list", "nothing/at-all"])(
    "for %s MUST be answered with -32601",
    (method) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(anything), "2026-07-28")
        assert.strictEqual((yield* client.error(method)).code, JsonRpc.METHOD_NOT_FOUND)
        assert.strictEqual((yield* client.connection.session.state)._tag, "created")
      })
  )

  it.effect("MUST get a result that says its type and who answers, and a list the caching hints too", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(anything), "2026-07-28")
      const _meta = { [Meta.SERVER_INFO]: serverInfo }
      assert.deepStrictEqual(yield* client.call("anything"), {
        resultType: "complete",
        content: [{ type: "text", text: "done" }],
        _meta
      })
      const { tools, ...rest } = yield* client.result("tools/list")
      assert.lengthOf(tools as ReadonlyArray<unknown>, 1)
      assert.deepStrictEqual(rest, { resultType: "complete", ttlMs: 0, cacheScope: "private", _meta })
    }))

  it.effect("MUST find nothing of an earlier one: capabilities are those of the request", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* serve(anything))
      yield* client.result("tools/list", { _meta: meta({ extensions: { [StreamingTools.ID]: {} } }) })
      const error = yield* client.error("tools/list", { _meta: { [Meta.PROTOCOL_VERSION]: "2026-07-28" } })
      assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
    }))
})

describe("one connection", () => {
  it.effect("MUST speak both eras interleaved, each in its own words", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* serve(anything))
      const plain = { content: [{ type: "text", text: "done" }] }
      const stateless = client.result("tools/call", { name: "anything", _meta: meta() })
      const typed = { resultType: "complete", ...plain, _meta: { [Meta.SERVER_INFO]: serverInfo } }
      assert.deepStrictEqual(yield* stateless, typed)
      yield* client.result("initialize", hello("2025-11-25"))
      assert.deepStrictEqual(yield* stateless, typed)
      yield* client.initialized
      assert.deepStrictEqual(yield* client.call("anything"), plain)
      assert.deepStrictEqual(yield* stateless, typed)
      assert.deepStrictEqual(yield* client.call("anything"), plain)
      assert.strictEqual((yield* client.connection.session.revision)?.name, "2025-11-25")
    }))

  it.effect("of a server that is stateless only MUST answer requests without _meta with what they need", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* serve(anything, { revisions: ["2026-07-28"] }))
      for (const method of ["tools/list", "ping"]) {
        const error = yield* client.error(method)
        assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
        assert.include(error.message, "2026-07-28")
      }
    }))
})
