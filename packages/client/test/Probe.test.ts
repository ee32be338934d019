/** How a client finds out which era a server is of. */
import { assert, describe, it } from "@effect/vitest"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import {
  begin,
  connect,
  discovery,
  ready,
  type Script,
  type Server,
  settle,
  stateful,
  stateless,
  welcome
} from "./wire.ts"

const methods = (server: Server) => server.received.map(({ method }) => method)

/** Plays a script, and keeps each connection's server. */
const kept = (script: Script) => {
  const servers: Array<Server> = []
  const keeping: Script = (server, connection) => {
    servers.push(server)
    return script(server, connection)
  }
  return { servers, script: keeping }
}

const answeringProbe = (error: JsonRpc.ErrorObject, then: Script): Script => (server, connection) =>
  Effect.gen(function*() {
    yield* server.fail(yield* server.expect("server/discover"), error)
    yield* then(server, connection)
  })

/** Answers `initialize` with the version that it asks for. */
const agreeing: Script = (server) =>
  Effect.gen(function*() {
    const request = yield* server.expect("initialize")
    yield* server.reply(request, welcome(String(request.params?.protocolVersion)))
    yield* server.expect("notifications/initialized")
  })

describe("the probe", () => {
  it.effect("MUST be the first request, and say who asks in the newest revision", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready({ title: "A client", capabilities: { roots: {} } })
      const [probe] = server.received
      assert.deepStrictEqual(probe?.method, "server/discover")
      const { progressToken: _, ...meta } = Meta.of(probe?.params) ?? {}
      assert.deepStrictEqual(meta, {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "client", version: "1.0.0", title: "A client" },
        "io.modelcontextprotocol/clientCapabilities": { roots: {}, extensions: { [StreamingTools.ID]: {} } }
      })
      const known = yield* mcp.server
      assert.strictEqual(known.revision.name, "2026-07-28")
      assert.deepStrictEqual(known.info, { name: "server", version: "2.0.0" })
      assert.deepStrictEqual(known.capabilities, { tools: {} })
    }))

  it.effect("that is answered MUST make every request carry the same, and MUST NOT be followed by initialize", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const listing = yield* Effect.forkChild(mcp.listTools({ meta: { "example.com/trace": "t" } }))
      const sent = yield* server.expect("tools/list")
      const meta = Meta.of(sent.params) ?? {}
      assert.strictEqual(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28")
      assert.deepStrictEqual(meta["io.modelcontextprotocol/clientInfo"], { name: "client", version: "1.0.0" })
      assert.property(meta, "io.modelcontextprotocol/clientCapabilities")
      assert.strictEqual(meta["example.com/trace"], "t")
      yield* server.reply(sent, { resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" })
      yield* Fiber.join(listing)
      assert.deepStrictEqual(methods(server), ["server/discover", "tools/list"])
    }))

  it.effect("MUST take a server that says nothing of itself", () =>
    Effect.gen(function*() {
      const mcp = yield* connect((server) =>
        Effect.flatMap(server.expect("server/discover"), (probe) =>
          server.reply(probe, discovery({ _meta: undefined, instructions: "Be kind" })))
      )
      const known = yield* mcp.server
      assert.deepStrictEqual([known.info, known.instructions], [undefined, "Be kind"])
    }))

  it.effect("refused with -32022 and a list that names our revision MUST be sent again", () =>
    Effect.gen(function*() {
      const { script, servers } = kept(answeringProbe(
        { code: -32022, message: "no", data: { supported: ["2026-07-28"], requested: "2026-07-28" } },
        stateless
      ))
      const mcp = yield* connect(script)
      assert.strictEqual((yield* mcp.server).revision.name, "2026-07-28")
      assert.deepStrictEqual(methods(servers[0]!), ["server/discover", "server/discover"])
    }))

  it.effect("refused with -32022 time and again MUST fail, since the server contradicts itself", () =>
    Effect.gen(function*() {
      const refusal = { code: -32022, message: "no", data: { supported: ["2026-07-28"], requested: "x" } }
      const error = yield* Effect.flip(connect(answeringProbe(refusal, answeringProbe(refusal, () => Effect.never))))
      assert.strictEqual(error._tag, "InvalidResult")
      assert.include(error.message, "2026-07-28")
    }))

  it.effect("refused with -32022 and a list of stateful revisions MUST be followed by initialize", () =>
    Effect.gen(function*() {
      const { script, servers } = kept(answeringProbe(
        { code: -32022, message: "no", data: { supported: ["2025-06-18", "2025-11-25"], requested: "2026-07-28" } },
        agreeing
      ))
      assert.strictEqual((yield* (yield* connect(script)).server).revision.name, "2025-11-25")
      yield* settle
      assert.deepStrictEqual(methods(servers[0]!), ["server/discover", "initialize", "notifications/initialized"])
    }))

  it.effect("answered with stateful revisions only MUST be followed by initialize", () =>
    Effect.gen(function*() {
      const mcp = yield* connect((server, connection) =>
        Effect.gen(function*() {
          const probe = yield* server.expect("server/discover")
          yield* server.reply(probe, discovery({ supportedVersions: ["2025-06-18", "2025-11-25"] }))
          yield* agreeing(server, connection)
        })
      )
      assert.strictEqual((yield* mcp.server).revision.name, "2025-11-25")
    }))

  it.effect.each([
    { code: -32601, message: "Method not found" },
    { code: -32600, message: "Not initialized" },
    { code: -32602, message: "Invalid params" },
    { code: -32603, message: "Internal error" },
    { code: -32000, message: "Bad Request: no valid session", data: { supported: ["2026-07-28"] } },
    { code: 0, message: "Unknown" },
    { code: -32022, message: "A version error without a list" }
  ])(
    "answered with $code $message MUST be followed by initialize on the same connection",
    (error) =>
      Effect.gen(function*() {
        const { script, servers } = kept(answeringProbe(error, agreeing))
        const mcp = yield* connect(script)
        assert.strictEqual((yield* mcp.server).revision.name, "2025-11-25")
        yield* settle
        assert.deepStrictEqual(servers.map(methods), [["server/discover", "initialize", "notifications/initialized"]])
      })
  )

  it.effect.each([{}, { supportedVersions: "2026-07-28" }, { resultType: "complete", tools: [] }])(
    "answered with %j, which is no discovery, MUST be followed by initialize",
    (result) =>
      Effect.gen(function*() {
        const mcp = yield* connect((server, connection) =>
          Effect.gen(function*() {
            yield* server.reply(yield* server.expect("server/discover"), result)
            yield* agreeing(server, connection)
          })
        )
        assert.strictEqual((yield* mcp.server).revision.name, "2025-11-25")
      })
  )
})

describe("a server that is silent at the probe", () => {
  it.effect("MUST be initialized after exactly 5 seconds, the probe being cancelled; its late answer is nothing", () =>
    Effect.gen(function*() {
      const { script, servers } = kept(() => Effect.never)
      const mcp = yield* begin(script)
      yield* settle
      yield* TestClock.adjust("4999 millis")
      yield* settle
      const [server] = servers
      assert.ok(server !== undefined)
      assert.deepStrictEqual(methods(server), ["server/discover"])
      yield* TestClock.adjust("1 millis")
      const probe = yield* server.expect("server/discover")
      const cancelled = yield* server.expect("notifications/cancelled")
      assert.deepStrictEqual(cancelled.params, { requestId: probe.id, reason: "No reply in time" })
      yield* server.reply(probe, discovery())
      yield* agreeing(server, 0)
      assert.strictEqual((yield* mcp.server).revision.name, "2025-11-25")
    }))

  it.effect("MUST be waited for as long as the option says", () =>
    Effect.gen(function*() {
      const { script, servers } = kept(() => Effect.never)
      yield* begin(script, { probeTimeout: "30 seconds" })
      yield* settle
      yield* TestClock.adjust("29 seconds")
      yield* settle
      assert.deepStrictEqual(servers.map(methods), [["server/discover"]])
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.include(methods(servers[0]!), "initialize")
    }))
})

describe("a server that ends at the probe", () => {
  it.effect("MUST be connected to again, and initialized without a probe", () =>
    Effect.gen(function*() {
      const { script, servers } = kept((server, connection) =>
        connection === 0
          ? Effect.andThen(server.expect("server/discover"), server.close("The process has ended"))
          : agreeing(server, connection)
      )
      const mcp = yield* connect(script)
      assert.strictEqual((yield* mcp.server).revision.name, "2025-11-25")
      yield* settle
      assert.deepStrictEqual(servers.map(methods), [
        ["server/discover"],
        ["initialize", "notifications/initialized"]
      ])
    }))

  it.effect("time and again MUST leave the session disconnected", () =>
    Effect.gen(function*() {
      const { script, servers } = kept((server) => Effect.andThen(server.answer, server.close("gone")))
      const mcp = yield* begin(script)
      const error = yield* Effect.flip(mcp.server)
      assert.ok(error._tag === "ConnectionClosed" && error.message === "gone")
      assert.strictEqual((yield* mcp.session.state)._tag, "disconnected")
      assert.lengthOf(servers, 2)
    }))
})

describe("a client of one era", () => {
  it.effect("stateful MUST begin with initialize", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready({ revisions: ["2025-03-26", "2025-06-18"] }, stateful("2025-06-18"))
      assert.strictEqual((yield* mcp.server).revision.name, "2025-06-18")
      assert.deepStrictEqual(methods(server), ["initialize", "notifications/initialized"])
      assert.strictEqual(server.received[0]?.params?.protocolVersion, "2025-06-18")
    }))

  it.effect("stateless MUST fail on a server that does not know the probe, without initialize", () =>
    Effect.gen(function*() {
      const { script, servers } = kept(answeringProbe({ code: -32601, message: "no" }, () => Effect.never))
      const mcp = yield* begin(script, { revisions: ["2026-07-28"] })
      const error = yield* Effect.flip(mcp.server)
      assert.strictEqual(error._tag, "UnsupportedProtocolVersion")
      assert.include(error.message, "2026-07-28")
      assert.strictEqual((yield* mcp.session.state)._tag, "failed")
      assert.deepStrictEqual(servers.map(methods), [["server/discover"]])
    }))

  it.effect("stateless MUST fail on a server that is silent, after 5 seconds", () =>
    Effect.gen(function*() {
      const mcp = yield* begin(() => Effect.never, { revisions: ["2026-07-28"] })
      const failing = yield* Effect.forkChild(Effect.flip(mcp.server))
      yield* settle
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(failing))._tag, "UnsupportedProtocolVersion")
    }))
})

describe("a stateless server that is slower than the probe waits", () => {
  it.effect("MUST be asked again when it refuses initialize", () =>
    Effect.gen(function*() {
      const { script, servers } = kept(() => Effect.never)
      const mcp = yield* begin(script)
      yield* settle
      yield* TestClock.adjust("5 seconds")
      yield* settle
      const [server] = servers
      assert.ok(server !== undefined)
      yield* server.expect("server/discover")
      yield* server.expect("notifications/cancelled")
      yield* server.fail(yield* server.expect("initialize"), { code: -32602, message: "needs _meta" })
      const again = yield* server.expect("server/discover")
      yield* TestClock.adjust("6 seconds")
      yield* server.reply(again, discovery())
      assert.strictEqual((yield* mcp.server).revision.name, "2026-07-28")
    }))
})
