/** What is logged while a request is handled, and who gets to hear of it. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Levels from "@mcp-effect/protocol/Logging"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Logging from "@mcp-effect/server/Logging"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Middleware from "@mcp-effect/server/Middleware"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Client, connect, hello, serve, speak } from "./client.ts"
import { heardBy, hears, Say, says, settle, want } from "./hearing.ts"
import { logged } from "./log.ts"

const Count = Tool.make("count", { input: { name: Schema.String } })

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

  it.effect("MUST send what the handlers of other features log, too", () =>
    logged(() =>
      Effect.gen(function*() {
        const say = Effect.as(Effect.logInfo("inside"), "text")
        const features = Layer.mergeAll(
          McpServer.resource(Resource.make({ name: "x", uri: "test://x" }), () => say),
          McpServer.prompt(Prompt.make("x"), () => say),
          McpServer.method("com.example/x", {}, () => Effect.as(say, {})),
          McpServer.logging()
        )
        const client = yield* speak(yield* serve(features), revision.name)
        const _meta = yield* want(client, revision, "info")
        yield* client.result("resources/read", { uri: "test://x", _meta })
        yield* client.result("prompts/get", { name: "x", _meta })
        yield* client.result("com.example/x", { _meta })
        assert.deepStrictEqual(heardBy(client), ["inside", "inside", "inside"].map((data) => ({ level: "info", data })))
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

describe("Logging.log", () => {
  it.effect("MUST do nothing outside of a request", () => Logging.log({ level: "alert", data: "x" }))
})
