/** What a log message holds, who else hears it, and what becomes of it if its client is slow. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as Levels from "@mcp-effect/protocol/Logging"
import * as Meta from "@mcp-effect/protocol/Meta"
import { closed, type Peer } from "@mcp-effect/protocol/Peer"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Logging from "@mcp-effect/server/Logging"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Middleware from "@mcp-effect/server/Middleware"
import { RequestState } from "@mcp-effect/server/RequestState"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { meta, serve, speak } from "./client.ts"
import { heardBy, hears, newest, Say, says, settle } from "./hearing.ts"
import { logged } from "./log.ts"

describe("the data of a message", () => {
  const data = (effect: Effect.Effect<unknown, unknown>) =>
    Effect.map(
      hears(effect, "debug", newest),
      (heard) => heard.map((message) => (message as Levels.Message).data)
    ).pipe(Effect.provide(Logger.layer([])))

  it.effect("MUST be JSON of all that was logged", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* data(Effect.all([
          Effect.logInfo({ a: 1, b: [null, "x"] }),
          Effect.logInfo("text", 1, true, { a: 1 }),
          Effect.logInfo(["one"]),
          Effect.logInfo(undefined),
          Effect.logInfo(),
          Effect.logInfo(new Error("why")),
          Effect.logInfo("x").pipe(Effect.annotateLogs({ user: "ada", n: 1n, key: Redacted.make("secret") }))
        ])),
        [
          { a: 1, b: [null, "x"] },
          ["text", 1, true, { a: 1 }],
          ["one"],
          null,
          [],
          { name: "Error", message: "why" },
          { message: "x", annotations: { user: "ada", n: "1n", key: "<redacted>" } }
        ]
      )
    }))

  it.effect("MUST NOT fail a handler, whatever was logged", () =>
    Effect.gen(function*() {
      const circular: Record<string, unknown> = { a: 1 }
      circular.self = circular
      const getter = {
        get broken(): string {
          throw new Error("secret")
        }
      }
      const toJSON = {
        toJSON: () => {
          throw new Error("secret")
        }
      }
      const revoked = Proxy.revocable({}, {})
      revoked.revoke()
      const deep: Array<unknown> = []
      let inner = deep
      for (let depth = 0; depth < 100_000; depth++) inner.push(inner = [])
      const values: ReadonlyArray<unknown> = [
        circular,
        1n,
        Symbol("s"),
        () => 1,
        Number.NaN,
        getter,
        toJSON,
        deep,
        new Map([[1, 2]])
      ]
      const logs = Effect.forEach(values, (value) => Effect.logInfo(value))
      const direct = Effect.forEach([...values, revoked.proxy], (data) => Logging.log({ level: "info", data }))
      const [first, second, ...rest] = yield* data(logs)
      assert.deepStrictEqual([first, second], [{ a: 1 }, "1n"])
      assert.lengthOf(rest, values.length - 2)
      assert.notInclude(JSON.stringify(rest), "secret")
      assert.lengthOf(yield* data(direct), values.length + 1)
    }))

  it.effect("MUST keep redacted values redacted, wherever they are", () =>
    Effect.gen(function*() {
      const key = Redacted.make("secret")
      const labelled = Redacted.make("secret", { label: "key" })
      const all = yield* data(Effect.all([
        Effect.logInfo(key),
        Effect.logInfo("x", { key, list: [labelled], deep: { key } }),
        Effect.logInfo(new Map([["key", key]])),
        Logging.log({ level: "info", data: { key } }),
        Effect.logError("x", Cause.die({ key }))
      ]))
      assert.lengthOf(all, 5)
      assert.notInclude(JSON.stringify(all), "secret")
      assert.deepInclude(all, { key: "<redacted>" })
    }))

  it.effect("MUST NOT say anything of a cause: it stays in the log of the server", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const cause = Cause.die(new Error("secret"))
        const logs = Effect.all([
          Effect.logError(cause),
          Effect.logError("went wrong", cause),
          Effect.logError(Cause.fail("secret"))
        ])
        assert.deepStrictEqual(yield* hears(logs, "debug", newest), [
          { level: "error", data: "Failed unexpectedly" },
          { level: "error", data: "went wrong" },
          { level: "error", data: "Failed" }
        ])
        assert.include(lines.join("\n"), "secret")
      })
    ))
})

describe("the server's own loggers", () => {
  const noisy = Effect.all([Effect.logDebug("debug"), Effect.logInfo("info"), Effect.logError("error")])

  it.effect("MUST NOT hear more because a client wants more", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const heard = yield* hears(noisy, "debug", newest)
        assert.lengthOf(heard, 3)
        assert.deepStrictEqual(lines.map((line) => line.trim()), ["Info info", "Error error"])
      })
    ))

  it.effect.each(["around the layer", "around the request"])(
    "MUST NOT keep from a client what they do not hear themselves: minimum %s",
    (where) =>
      logged((lines) =>
        Effect.gen(function*() {
          const minimum = Layer.succeed(References.MinimumLogLevel, "Error")
          const tools = McpServer.tool(Say, () => Effect.asVoid(noisy))
          const server = yield* serve(
            Layer.merge(where === "around the layer" ? Layer.provide(tools, minimum) : tools, McpServer.logging())
          )
          const client = yield* speak(server, "2026-07-28")
          const call = client.call("say", undefined, { [Meta.LOG_LEVEL]: "info" })
          yield* where === "around the request"
            ? Effect.provideService(call, References.MinimumLogLevel, "Error")
            : call
          assert.lengthOf(heardBy(client), 2)
          assert.deepStrictEqual(lines.map((line) => line.trim()), ["Error error"])
        })
      )
  )

  it.effect("MUST hear of everything, whatever little a client wants", () =>
    logged((lines) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* hears(noisy, "emergency", newest), [])
        assert.deepStrictEqual(lines.map((line) => line.trim()), ["Info info", "Error error"])
      })
    ))
})

describe("a client that is slow to take messages", () => {
  /** Takes nothing until the gate opens. */
  const slow = (gate: Deferred.Deferred<void>, taken: Array<JsonRpc.Params | undefined>): Peer => ({
    ...closed,
    notify: ({ params, stale }) =>
      Effect.andThen(
        Deferred.await(gate),
        Effect.sync(() => {
          if (stale?.() !== true) taken.push(params)
        })
      )
  })

  const params = (level: Levels.Level) => ({ name: "say", _meta: { ...meta(), [Meta.LOG_LEVEL]: level } })

  it.effect("MUST NOT hold up a handler, and MUST NOT be told anything after the result", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const gate = yield* Deferred.make<void>()
        const taken: Array<JsonRpc.Params | undefined> = []
        const many = Effect.forEach(Array.from({ length: 10_000 }), () =>
          Effect.andThen(Effect.logInfo("x"), Logging.log({ level: "alert", data: "x" })))
        const { connection } = yield* speak(yield* serve(says(many)), "2026-07-28")
        const response = yield* connection.request(JsonRpc.request(1, "tools/call", params("info")), slow(gate, taken))
        assert.strictEqual(response._tag, "Success")
        assert.lengthOf(
          lines.filter((line) =>
            line.startsWith("Info x")
          ),
          10_000
        )
        assert.lengthOf(lines.filter((line) => line.startsWith("Warn Log messages are dropped")), 1)
        yield* Deferred.succeed(gate, undefined)
        yield* settle
        assert.deepStrictEqual(taken, [])
      })
    ))

  it.effect.each(
    [
      { wanted: "info", told: "warning" },
      { wanted: "error", told: "error" },
      { wanted: "alert", told: "alert" }
    ] as const
  )(
    "MUST have no more than a bound waiting, and be told how many were dropped: $wanted",
    ({ told, wanted }) =>
      logged(() =>
        Effect.gen(function*() {
          const gate = yield* Deferred.make<void>()
          const taken: Array<JsonRpc.Params | undefined> = []
          const body = Effect.gen(function*() {
            for (let n = 0; n < 1000; n++) yield* Logging.log({ level: "emergency", data: n })
            yield* Deferred.succeed(gate, undefined)
            yield* settle
            yield* Logging.log({ level: "emergency", data: "after" })
          })
          const { connection } = yield* speak(yield* serve(says(body)), "2026-07-28")
          yield* connection.request(JsonRpc.request(1, "tools/call", params(wanted)), slow(gate, taken))
          assert.deepStrictEqual(
            taken,
            [
              ...Array.from({ length: 256 }, (_, data) => ({ level: "emergency", data })),
              { level: told, data: "744 messages were dropped: the client was too slow" },
              { level: "emergency", data: "after" }
            ]
          )
        })
      )
  )
})

describe("what is not for a client", () => {
  it.effect("MUST NOT reach it: what middleware logs when the reply was given", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const gate = yield* Deferred.make<void>()
        const late = Effect.andThen(Deferred.await(gate), Effect.logError("late"))
        const middleware = Middleware.make("late", (_, next) =>
          Effect.andThen(Effect.forkDetach(late, { startImmediately: true }), next()))
        const client = yield* speak(yield* serve(says(Effect.void), { middleware: [middleware] }), "2026-07-28")
        yield* client.call("say", undefined, { [Meta.LOG_LEVEL]: "debug" })
        yield* Deferred.succeed(gate, undefined)
        yield* settle
        assert.deepStrictEqual(client.tied, [])
        assert.deepStrictEqual(
          lines.map((line) =>
            line.trim()
          ),
          ["Error late"]
        )
      })
    ))

  it.effect("MUST NOT reach it: what the library says, also where middleware brings a logger of its own", () =>
    Effect.gen(function*() {
      const audited: Array<unknown> = []
      const audit = Logger.make(({ message }) => void audited.push(message))
      const middleware = Middleware.make(
        "audit",
        (_, next) => Effect.provide(next(), Logger.layer([audit], { mergeWithExisting: true }))
      )
      const tools = says(Effect.andThen(Effect.logInfo("inside"), Effect.die("secret")))
      const server = yield* serve(tools, { middleware: [middleware] })
      yield* logged((lines) =>
        Effect.gen(function*() {
          const client = yield* speak(server, "2026-07-28")
          yield* client.call("say", undefined, { [Meta.LOG_LEVEL]: "debug" })
          assert.deepStrictEqual(heardBy(client), [{ level: "info", data: "inside" }])
          assert.deepStrictEqual(audited, [["inside"], ["Tool say failed with a defect"]])
          assert.lengthOf(lines, 2)
        })
      )
    }))

  it.effect("MUST NOT reach it: the warning that states are sealed with a random key", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const seal = Effect.flatMap(RequestState, ({ seal }) =>
          seal({}, { principal: undefined, method: "tools/call", params: {} }))
        assert.deepStrictEqual(yield* hears(seal, "debug", newest), [])
        assert.include(lines.join("\n"), "There is no key for requestState")
      })
    ))

  it.effect("MUST NOT reach it: that a tool which its handler adds is not checked", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const Free = Tool.dynamic("free", { inputSchema: { type: "object" } })
        const tools = Layer.merge(
          McpServer.tool(Say, () => McpServer.addTool(Free, () => Effect.void)),
          McpServer.logging()
        )
        const client = yield* speak(yield* serve(tools), "2025-11-25")
        yield* client.result("logging/setLevel", { level: "debug" })
        yield* client.call("say")
        assert.deepStrictEqual(client.tied, [])
        assert.include(lines.join("\n"), "The input of tool free is not checked")
      })
    ))
})
