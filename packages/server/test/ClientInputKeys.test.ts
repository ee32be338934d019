/** The names of questions: each is another, whatever a handler calls them, and answers go to the one that was asked. */
import { assert, describe, it } from "@effect/vitest"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { again, ask, asked, first, rounds, said, served } from "./asking.ts"
import { texts } from "./client.ts"
import { logged } from "./log.ts"

const joined = <E>(asks: ReadonlyArray<Effect.Effect<string, E>>, concurrency: number) =>
  Effect.map(Effect.all(asks, { concurrency }), (answers) => answers.join(" "))

describe("a key", () => {
  it.effect.each(["", "__proto__", "constructor", "toString", "0", "a b", "\u{1f600}", "x".repeat(1000)])(
    "MUST be any text: %j",
    (key) =>
      Effect.gen(function*() {
        const client = yield* served(() => ask("a", { key }))
        assert.deepStrictEqual(yield* rounds(client), [[[key]], [key]])
        const early = yield* client.result("tools/call", {
          name: "ask",
          inputResponses: Object.fromEntries([[key, said("early")]])
        })
        assert.deepStrictEqual(texts(early), ["early"])
      })
  )

  it.effect("MUST NOT be given to two questions, in one round or in several", () =>
    Effect.gen(function*() {
      const clashes: ReadonlyArray<ReadonlyArray<ClientInput.Options>> = [
        [{ key: "a" }, { key: "a" }, { key: "a-2" }],
        [{ key: "a-2" }, { key: "a" }, { key: "a" }],
        [{ key: "elicitation-1" }, {}, {}],
        [{}, { key: "elicitation-2" }, {}],
        [{ key: "elicitation/create" }, {}, { key: "elicitation" }]
      ]
      for (const clash of clashes) {
        const asks = clash.map((options, i) => ask(`${i}`, options))
        const [[together], answers] = yield* rounds(yield* served(() => joined(asks, clash.length)))
        assert.strictEqual(new Set(together).size, clash.length)
        assert.deepStrictEqual(answers, [together?.join(" ")])
        const [each, same] = yield* rounds(yield* served(() => joined(asks, 1)))
        assert.deepStrictEqual([each.flat(), same], [together ?? [], answers])
      }
    }))

  it.effect("that clashes MUST NOT keep a round open where nothing can be interrupted", () =>
    Effect.gen(function*() {
      const asks = [ask("x", { key: "a" }), ask("y", { key: "a" }), ask("z", { key: "a-2" })]
      const client = yield* served(() => Effect.uninterruptible(joined(asks, 3)))
      assert.strictEqual(asked(yield* first(client)).keys.length, 3)
    }))

  it.effect("that was made by counting MUST NOT be answered without a state", () =>
    Effect.gen(function*() {
      const client = yield* served(() => joined([ask("a", { key: "k" }), ask("b", { key: "k" })], 1))
      const inputResponses = { k: said("1"), "k-2": said("2") }
      assert.deepStrictEqual(asked(yield* client.result("tools/call", { name: "ask", inputResponses })).keys, ["k-2"])
    }))

  it.effect("MUST name a question for the roots too", () =>
    Effect.gen(function*() {
      const uris = (options?: ClientInput.Options) =>
        Effect.map(ClientInput.roots(options), (roots) => roots.map(({ uri }) => uri).join())
      const client = yield* served(() => joined([uris({ key: "mine" }), uris()], 2))
      const [keys, answers] = yield* rounds(client, (key) => ({ roots: [{ uri: `file:///${key}` }] }))
      assert.deepStrictEqual(keys, [["mine", "roots-1"]])
      assert.deepStrictEqual(answers, ["file:///mine file:///roots-1"])
      const early = { name: "ask", inputResponses: { mine: { roots: [] } } }
      assert.deepStrictEqual(asked(yield* client.result("tools/call", early)).keys, ["roots-1"])
    }))
})

describe("a question", () => {
  it.effect("that has changed MUST be told of in the log, as its answer is lost", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const expected = [
          [{ key: "moving" }, /^Warn The question "moving" has changed/],
          [{}, /^Warn 1 questions are answered, such as "elicitation-1", and were not asked again .* needs a key/]
        ] as const
        for (const [options, warning] of expected) {
          let n = 0
          const client = yield* served(() => Effect.suspend(() => ask(`${n++}`, options)))
          const round = asked(yield* first(client))
          const answers = Object.fromEntries(round.keys.map((key) => [key, said("secret")]))
          assert.deepStrictEqual(asked(yield* again(client, round, answers)).messages, ["1"])
          assert.isTrue(lines.some((line) => warning.test(line)), lines.join("\n"))
        }
        assert.notInclude(lines.join(), "secret")
      })
    ))

  it.effect("that stays the same MUST NOT be told of", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const client = yield* served(() =>
          joined([ask("a", { key: "a" }), ask("b"), ask("c", { key: "c" }), ask("d")], 1)
        )
        yield* rounds(client)
        assert.deepStrictEqual(lines.filter((line) => line.includes("question")), [])
      })
    ))

  it.effect("without a key MUST be known by what it asks, in whichever order questions come", () =>
    Effect.gen(function*() {
      let turn = 0
      const names = ["a", "b", "c", "a"]
      const client = yield* served(() => {
        // Another one is the first in every run.
        const first = turn++
        const slow = (i: number) => (i + first) % names.length
        const asks = names.map((name, i) =>
          Effect.andThen(Effect.repeat(Effect.yieldNow, { times: slow(i) * 5 }), ask(name))
        )
        return Effect.map(Effect.all(asks, { concurrency: "unbounded" }), (answers) => answers.join(" "))
      })
      const seen: Array<unknown> = []
      let result = yield* first(client)
      while (result.resultType === "input_required") {
        const round = asked(result)
        seen.push(...round.messages)
        const answers = round.keys.map((key, i) => [key, said(`${round.messages[i]}!`)])
        result = yield* again(client, round, Object.fromEntries(answers))
      }
      assert.deepStrictEqual(texts(result), ["a! b! c! a!"])
      assert.deepStrictEqual(seen.toSorted(), ["a", "a", "b", "c"])
    }))

  it.effect("without a key MUST NOT lose its answer when others of its round have none yet", () =>
    Effect.gen(function*() {
      const pair = (name: string) => Effect.andThen(ask(name), ask(`${name}${name}`))
      const client = yield* served(() =>
        Effect.map(
          Effect.all([pair("a"), pair("b"), pair("c")], { concurrency: 3 }),
          (answers) => answers.join(" ")
        )
      )
      const seen: Array<unknown> = []
      let result = yield* first(client)
      while (result.resultType === "input_required") {
        const round = asked(result)
        // All but the second, if there are several.
        const kept = round.keys.map((key, i) => ({ key, message: round.messages[i] }))
          .filter((_, i) => round.keys.length === 1 || i !== 1)
        seen.push(...kept.map(({ message }) => message))
        result = yield* again(
          client,
          round,
          Object.fromEntries(kept.map(({ key, message }) => [key, said(`${message}`)]))
        )
      }
      assert.deepStrictEqual(texts(result), ["aa bb cc"])
      assert.deepStrictEqual(seen.toSorted(), ["a", "aa", "b", "bb", "c", "cc"])
    }))

  it.effect("of a fiber that outlives its handler MUST end with it, and be no part of the reply", () =>
    Effect.gen(function*() {
      let left: Fiber.Fiber<unknown, unknown> | undefined
      const client = yield* served(() =>
        Effect.map(Effect.forkDetach(Effect.andThen(Effect.yieldNow, ask("late"))), (fiber) => {
          left = fiber
          return "done"
        })
      )
      assert.deepStrictEqual(texts(yield* first(client)), ["done"])
      assert(left !== undefined)
      assert.strictEqual((yield* Fiber.await(left))._tag, "Failure")
    }))
})
