/** What is logged while a request is handled, and who gets to hear of it. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Levels from "@mcp-effect/protocol/Logging"
import * as Meta from "@mcp-effect/protocol/Meta"
import { closed, type Peer } from "@mcp-effect/protocol/Peer"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Logging from "@mcp-effect/server/Logging"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Middleware from "@mcp-effect/server/Middleware"
import { RequestState } from "@mcp-effect/server/RequestState"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Client, connect, hello, meta, serve, speak } from "./client.ts"
import { logged } from "./log.ts"

const Say = Tool.make("say", {})
const Count = Tool.make("count", { input: { name: Schema.String } })

const says = (effect: Effect.Effect<unknown, unknown>) =>
  Layer.merge(McpServer.tool(Say, () => Effect.asVoid(effect)), McpServer.logging())

const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

/** Asks for messages, in the words of an era; yields the `_meta` of the calls. */
const want = (client: Client, { era }: Revision.Revision, level: unknown) =>
  era === "stateless"
    ? Effect.succeed({ [Meta.LOG_LEVEL]: level })
    : Effect.as(client.result("logging/setLevel", { level }), {})

/** What the client has heard of a call, in its order. */
const heardBy = (client: Client): ReadonlyArray<unknown> =>
  client.tied.map(({ method, params }) => {
    assert.strictEqual(method, "notifications/message")
    assert.isTrue(Schema.is(Levels.Message)(params))
    return params
  })

const hears = (effect: Effect.Effect<unknown, unknown>, level: Levels.Level, revision: Revision.Revision) =>
  Effect.gen(function*() {
    const client = yield* speak(yield* serve(says(effect)), revision.name)
    yield* client.call("say", undefined, yield* want(client, revision, level))
    const heard = heardBy(client)
    yield* settle
    // Nothing comes after the result, and nothing by another way.
    assert.lengthOf(client.tied, heard.length)
    assert.deepStrictEqual(client.heard, [])
    return heard
  })

const newest = Revisions.all[0] ?? assert.fail("there are revisions")

const quiet = logged(() => Effect.void)

describe.each(Revisions.all)("logging in $name", (revision) => {
  it.effect("MUST send what a handler logs ahead of its result, each at its level", () =>
    logged(() =>
      Effect.gen(function*() {
        const all = Effect.all([
          Effect.logTrace("trace"),
          Effect.logDebug("debug"),
          Effect.logInfo("info"),
          Effect.logWarning("warning"),
          Effect.logError("error"),
          Effect.logFatal("fatal")
        ])
        const messages = [
          { level: "debug", data: "debug" },
          { level: "info", data: "info" },
          { level: "warning", data: "warning" },
          { level: "error", data: "error" },
          { level: "critical", data: "fatal" }
        ]
        assert.deepStrictEqual(yield* hears(all, "debug", revision), messages)
        assert.deepStrictEqual(yield* hears(all, "notice", revision), messages.slice(2))
        assert.deepStrictEqual(yield* hears(all, "critical", revision), messages.slice(4))
        assert.deepStrictEqual(yield* hears(all, "emergency", revision), [])
      })
    ))

  it.effect("MUST send levels that Effect does not have through Logging.log, and only those that are wanted", () =>
    Effect.gen(function*() {
      const all = Effect.forEach(Levels.levels, (level) => Logging.log({ level, logger: "db", data: { level } }))
      for (const [index, minimum] of Levels.levels.entries()) {
        assert.deepStrictEqual(
          yield* hears(all, minimum, revision),
          Levels.levels.slice(index).map((level) => ({ level, logger: "db", data: { level } }))
        )
      }
    }))

  it.effect("MUST send what the fibers and the stream of a handler log, and nothing once there is a result", () =>
    logged(() =>
      Effect.gen(function*() {
        const gate = yield* Deferred.make<void>()
        const late = Effect.andThen(Deferred.await(gate), Effect.logError("late"))
        const tools = Layer.merge(
          McpServer.tool(Say, () =>
            Stream.make("a", "b").pipe(
              Stream.tap((text) => Effect.logInfo(text)),
              Stream.map((text) => Tool.part(text)),
              Stream.concat(Stream.fromEffect(Effect.gen(function*() {
                yield* Fiber.join(yield* Effect.forkChild(Effect.logInfo("child")))
                yield* Effect.forkDetach(late, { startImmediately: true })
                yield* Effect.forkDetach(
                  Effect.andThen(
                    Deferred.await(gate),
                    Logging.log({ level: "alert", data: "late" })
                  ),
                  { startImmediately: true }
                )
                return Tool.part("c")
              })))
            )),
          McpServer.logging()
        )
        const client = yield* speak(yield* serve(tools), revision.name)
        yield* client.call("say", undefined, yield* want(client, revision, "info"))
        yield* Deferred.succeed(gate, undefined)
        yield* settle
        assert.deepStrictEqual(heardBy(client), ["a", "b", "child"].map((data) => ({ level: "info", data })))
      })
    ))

  it.effect("MUST refuse a level that does not exist with -32602, and change nothing", () =>
    logged(() =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(says(Effect.logInfo("x"))), revision.name)
        const wrong = ["warn", "INFO", "", "constructor", 7, null, ["info"], {}]
        for (const level of wrong) {
          const error = revision.era === "stateless"
            ? yield* client.error("tools/call", { name: "say", _meta: { [Meta.LOG_LEVEL]: level } })
            : yield* client.error("logging/setLevel", { level })
          assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
          assert.include(error.message, "debug, info, notice, warning, error, critical, alert, emergency")
        }
        assert.deepStrictEqual(client.tied, [])
        if (revision.era === "stateless") return
        assert.strictEqual((yield* client.error("logging/setLevel")).code, JsonRpc.INVALID_PARAMS)
        yield* client.call("say")
        assert.deepStrictEqual(heardBy(client), [{ level: "info", data: "x" }])
      })
    ))

  it.effect("MUST be declared by its layer alone; without, nothing is sent and there is no way to ask", () =>
    logged(() =>
      Effect.gen(function*() {
        const declares = (client: Client) =>
          Effect.map(
            revision.era === "stateless"
              ? client.result("server/discover")
              : client.result("initialize", hello(revision.name)),
            (result) => result.capabilities as JsonRpc.Params
          )
        const open = (server: McpServer.McpServer["Service"]) =>
          revision.era === "stateless" ? speak(server, revision.name) : connect(server)
        assert.deepStrictEqual((yield* declares(yield* open(yield* serve(says(quiet))))).logging, {})
        const server = yield* serve(McpServer.tool(Say, () => Effect.logError("x")))
        assert.notProperty(yield* declares(yield* open(server)), "logging")
        const client = yield* speak(server, revision.name)
        assert.strictEqual(
          (yield* client.error("logging/setLevel", { level: "debug" })).code,
          JsonRpc.METHOD_NOT_FOUND
        )
        yield* client.call("say", undefined, { [Meta.LOG_LEVEL]: "debug" })
        assert.deepStrictEqual([...client.tied, ...client.heard], [])
      })
    ))

  it.effect("MUST NOT mix what calls at the same time log, nor their annotations", () =>
    logged(() =>
      Effect.gen(function*() {
        const gate = yield* Deferred.make<void>()
        const tools = Layer.merge(
          McpServer.tool(Count, ({ name }) =>
            Effect.logInfo("one").pipe(
              Effect.andThen(Deferred.await(gate)),
              Effect.andThen(Effect.logInfo("two")),
              Effect.annotateLogs("name", name)
            )),
          McpServer.logging()
        )
        const server = yield* serve(tools)
        const names = ["ada", "bob", "eve"]
        const clients = yield* Effect.forEach(names, () => speak(server, revision.name))
        const calls = yield* Effect.forEach(clients, (client, index) =>
          Effect.gen(function*() {
            const level = index === 2 ? "error" : "info"
            const asked = yield* want(client, revision, level)
            return yield* Effect.forkChild(client.call("count", { name: names[index] }, asked))
          }))
        yield* settle
        yield* Deferred.succeed(gate, undefined)
        yield* Effect.forEach(calls, Fiber.join)
        const of = (name: string) =>
          ["one", "two"].map((message) => ({ level: "info", data: { message, annotations: { name } } }))
        assert.deepStrictEqual(clients.map(heardBy), [of("ada"), of("bob"), []])
      })
    ))

  it.effect("MUST send what middleware logs, and nothing that the library says of the request itself", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const middleware = Middleware.make("noisy", (_, next) =>
          Effect.logInfo("before").pipe(
            Effect.andThen(next()),
            Effect.tap(Effect.logInfo("after")),
            Effect.tap(Logging.log({ level: "notice", data: "noticed" }))
          ))
        const tools = says(Effect.andThen(Effect.logInfo("inside"), Effect.die(new Error("secret"))))
        const server = yield* serve(tools, { middleware: [middleware, Middleware.make("quiet", (_, next) => next())] })
        const client = yield* speak(server, revision.name)
        const asked = yield* want(client, revision, "debug")
        client.tied.length = 0
        yield* client.call("say", undefined, asked)
        assert.deepStrictEqual(
          heardBy(client),
          [
            { level: "info", data: "before" },
            { level: "info", data: "inside" },
            { level: "info", data: "after" },
            { level: "notice", data: "noticed" }
          ]
        )
        assert.include(lines.join("\n"), "secret")
        assert.lengthOf(lines.filter((line) => line.startsWith("Info inside")), 1)
      })
    ))
})

describe("logging/setLevel", () => {
  const stateful = Revisions.ofEra(Revisions.all, "stateful")

  it.effect.each(stateful)("MUST be for one session only: $name", ({ name }) =>
    logged(() =>
      Effect.gen(function*() {
        const server = yield* serve(says(Effect.all([Effect.logDebug("d"), Effect.logError("e")])))
        const [one, two, three] = [
          yield* speak(server, name),
          yield* speak(server, name),
          yield* speak(server, name)
        ]
        assert.deepStrictEqual(yield* one.result("logging/setLevel", { level: "debug" }), {})
        yield* two.result("logging/setLevel", { level: "emergency" })
        for (const client of [one, two, three]) yield* client.call("say")
        const error = { level: "error", data: "e" }
        assert.deepStrictEqual(heardBy(one), [{ level: "debug", data: "d" }, error])
        assert.deepStrictEqual(heardBy(two), [])
        assert.deepStrictEqual(heardBy(three), [error])
      })
    ))

  it.effect("MUST start at the level that the layer says, which may be nothing", () =>
    logged(() =>
      Effect.gen(function*() {
        const tool = McpServer.tool(Say, () => Effect.logWarning("w"))
        const at = (level: Levels.Level | undefined) =>
          Effect.gen(function*() {
            const client = yield* speak(yield* serve(Layer.merge(tool, McpServer.logging({ level }))), "2025-11-25")
            yield* client.call("say")
            yield* client.result("logging/setLevel", { level: "debug" })
            yield* client.call("say")
            return heardBy(client).length
          })
        assert.strictEqual(yield* at(undefined), 1)
        assert.strictEqual(yield* at("error"), 1)
        assert.strictEqual(yield* at("warning"), 2)
      })
    ))

  it.effect("MUST NOT exist in 2026-07-28, where a request that does not ask hears nothing", () =>
    logged(() =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(says(Effect.logFatal("x"))), "2026-07-28")
        const error = yield* client.error("logging/setLevel", { level: "debug" })
        assert.strictEqual(error.code, JsonRpc.METHOD_NOT_FOUND)
        yield* client.call("say")
        yield* client.call("say", undefined, { [Meta.LOG_LEVEL]: "debug" })
        yield* client.call("say")
        assert.lengthOf(client.tied, 1)
        assert.deepStrictEqual(client.heard, [])
      })
    ))
})

describe("the data of a message", () => {
  const data = (effect: Effect.Effect<unknown, unknown>) =>
    logged(() =>
      Effect.map(hears(effect, "debug", newest), (heard) => heard.map((message) => (message as Levels.Message).data))
    )

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
      const values = [
        circular,
        1n,
        Symbol("s"),
        () => 1,
        Number.NaN,
        getter,
        toJSON,
        revoked.proxy,
        deep,
        new Map([[1, 2]])
      ]
      const logs = Effect.forEach(values, (value) => Effect.logInfo(value))
      const direct = Effect.forEach(values, (data) => Logging.log({ level: "info", data }))
      const [first, second, ...rest] = yield* data(logs)
      assert.deepStrictEqual([first, second], [{ a: 1 }, "1n"])
      assert.lengthOf(rest, values.length - 2)
      assert.notInclude(JSON.stringify(rest), "secret")
      assert.lengthOf(yield* data(direct), values.length)
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
        assert.deepStrictEqual(yield* Effect.map(hears(logs, "debug", newest), (heard) => heard), [
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
          const tools = McpServer.tool(Say, () => noisy)
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
        assert.lengthOf(lines, 10_000)
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
  it.effect("MUST NOT reach it: the warning that states are sealed with a random key", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const seal = Effect.flatMap(RequestState, ({ seal }) =>
          seal({}, { principal: undefined, method: "tools/call", params: {} }))
        assert.deepStrictEqual(yield* hears(seal, "debug", newest), [])
        assert.include(lines.join("\n"), "No key for requestState is set")
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

describe("Logging.log", () => {
  it.effect("MUST do nothing outside of a request", () => Logging.log({ level: "alert", data: "x" }))
})
