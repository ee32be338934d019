import { assert, describe, it } from "@effect/vitest"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { begin, connect, ready, type Script, type Server, settle, stateful, welcome } from "./wire.ts"

const only = { revisions: ["2024-11-05", "2025-06-18", "2025-11-25"] } as const

const answering = (result: JsonRpc.Params): Script => (server) =>
  Effect.flatMap(server.expect("initialize"), (request) => server.reply(request, result))

const refusing = (error: JsonRpc.ErrorObject, then: Script = () => Effect.never): Script => (server, connection) =>
  Effect.gen(function*() {
    yield* server.fail(yield* server.expect("initialize"), error)
    yield* then(server, connection)
  })

describe("initialize", () => {
  it.effect("MUST say who asks, in the newest stateful revision, and be followed by initialized", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready(
        { ...only, capabilities: { sampling: {} } },
        stateful("2025-11-25")
      )
      const { _meta: _, ...params } = server.received[0]?.params ?? {}
      assert.deepStrictEqual(params, {
        protocolVersion: "2025-11-25",
        capabilities: {
          sampling: {},
          extensions: { [StreamingTools.ID]: {} },
          experimental: { [StreamingTools.ID]: {} }
        },
        clientInfo: { name: "client", version: "1.0.0" }
      })
      assert.deepStrictEqual(
        server.received.slice(1),
        [{ jsonrpc: "2.0", method: "notifications/initialized" }] as never
      )
      assert.deepStrictEqual((yield* mcp.server).info, { name: "server", version: "2.0.0" })
    }))

  it.effect("MUST leave the requests that follow without the members of the stateless era", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready(only, stateful("2025-11-25"))
      yield* Effect.forkChild(mcp.listTools())
      const { params } = yield* server.expect("tools/list")
      assert.deepStrictEqual(Object.keys(params?._meta ?? {}), ["progressToken"])
    }))

  it.effect("answered with an older version that we speak MUST go on in that", () =>
    Effect.gen(function*() {
      const { mcp } = yield* ready(only, stateful("2024-11-05"))
      assert.strictEqual((yield* mcp.session.revision)?.name, "2024-11-05")
    }))

  it.effect.each(["2025-03-26", "2026-07-28", "1900-01-01", ""])(
    "answered with %o, which we do not speak in a session, MUST fail, and MUST NOT be confirmed",
    (version) =>
      Effect.gen(function*() {
        const servers: Array<Server> = []
        const mcp = yield* begin((server, connection) => {
          servers.push(server)
          return answering(welcome(version))(server, connection)
        }, only)
        const error = yield* Effect.flip(mcp.server)
        assert.ok(error._tag === "UnsupportedProtocolVersion")
        assert.deepStrictEqual(error.supported, [version])
        assert.strictEqual((yield* mcp.session.state)._tag, "failed")
        yield* settle
        assert.deepStrictEqual(servers.map((server) => server.received.length), [1])
      })
  )

  it.effect("refused with the versions that the server has MUST be sent again with the newest in common", () =>
    Effect.gen(function*() {
      const versions: Array<unknown> = []
      const mcp = yield* connect(
        refusing(
          { code: -32602, message: "Unsupported protocol version", data: { supported: ["2024-11-05", "2025-06-18"] } },
          (server, connection) =>
            Effect.andThen(
              Effect.sync(() => versions.push(server.received[0]?.params?.protocolVersion)),
              answering(welcome("2025-06-18"))(server, connection)
            )
        ),
        only
      )
      assert.strictEqual((yield* mcp.server).revision.name, "2025-06-18")
      assert.deepStrictEqual(versions, ["2025-11-25"])
    }))

  it.effect.each([
    {
      what: "with versions of which we have none",
      script: refusing({ code: -32602, message: "no", data: { supported: ["1900-01-01"] } })
    },
    {
      what: "twice",
      script: refusing(
        { code: -32602, message: "no", data: { supported: ["2025-06-18"] } },
        refusing({ code: -32602, message: "no", data: { supported: ["2025-06-18"] } })
      )
    }
  ])("refused $what MUST fail with the versions of both", ({ script }) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(connect(script, only))
      assert.strictEqual(error._tag, "UnsupportedProtocolVersion")
      assert.include(error.message, "2025-11-25, 2025-06-18, 2024-11-05")
    }))

  it.effect("refused for another reason MUST fail with that", () =>
    Effect.gen(function*() {
      const mcp = yield* begin(refusing({ code: -32001, message: "Who are you?", data: 1 }), only)
      const error = yield* Effect.flip(mcp.server)
      assert.ok(error._tag === "RemoteError" && error.code === -32001 && error.data === 1)
      assert.strictEqual((yield* mcp.session.state)._tag, "failed")
    }))

  it.effect.each([
    { what: "no server", more: { serverInfo: undefined }, names: "serverInfo" },
    { what: "a server without a version", more: { serverInfo: { name: "x" } }, names: "serverInfo" },
    { what: "no capabilities", more: { capabilities: undefined }, names: "capabilities" },
    { what: "capabilities that are a text", more: { capabilities: "all" }, names: "capabilities" },
    { what: "capabilities that are an array", more: { capabilities: [] }, names: "capabilities" }
  ])("answered with $what MUST fail, name it, and not be confirmed", ({ more, names }) =>
    Effect.gen(function*() {
      const servers: Array<Server> = []
      const mcp = yield* begin((server, connection) => {
        servers.push(server)
        return answering(welcome("2025-11-25", more))(server, connection)
      }, only)
      const error = yield* Effect.flip(mcp.server)
      assert.strictEqual(error._tag, "InvalidResult")
      assert.include(error.message, names)
      assert.strictEqual((yield* mcp.session.state)._tag, "failed")
      yield* settle
      assert.deepStrictEqual(servers.map((server) => server.received.length), [1])
    }))

  it.effect("that is never answered MUST fail after the timeout, and MUST NOT be cancelled", () =>
    Effect.gen(function*() {
      const servers: Array<Server> = []
      const mcp = yield* begin((server) => Effect.sync(() => servers.push(server)), { ...only, timeout: "10 seconds" })
      const failing = yield* Effect.forkChild(Effect.flip(mcp.server))
      yield* settle
      yield* TestClock.adjust("9999 millis")
      assert.strictEqual((yield* mcp.session.state)._tag, "initializing")
      yield* TestClock.adjust("1 millis")
      const error = yield* Fiber.join(failing)
      assert.ok(error._tag === "RequestTimeout" && error.method === "initialize" && error.millis === 10_000)
      assert.strictEqual((yield* mcp.session.state)._tag, "disconnected")
      yield* settle
      assert.deepStrictEqual(servers.flatMap(({ received }) => received.map(({ method }) => method)), ["initialize"])
    }))
})
