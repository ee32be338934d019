/** What a handler finds around itself: the services of its layer, and what belongs to its request. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { meta, recorder, serve, speak, texts } from "./client.ts"
import { logged } from "./log.ts"

class Greeting extends Context.Service<Greeting, { readonly greet: (name: string) => string }>()("test/Greeting") {}

const Caller = Context.Reference<string>("test/Caller", { defaultValue: () => "nobody" })
const Setting = Context.Reference<string>("test/Setting", { defaultValue: () => "default" })

const Greet = Tool.make("greet", { input: { name: Schema.String } })
const Who = Tool.make("who", {})

describe("a handler", () => {
  it.effect("MUST have the services that its layer was provided with, as an effect and as a stream", () =>
    Effect.gen(function*() {
      const asEffect = McpServer.tool(Greet, ({ name }) => Effect.map(Greeting, ({ greet }) => greet(name)))
      const asStream = McpServer.tool(
        Tool.make("stream", {}),
        () => Stream.fromEffect(Effect.map(Greeting, ({ greet }) => Tool.part(greet("Bob"))))
      )
      const tools = Layer.merge(asEffect, asStream).pipe(
        Layer.provide(Layer.succeed(Greeting, { greet: (name) => `Hello, ${name}` }))
      )
      const client = yield* speak(yield* serve(tools), "2025-11-25")
      assert.deepStrictEqual(texts(yield* client.call("greet", { name: "Ada" })), ["Hello, Ada"])
      assert.deepStrictEqual(texts(yield* client.call("stream")), ["Hello, Bob"])
    }))

  it.effect("MUST see the references of the fiber that brings the request, each request its own", () =>
    Effect.gen(function*() {
      const tools = McpServer.tool(
        Who,
        () => Effect.zipWith(Caller, Setting, (caller, setting) => `${caller} ${setting}`)
      )
      const server = yield* serve(tools.pipe(Layer.provide(Layer.succeed(Setting, "of the layer"))))
      const client = yield* speak(server, "2026-07-28")
      const as = (caller: string) => Effect.provideService(client.call("who"), Caller, caller)
      assert.deepStrictEqual(texts(yield* client.call("who")), ["nobody of the layer"])
      assert.deepStrictEqual(texts(yield* as("ada")), ["ada of the layer"])
      assert.deepStrictEqual(texts(yield* as("bob")), ["bob of the layer"])
      const both = yield* Effect.all([as("one"), as("two")], { concurrency: 2 })
      assert.deepStrictEqual(both.map(texts), [["one of the layer"], ["two of the layer"]])
    }))

  it.effect("MUST NOT run in the span that its layer was built in, but in that of the request", () =>
    Effect.gen(function*() {
      const span = Effect.match(Effect.currentSpan, { onFailure: () => "none", onSuccess: ({ name }) => name })
      const built = yield* Effect.withSpan(serve(McpServer.tool(Who, () => span)), "building the layer")
      const client = yield* speak(built, "2026-07-28")
      assert.deepStrictEqual(texts(yield* client.call("who")), ["none"])
      assert.deepStrictEqual(texts(yield* Effect.withSpan(client.call("who"), "the request")), ["the request"])
    }))

  const Scoped = Tool.make("scoped", { input: { how: Schema.Literals(["succeed", "fail", "die", "stream"]) } })

  const scoped = (events: Array<string>) =>
    McpServer.tool(Scoped, ({ how }) => {
      const acquire = Effect.acquireRelease(
        Effect.sync(() => events.push("acquired")),
        (_, exit) => Effect.sync(() => events.push(`released on ${exit._tag}`))
      )
      const used = Effect.andThen(acquire, Effect.sync(() => void events.push("used")))
      switch (how) {
        case "stream":
          return Stream.concat(Stream.fromEffect(Effect.as(used, Tool.part("a"))), Stream.succeed(Tool.part("b")))
        case "succeed":
          return used
        case "fail":
          return Effect.andThen(used, Effect.fail("no"))
        case "die":
          return Effect.andThen(used, Effect.die("no"))
      }
    })

  it.effect.each([
    { how: "succeed", exit: "Success" },
    { how: "fail", exit: "Failure" },
    { how: "die", exit: "Failure" },
    { how: "stream", exit: "Success" }
  ])(
    "MUST have a scope of its own, which is closed when the call has its result: $how",
    ({ exit, how }) =>
      logged(() =>
        Effect.gen(function*() {
          const events: Array<string> = []
          const client = yield* speak(yield* serve(scoped(events)), "2025-11-25")
          const once = ["acquired", "used", `released on ${exit}`]
          yield* client.call("scoped", { how })
          assert.deepStrictEqual(events, once)
          yield* client.call("scoped", { how })
          assert.deepStrictEqual(events, [...once, ...once])
        })
      )
  )

  it.effect("MUST end with all that it has started when its request is interrupted", () =>
    Effect.gen(function*() {
      const events: Array<string> = []
      const started = yield* Deferred.make<void>()
      const until = (what: string) => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void events.push(what)))
      const tools = McpServer.tool(Who, () =>
        Effect.gen(function*() {
          yield* Effect.addFinalizer((exit) => Effect.sync(() => events.push(`scope on ${exit._tag}`)))
          yield* Effect.forkChild(until("child"), { startImmediately: true })
          yield* Effect.forkScoped(until("scoped"), { startImmediately: true })
          yield* Deferred.succeed(started, undefined)
          return yield* until("handler")
        }))
      const client = yield* speak(yield* serve(tools), "2026-07-28")
      const call = yield* Effect.forkChild(client.call("who"))
      yield* Deferred.await(started)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(call)
      assert.sameMembers(events, ["handler", "child", "scoped", "scope on Failure"])
    }))

  it.effect("MUST go on when the connection that added other tools is gone", () =>
    Effect.gen(function*() {
      const server = yield* serve(McpServer.tool(Who, () => Effect.succeed("me")))
      const first = yield* Effect.scoped(Effect.flatMap(speak(server, "2026-07-28"), (client) => client.call("who")))
      const second = yield* (yield* speak(server, "2026-07-28")).call("who")
      assert.deepStrictEqual(first, second)
    }))

  it.effect("that is done at once MUST be answered without a turn of the scheduler", () =>
    Effect.gen(function*() {
      const tools = Layer.merge(
        McpServer.tool(Who, () => Effect.succeed("me")),
        McpServer.tool(Greet, ({ name }) => Effect.map(Effect.void, () => name))
      )
      const client = yield* speak(yield* serve(tools), "2026-07-28")
      for (const name of ["who", "greet"]) {
        const params = { name, arguments: { name: "x" }, _meta: meta() }
        const exit = Effect.runSyncExit(
          client.connection.request(JsonRpc.request(1, "tools/call", params), recorder([]))
        )
        assert.isTrue(Exit.isSuccess(exit))
      }
    }))
})
