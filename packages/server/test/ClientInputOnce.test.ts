/** What runs once: whoever runs it and when, and what it may not do, in both eras. */
import { assert, describe, it } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import { again, Ask, ask, asked, capabilities, first, rounds, said, served } from "./asking.ts"
import { hello, meta, serve, speak, texts } from "./client.ts"
import { logged } from "./log.ts"

const eras: ReadonlyArray<Revision.Name> = ["2025-11-25", "2026-07-28"]

// What is logged of a call that ends with a defect.
const defect = (revision: Revision.Name, handler: () => Effect.Effect<unknown, unknown>) =>
  logged((lines) =>
    Effect.gen(function*() {
      const server = yield* serve(McpServer.tool(Ask, () => Effect.as(handler(), "done")))
      const client = yield* speak(server, revision, capabilities)
      assert.strictEqual((yield* client.call("ask")).isError, true)
      return lines.filter((line) => line.startsWith("Error")).join()
    })
  )

describe.each(eras)("in %s", (revision) => {
  it.effect("a key that is used inside itself MUST be a defect, and not a wait for ever", () =>
    Effect.gen(function*() {
      const one = ClientInput.once("a", Effect.succeed(1))
      const inside = [
        ClientInput.once("a", one),
        ClientInput.once("a", ClientInput.once("b", one)),
        ClientInput.once("a", Effect.all([Effect.succeed(1), one], { concurrency: 2 }))
      ]
      for (const effect of inside) assert.match(yield* defect(revision, () => effect), /"a" waits for itself/)
    }))

  it.effect("keys that wait for each other MUST be a defect", () =>
    Effect.gen(function*() {
      const use = (key: string, other: string) =>
        ClientInput.once(key, Effect.andThen(Effect.yieldNow, ClientInput.once(other, Effect.succeed(1))))
      const circle = Effect.all([use("a", "b"), use("b", "c"), use("c", "a")], { concurrency: 3 })
      assert.match(yield* defect(revision, () => circle), /waits for itself/)
    }))

  it.effect("one key inside another MAY be used, also by several at the same time", () =>
    Effect.gen(function*() {
      let ran = 0
      const inner = ClientInput.once("inner", Effect.andThen(Effect.yieldNow, Effect.sync(() => ++ran)))
      const server = yield* serve(McpServer.tool(Ask, () =>
        Effect.map(
          Effect.all([ClientInput.once("a", inner), ClientInput.once("b", inner), inner], { concurrency: 3 }),
          String
        )))
      const client = yield* speak(server, revision, capabilities)
      assert.deepStrictEqual(texts(yield* client.call("ask")), ["1,1,1"])
    }))

  it.effect("a key that comes again with another effect MUST yield what it did, and the debug log say so once", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const one = ClientInput.once("one", Effect.succeed(1))
        const tools = McpServer.tool(Ask, () =>
          Effect.map(
            Effect.all([one, one, ...["a", "b", "c"].map((value) => ClientInput.once("k", Effect.succeed(value)))]),
            String
          ))
        const client = yield* speak(yield* serve(tools), revision, capabilities)
        assert.deepStrictEqual(texts(yield* client.call("ask")), ["1,1,a,a,a"])
        assert.strictEqual(lines.length, 1)
        for (const said of ["Debug", "ClientInput.once(\"k\")", "give each a key"]) assert.include(lines[0], said)
        yield* client.call("ask")
        assert.strictEqual(lines.length, 2)
      })
    ).pipe(Effect.provideService(References.MinimumLogLevel, "Debug")))

  it.effect("to ask MUST be a defect", () =>
    Effect.gen(function*() {
      const cause = yield* defect(revision, () => ClientInput.once("k", ask("a")))
      assert.include(cause, "what runs once may not ask")
    }))

  it.effect("what cannot be kept MUST be a defect that names the key, and not the value", () =>
    Effect.gen(function*() {
      for (const value of [Number.NaN, { secret: undefined }, { secret: 1n }, new Map([["secret", 1]])]) {
        const cause = yield* defect(revision, () => ClientInput.once("k", Effect.succeed(value)))
        assert.match(cause, /ClientInput\.once\("k"\): what is no JSON needs a schema/)
        assert.notInclude(cause, "secret")
      }
    }))

  it.effect("a failure MUST NOT be kept, for those who have waited either", () =>
    Effect.gen(function*() {
      let tries = 0
      const flaky = ClientInput.once(
        "flaky",
        Effect.andThen(Effect.yieldNow, Effect.suspend(() => ++tries < 3 ? Effect.fail("no") : Effect.succeed(tries)))
      )
      const server = yield* serve(McpServer.tool(Ask, () =>
        Effect.map(
          Effect.all([Effect.exit(flaky), Effect.exit(flaky), Effect.exit(flaky)], { concurrency: 3 }),
          (exits) => exits.map((exit) => Exit.isSuccess(exit) ? `${exit.value}` : "failed").join()
        )))
      const client = yield* speak(server, revision, capabilities)
      assert.deepStrictEqual(texts(yield* client.call("ask")), ["failed,failed,3"])
    }))

  it.effect("a call of another server that is handled in it MAY ask", () =>
    Effect.gen(function*() {
      const form = Elicitation.form({ message: "m", fields: {} })
      const other = yield* serve(McpServer.tool(Ask, () => Effect.as(ClientInput.elicit(form), "asked")))
      const peer = yield* other.connect({
        request: ({ id }) => Effect.succeed(JsonRpc.success(id, { action: "decline" })),
        notify: () => Effect.void
      })
      yield* peer.request(JsonRpc.request(0, "initialize", hello("2025-11-25", capabilities)), nobody)
      yield* peer.notify(JsonRpc.notification("notifications/initialized"))
      const called = Effect.map(
        peer.request(JsonRpc.request(1, "tools/call", { name: "ask" }), {
          ...nobody,
          request: ({ id }) => Effect.succeed(JsonRpc.success(id, { action: "decline" }))
        }),
        (response) => response._tag === "Success" ? JSON.stringify(response.result.content) : "failed"
      )
      const server = yield* serve(McpServer.tool(Ask, () => ClientInput.once("k", called)))
      const client = yield* speak(server, revision, capabilities)
      assert.include(String(texts(yield* client.call("ask"))), "asked")
    }))
})

const nobody = {
  request: ({ id }: JsonRpc.Request) =>
    Effect.succeed(JsonRpc.failure(id, { code: JsonRpc.METHOD_NOT_FOUND, message: "nobody" })),
  notify: () => Effect.void
}

describe("in rounds", () => {
  it.effect("any key MUST do", () =>
    Effect.gen(function*() {
      for (const key of ["__proto__", "constructor", ""]) {
        let ran = 0
        const client = yield* served(() =>
          Effect.flatMap(ClientInput.once(key, Effect.sync(() => ++ran)), (n) => ask(`${n}`, { key: "q" }))
        )
        assert.deepStrictEqual(yield* rounds(client), [[["q"]], ["q"]])
        assert.strictEqual(ran, 1)
      }
    }))

  it.effect("it MUST be waited for, in a fiber that outlives the handler too", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      let ran = 0
      const slow = ClientInput.once("slow", Effect.andThen(Deferred.await(gate), Effect.sync(() => ++ran)))
      // Begun after the round was ended, and before its reply.
      const client = yield* served(() =>
        Effect.onInterrupt(ask("a"), () => Effect.andThen(Effect.forkDetach(slow), Effect.yieldNow))
      )
      const call = yield* Effect.forkChild(first(client))
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
      assert.isUndefined(call.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      const round = asked(yield* Fiber.join(call))
      assert.deepStrictEqual(texts(yield* again(client, round, { "elicitation-1": said("1") })), ["1"])
      assert.strictEqual(ran, 1)
    }))

  it.effect("it MUST NOT begin after the reply, as it would run again", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      let ran = 0
      let left: Fiber.Fiber<unknown, unknown> | undefined
      const late = Effect.andThen(Deferred.await(gate), ClientInput.once("late", Effect.sync(() => ++ran)))
      const client = yield* served(() =>
        Effect.flatMap(Effect.forkDetach(late), (fiber) => {
          left = fiber
          return ask("a")
        })
      )
      asked(yield* first(client))
      yield* Deferred.succeed(gate, undefined)
      assert(left !== undefined)
      yield* Fiber.await(left)
      assert.strictEqual(ran, 0)
    }))

  it.effect("it MUST be kept if a finalizer of the round runs it", () =>
    Effect.gen(function*() {
      let ran = 0
      const client = yield* served(() =>
        Effect.onExit(ask("a"), () => ClientInput.once("last", Effect.sync(() => ++ran)))
      )
      yield* rounds(client)
      assert.strictEqual(ran, 1)
    }))

  it.effect("more than the state may hold MUST be an error that says so, and a line in the log", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const client = yield* served(() =>
          Effect.andThen(ClientInput.once("huge", Effect.succeed("x".repeat(300_000))), ask("a"))
        )
        const error = yield* client.error("tools/call", { name: "ask", _meta: meta(capabilities) })
        assert.strictEqual(error.code, JsonRpc.INTERNAL_ERROR)
        assert.match(error.message, /requestState is too long/)
        assert.isTrue(lines.some((line) => /^Warn The questions of tools\/call are not asked: .*too long/.test(line)))
      })
    ))
})
