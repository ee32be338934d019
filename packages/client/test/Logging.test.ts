/** What a server logs: how much of it a client asks for in each era, and where it goes. */
import { assert, describe, it } from "@effect/vitest"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { logged } from "./log.ts"
import { asked, client, complete, count, eras, opening } from "./opening.ts"
import { advance, everySecond, kill, playing } from "./reconnecting.ts"
import { settle } from "./wire.ts"

const tools = complete({ tools: [] })

const levelOf = ({ params }: { readonly params?: Readonly<Record<string, unknown>> }) =>
  Meta.of(params)?.[Meta.LOG_LEVEL]

describe("the log level, stateless", () => {
  it.effect("MUST be said in each request, that of the request before that of the client", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless", { logLevel: "warning" })
      assert.strictEqual(levelOf((yield* asked(server, "tools/list", mcp.listTools(), tools)).sent), "warning")
      const debug = yield* asked(server, "tools/list", mcp.listTools({ logLevel: "debug" }), tools)
      assert.strictEqual(levelOf(debug.sent), "debug")
      yield* mcp.setLogLevel("error")
      const raw = yield* asked(server, "tools/list", mcp.request("tools/list"), tools)
      assert.strictEqual(levelOf(raw.sent), "error")
      const own = mcp.request("tools/list", { _meta: { [Meta.LOG_LEVEL]: "notice" } })
      assert.strictEqual(levelOf((yield* asked(server, "tools/list", own, tools)).sent), "notice")
      assert.strictEqual(yield* count(server, "logging/setLevel"), 0)
    }))

  it.effect("MUST NOT be said by a client that wants none", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless")
      const { sent } = yield* asked(server, "tools/list", mcp.listTools(), tools)
      assert.notProperty(Meta.of(sent.params), Meta.LOG_LEVEL)
    }))
})

describe("the log level, stateful", () => {
  it.effect("MUST be the first that a session is asked, also after a reconnection, and never part of a request", () =>
    Effect.gen(function*() {
      const { at, mcp } = yield* playing({ logLevel: "warning", reconnect: everySecond }, opening("stateful"))
      const set = yield* at(0).expect("logging/setLevel")
      assert.strictEqual(set.params?.level, "warning")
      yield* at(0).reply(set, {})
      const { sent } = yield* asked(at(0), "tools/list", mcp.listTools({ logLevel: "debug" }), tools)
      assert.notProperty(Meta.of(sent.params), Meta.LOG_LEVEL)
      yield* asked(at(0), "logging/setLevel", mcp.setLogLevel("error"), {})
      yield* kill(at(0))
      const listing = yield* Effect.forkChild(mcp.listTools())
      yield* advance("1 second")
      assert.strictEqual((yield* at(1).expect("logging/setLevel")).params?.level, "error")
      yield* at(1).reply(yield* at(1).expect("tools/list"), tools)
      yield* Fiber.join(listing)
    }))

  it.effect("MUST NOT be set where logging is not declared", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateful", { logLevel: "warning" }, { tools: {} })
      yield* asked(server, "tools/list", mcp.listTools(), tools)
      const error = yield* Effect.flip(mcp.setLogLevel("error"))
      assert.ok(error._tag === "MethodNotFound" && error.message.includes("\"logging\""))
      assert.strictEqual(yield* count(server, "logging/setLevel"), 0)
    }))

  it.effect.each(["refuses it", "does not answer"])(
    "MUST be no more than a warning when the server %s",
    (how) =>
      logged((lines) =>
        Effect.gen(function*() {
          const { mcp, server } = yield* client("stateful", { logLevel: "warning" })
          const set = yield* server.expect("logging/setLevel")
          if (how === "refuses it") yield* server.fail(set, { code: -32603, message: "It refuses it" })
          else {
            yield* TestClock.adjust("61 seconds")
            yield* server.expect("notifications/cancelled")
          }
          yield* asked(server, "tools/list", mcp.listTools(), tools)
          const warnings = lines.filter((line) => line.startsWith("Warn The log level of the server could not be set"))
          assert.lengthOf(warnings, 1)
          assert.include(warnings[0], how)
        })
      )
  )
})

describe.each(eras)("what the server logs, %s", (era) => {
  it.effect("MUST be a stream, without what is malformed, which the log tells of", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { mcp, server } = yield* client(era)
        const two = yield* Effect.forkChild(Stream.runCollect(Stream.take(mcp.logs, 2)))
        yield* settle
        yield* server.notify("notifications/message", { level: "loud", data: 1 })
        yield* server.notify("notifications/message", { level: "notice", logger: "db", data: { a: 1 } })
        yield* server.notify("notifications/tools/list_changed")
        yield* server.notify("notifications/message", { level: "error", data: null })
        assert.deepStrictEqual(yield* Fiber.join(two), [
          { level: "notice", logger: "db", data: { a: 1 } },
          { level: "error", data: null }
        ])
        assert.lengthOf(lines.filter((line) => line.startsWith("Warn Dropped a log message")), 1)
      })
    ))

  it.effect("MUST go to the log of the program where that is wanted, with its level, logger and server", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ fiber, logLevel, message }) => {
        lines.push([logLevel, message, fiber.getRef(References.CurrentLogAnnotations)])
      })
      yield* Effect.gen(function*() {
        const { server } = yield* client(era, { forwardLogs: true })
        yield* server.notify("notifications/message", { level: "alert", logger: "db", data: "it burns" })
        yield* server.notify("notifications/message", { level: "notice", data: { a: 1 } })
        yield* settle
      }).pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual(lines, [
        ["Fatal", ["it burns"], { "mcp.server": "server", "mcp.logger": "db" }],
        ["Info", [{ a: 1 }], { "mcp.server": "server" }]
      ])
    }))
})
