import { assert, describe, it } from "@effect/vitest"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"

const decode = SchemaParser.decodeUnknownEffect(Schema.Record(Schema.String, Schema.Array(Schema.String)))

const problem = (input: unknown) => Effect.map(Effect.flip(decode(input, Problem.thoroughly(input))), Problem.describe)

describe("a problem", () => {
  it.effect("MUST be told with all others of a value that a person might have written", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* problem({ a: 1, b: [2] }),
        "Expected array\n  at [\"a\"]\nExpected string\n  at [\"b\"][0]"
      )
    }))

  it.effect("MUST be the first alone of a large value, whichever way it is large", () =>
    Effect.gen(function*() {
      const first = "Expected string\n  at [\"a\"][0]"
      const numbers = Array.from({ length: 1001 }, (_, index) => index)
      assert.strictEqual(yield* problem({ a: numbers }), first)
      const lists = Object.fromEntries(["a", ...numbers.map(String)].map((name) => [name, [0]]))
      assert.match(yield* problem(lists), /^Expected string\n {2}at \["\d+"\]\[0\]$/)
    }))

  it.effect("MUST NOT be longer than can be read", () =>
    Effect.gen(function*() {
      const text = yield* problem({ ["x".repeat(100_000)]: 1 })
      assert.isBelow(text.length, 5000)
      assert.match(text, /^Expected array\n {2}at \["x+\.\.\.$/)
    }))
})

describe("a text that is cut", () => {
  it.prop("MUST be no longer than told, be its beginning, and not end within a character", [
    Schema.String,
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))
  ], ([text, most]) => {
    const whole = text.replaceAll(/\p{Surrogate}/gu, "?")
    const cut = Problem.cut(whole, most)
    if (whole.length <= most) return assert.strictEqual(cut, whole)
    const kept = cut.slice(0, -3)
    assert.strictEqual(cut, `${kept}...`)
    assert.isAtMost(kept.length, most)
    assert.isTrue(whole.startsWith(kept))
    assert.notMatch(kept, /\p{Surrogate}/u)
  })

  it("MUST NOT end within a character", () => {
    assert.strictEqual(Problem.cut("a😀b", 2), "a...")
    assert.strictEqual(Problem.cut("a😀b", 3), "a😀...")
    assert.strictEqual(Problem.cut("a😀b", 4), "a😀b")
  })
})
