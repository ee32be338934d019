import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import { connect, hello, serve } from "./client.ts"

const stateful = Revisions.ofEra(Revisions.all, "stateful").map(({ name }) => name)
const anything = McpServer.tool(Tool.make("anything", {}), () => Effect.void)

describe("initialize", () => {
  it.effect.each(stateful)("MUST answer %s with the same version", (version) =>
    Effect.gen(function*() {
      const client = yield* connect(yield* serve())
      assert.strictEqual((yield* client.result("initialize", hello(version))).protocolVersion, version)
      yield* client.initialized
      assert.strictEqual((yield* client.connection.session.revision)?.name, version)
    }))

  it.effect.each(["1900-01-01", "2026-07-28", "9999-12-31", "", "latest"])(
    "MUST answer the version %o, which opens no session, with the newest that does",
    (version) =>
      Effect.gen(function*() {
        const client = yield* connect(yield* serve())
        assert.strictEqual((yield* client.result("initialize", hello(version))).protocolVersion, "2025-11-25")
      })
  )

  it.effect("MUST offer only the revisions that the server was given, the newest of them first", () =>
    Effect.gen(function*() {
      const server = yield* serve(anything, { revisions: ["2024-11-05", "2025-06-18"] })
      const versionFor = (asked: string) =>
        Effect.flatMap(
          connect(server),
          (client) => Effect.map(client.result("initialize", hello(asked)), (result) => result.protocolVersion)
        )
      assert.strictEqual(yield* versionFor("2025-11-25"), "2025-06-18")
      assert.strictEqual(yield* versionFor("2025-03-26"), "2025-06-18")
      assert.strictEqual(yield* versionFor("2024-11-05"), "2024-11-05")
    }))

  it.effect("MUST say who the server is and what it can do", () =>
    Effect.gen(function*() {
      const server = yield* serve(anything, { title: "A test", instructions: "Be kind" })
      const client = yield* connect(server)
      assert.deepStrictEqual(yield* client.result("initialize", hello("2025-11-25")), {
        protocolVersion: "2025-11-25",
        capabilities: {
          tools: { listChanged: true },
          extensions: { [StreamingTools.ID]: {} },
          experimental: { [StreamingTools.ID]: {} }
        },
        serverInfo: { name: "test", version: "1.0.0", title: "A test" },
        instructions: "Be kind"
      })
    }))

  it.effect("MUST NOT declare tools, nor give instructions, that the server does not have", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* serve())
      const result = yield* client.result("initialize", hello("2025-11-25"))
      assert.notProperty(result.capabilities, "tools")
      assert.notProperty(result, "instructions")
    }))

  it.effect("of a server that is stateless only MUST be refused with an error that names its versions", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* serve(anything, { revisions: ["2026-07-28"] }))
      const error = yield* client.error("initialize", hello("2025-11-25"))
      assert.strictEqual(error.code, -32022)
      assert.include(error.message, "2026-07-28")
      assert.deepStrictEqual(error.data, { supported: ["2026-07-28"], requested: "2025-11-25" })
    }))

  const malformed: ReadonlyArray<readonly [what: string, params: JsonRpc.Params | undefined, names: string]> = [
    ["no parameters", undefined, "protocolVersion"],
    ["no version", { ...hello(""), protocolVersion: undefined }, "protocolVersion"],
    ["a version that is a number", { ...hello(""), protocolVersion: 2025 }, "protocolVersion"],
    ["no capabilities", { ...hello("2025-11-25"), capabilities: undefined }, "capabilities"],
    ["capabilities that are an array", { ...hello("2025-11-25"), capabilities: [] }, "capabilities"],
    ["capabilities that are null", { ...hello("2025-11-25"), capabilities: null }, "capabilities"],
    ["no client", { ...hello("2025-11-25"), clientInfo: undefined }, "clientInfo"],
    ["a client without a version", { ...hello("2025-11-25"), clientInfo: { name: "x" } }, "clientInfo"],
    ["a client that is a text", { ...hello("2025-11-25"), clientInfo: "x" }, "clientInfo"]
  ]
  it.effect.each(malformed)(
    "with %s MUST be answered with -32602, and the session lives",
    ([, params, names]) =>
      Effect.gen(function*() {
        const client = yield* connect(yield* serve())
        const error = yield* client.error("initialize", params)
        assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
        assert.include(error.message, `"${names}"`)
        assert.strictEqual((yield* client.connection.session.state)._tag, "created")
        yield* client.result("initialize", hello("2025-11-25"))
      })
  )

  it.effect("MUST read capabilities leniently", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* serve())
      yield* client.result("initialize", hello("2025-11-25", { sampling: 7, unheardOf: [null], roots: "yes" }))
    }))

  it("a server without any revision, or with a page that holds nothing, MUST be refused when it is made", () => {
    const options = { name: "test", version: "1.0.0" }
    assert.throws(() => McpServer.make({ ...options, revisions: [] }), TypeError, "revisions")
    for (const pageSize of [0, -1, 1.5, Number.NaN]) {
      assert.throws(() => McpServer.make({ ...options, pageSize }), TypeError, "pageSize")
    }
  })
})
