/** Rounds: how a call of revision 2026-07-28 ends with its questions, and what the handler finds when it runs again. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { Principal } from "@mcp-effect/protocol/Principal"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { again, Ask, ask, asked, capabilities, first, rounds, said, served } from "./asking.ts"
import { serve, speak, streaming, texts } from "./client.ts"

describe("a round", () => {
  it.effect("MUST hold the questions that are asked at the same time, and one each of those that are not", () =>
    Effect.gen(function*() {
      const both = yield* served(() =>
        Effect.map(Effect.all([ask("a"), ask("b")], { concurrency: 2 }), (answers) => answers.join(" "))
      )
      const round = asked(yield* first(both))
      assert.deepStrictEqual(round.messages, ["a", "b"])
      const result = yield* again(both, round, { [round.keys[0] ?? ""]: said("1"), [round.keys[1] ?? ""]: said("2") })
      assert.deepStrictEqual(texts(result), ["1 2"])

      const each = yield* served(() => Effect.map(Effect.all([ask("a"), ask("b")]), (answers) => answers.join(" ")))
      const one = asked(yield* first(each))
      assert.deepStrictEqual(one.messages, ["a"])
      const two = asked(yield* again(each, one, { "elicitation-1": said("1") }))
      assert.deepStrictEqual([two.keys, two.messages], [["elicitation-2"], ["b"]])
      assert.notStrictEqual(two.state, one.state)
      assert.deepStrictEqual(texts(yield* again(each, two, { "elicitation-2": said("2") })), ["1 2"])
    }))

  it.effect("MUST hold what is asked on the answers of the round before, however long it takes to compare them", () =>
    Effect.gen(function*() {
      const pair = (length: number, b: string) => Effect.andThen(ask("x".repeat(length)), ask(b))
      const client = yield* served(() =>
        Effect.map(Effect.all([pair(1, "a"), pair(1_000_000, "b"), pair(2, "c")], { concurrency: 3 }), String)
      )
      for (let i = 0; i < 5; i++) {
        const [keys] = yield* rounds(client)
        assert.deepStrictEqual(keys.map(({ length }) => length), [3, 3])
      }
    }))

  it.effect("MUST ask again what was not answered, and keep what was", () =>
    Effect.gen(function*() {
      const client = yield* served(() =>
        Effect.map(
          Effect.all([ask("a", { key: "a" }), ask("b", { key: "b" })], { concurrency: 2 }),
          (answers) => answers.join(" ")
        )
      )
      const one = asked(yield* first(client))
      const two = asked(yield* again(client, one, { b: said("2"), unheard: said("of") }))
      assert.deepStrictEqual(two.keys, ["a"])
      assert.deepStrictEqual(texts(yield* again(client, two, { a: said("1") })), ["1 2"])
    }))

  it.effect("MUST ask again if the question has changed under its key", () =>
    Effect.gen(function*() {
      let price = 10
      const client = yield* served(() => Effect.suspend(() => ask(`Pay ${price}?`, { key: "pay" })))
      const one = asked(yield* first(client))
      price = 9000
      const two = asked(yield* again(client, one, { pay: said("yes") }))
      assert.deepStrictEqual(two.messages, ["Pay 9000?"])
      assert.deepStrictEqual(texts(yield* again(client, two, { pay: said("no") })), ["no"])
    }))

  it.effect("MUST take a question that is asked again under its key for another one", () =>
    Effect.gen(function*() {
      const client = yield* served(() =>
        Effect.gen(function*() {
          let tries = 0
          while ((yield* ask("age", { key: "age" })) !== "42") tries++
          return `${tries}`
        })
      )
      const one = asked(yield* first(client))
      const two = asked(yield* again(client, one, { age: said("young") }))
      assert.deepStrictEqual(two.keys, ["age-2"])
      assert.deepStrictEqual(texts(yield* again(client, two, { "age-2": said("42") })), ["1"])
    }))

  it.effect("MUST be what is replied, whatever the handler makes of its interruption", () =>
    Effect.gen(function*() {
      let finalized = 0
      const handlers: ReadonlyArray<() => Effect.Effect<string, unknown>> = [
        () => Effect.catchCause(ask("a"), () => Effect.succeed("caught")),
        () => Effect.uninterruptible(ask("a")),
        () => Effect.uninterruptible(Effect.catchCause(ask("a"), () => Effect.succeed("caught"))),
        () => Effect.onExit(ask("a"), () => Effect.die("in a finalizer")),
        () => Effect.ensuring(ask("a"), Effect.sync(() => finalized++)),
        () => Effect.flatMap(Effect.exit(ask("a")), () => Effect.fail("failed")),
        () => Effect.raceFirst(ask("a"), Effect.never),
        () => Effect.flatMap(Effect.forkChild(ask("a")), Fiber.join),
        () => Effect.timeout(ask("a"), "1 minute")
      ]
      for (const handler of handlers) {
        const client = yield* served(handler)
        const round = asked(yield* first(client))
        assert.deepStrictEqual(round.messages, ["a"])
      }
      assert.strictEqual(finalized, 1)
    }))

  it.effect("MUST NOT hold a question that nobody waits for any more", () =>
    Effect.gen(function*() {
      const client = yield* served(() => Effect.raceFirst(ask("a"), Effect.succeed("sooner")))
      assert.deepStrictEqual(texts(yield* first(client)), ["sooner"])
    }))

  it.effect("MUST take answers without a state for keys that the handler gave, and for no others", () =>
    Effect.gen(function*() {
      const given = yield* served(() => ask("a", { key: "mine" }))
      const known = { name: "ask", inputResponses: { mine: said("1"), other: said("2") } }
      assert.deepStrictEqual(texts(yield* given.result("tools/call", known)), ["1"])
      const counted = yield* served(() => ask("a"))
      asked(yield* counted.result("tools/call", { name: "ask", inputResponses: { "elicitation-1": said("1") } }))
    }))

  it.effect("MUST refuse responses that are none", () =>
    Effect.gen(function*() {
      const client = yield* served(() => ask("a", { key: "mine" }))
      const { state } = asked(yield* first(client))
      for (const inputResponses of [null, 7, "mine", { mine: 12345 }, { mine: null }]) {
        for (const more of [{}, { requestState: state }]) {
          const error = yield* client.error("tools/call", { name: "ask", arguments: {}, inputResponses, ...more })
          assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
          assert.include(error.message, "inputResponses")
        }
      }
    }))

  it.effect("MUST NOT outlive its request", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const client = yield* served(() =>
        Effect.onInterrupt(
          Effect.andThen(Deferred.succeed(started, undefined), Effect.never),
          () => Deferred.succeed(ended, undefined)
        )
      )
      const call = yield* Effect.forkChild(client.call("ask"))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(call)
      yield* Deferred.await(ended)
    }))
})

describe("requestState", () => {
  it.effect("MUST be refused if it was changed, has expired, or is for another request or principal", () =>
    Effect.gen(function*() {
      const client = yield* served(() => ask("a"))
      const round = asked(yield* first(client))
      const refused = (params: JsonRpc.Params) =>
        Effect.map(
          client.error("tools/call", {
            name: "ask",
            arguments: {},
            requestState: round.state,
            inputResponses: { "elicitation-1": said("1") },
            ...params
          }),
          ({ code, message }) => {
            assert.strictEqual(code, JsonRpc.INVALID_PARAMS)
            assert.include(message, "requestState")
          }
        )
      yield* refused({ requestState: `${round.state}-TAMPERED` })
      yield* refused({ requestState: 7 })
      yield* refused({ arguments: { what: "else" } })
      yield* refused({}).pipe(
        Effect.provideService(Principal, { subject: "mallory", scopes: [], claims: {} })
      )
      yield* TestClock.adjust("2 hours")
      yield* refused({})
    }))

  it.effect("MUST hold for the principal that it was made for", () =>
    Effect.gen(function*() {
      const client = yield* served(() => ask("a"))
      const asAda = Effect.provideService(Principal, { subject: "ada", scopes: [], claims: {} })
      const round = asked(yield* asAda(first(client)))
      assert.deepStrictEqual(texts(yield* asAda(again(client, round, { "elicitation-1": said("1") }))), ["1"])
    }))
})

describe("once", () => {
  it.effect("MUST run an effect in one round only, and yield what it did", () =>
    Effect.gen(function*() {
      let booked = 0
      let looked = 0
      const when = new Date(0)
      const client = yield* served(() =>
        Effect.gen(function*() {
          looked++
          const id = yield* ClientInput.once("book", Effect.sync(() => ++booked))
          const date = yield* ClientInput.once("date", Effect.succeed(when), Schema.Date)
          const nothing = yield* ClientInput.once("nothing", Effect.void)
          assert.isUndefined(nothing)
          const answer = yield* ask(`Keep booking ${id}?`)
          return `${id} ${date.getTime()} ${answer}`
        })
      )
      const round = asked(yield* first(client))
      const result = yield* again(client, round, { "elicitation-1": said("yes") })
      assert.deepStrictEqual(texts(result), ["1 0 yes"])
      assert.deepStrictEqual([booked, looked], [1, 2])
    }))

  it.effect("MUST NOT be cut off by the end of its round", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      let done = 0
      const slow = ClientInput.once("slow", Effect.andThen(Deferred.await(gate), Effect.sync(() => ++done)))
      const client = yield* served(() =>
        Effect.map(Effect.all([slow, ask("a")], { concurrency: 2 }), ([n, answer]) => `${n} ${answer}`)
      )
      const call = yield* Effect.forkChild(first(client))
      for (let turn = 0; turn < 5; turn++) yield* Effect.yieldNow
      assert.isUndefined(call.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      const round = asked(yield* Fiber.join(call))
      assert.deepStrictEqual(texts(yield* again(client, round, { "elicitation-1": said("1") })), ["1 1"])
      assert.strictEqual(done, 1)
    }))

  it.effect("MUST NOT ask, nor keep what is no JSON: both are defects", () =>
    Effect.gen(function*() {
      for (
        const handler of [
          () => ClientInput.once("asks", ask("a")),
          () => ClientInput.once("date", Effect.succeed(new Date(0) as unknown as string))
        ]
      ) {
        const client = yield* served(handler)
        assert.strictEqual((yield* first(client)).isError, true)
      }
    }))
})

describe("parts", () => {
  it.effect("MUST NOT be sent twice", () =>
    Effect.gen(function*() {
      const server = yield* serve(McpServer.tool(Ask, () =>
        Stream.fromArray([Tool.part("one"), Tool.part("two")]).pipe(
          Stream.concat(Stream.fromEffect(Effect.map(ask("a"), Tool.part))),
          Stream.concat(Stream.succeed(Tool.part("last")))
        )))
      const client = yield* speak(server, "2026-07-28", { ...capabilities, ...streaming("2026-07-28") })
      const sent = () => client.tied.splice(0).map(({ params }) => params?.index)
      const round = asked(yield* client.call("ask", {}, { progressToken: 1 }))
      assert.deepStrictEqual(sent(), [0, 1])
      const result = yield* client.result("tools/call", {
        name: "ask",
        arguments: {},
        requestState: round.state,
        inputResponses: { "elicitation-1": said("answer") },
        _meta: { progressToken: 2 }
      })
      assert.deepStrictEqual(sent(), [2, 3])
      assert.deepStrictEqual(texts(result), ["one", "two", "answer", "last"])
    }))
})
