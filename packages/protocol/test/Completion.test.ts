import { assert, describe, it } from "@effect/vitest"
import * as Completion from "@mcp-effect/protocol/Completion"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const many = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`)

const of = (given: Parameters<typeof Completion.result>[0]) => Completion.result(given).completion

describe("a result", () => {
  it("for all that there is MUST say how much that is", () => {
    assert.deepStrictEqual(of([]), { values: [], total: 0, hasMore: false })
    assert.deepStrictEqual(of(["a", "b"]), { values: ["a", "b"], total: 2, hasMore: false })
    assert.deepStrictEqual(of({ values: ["a"] }), { values: ["a"], total: 1, hasMore: false })
  })

  it("MUST hold the first 100 values of more, and say so", () => {
    assert.deepStrictEqual(of(many(100)), { values: many(100), total: 100, hasMore: false })
    assert.deepStrictEqual(of(many(101)), { values: many(100), total: 101, hasMore: true })
  })

  it("MUST keep what is known of the rest", () => {
    assert.deepStrictEqual(of({ values: ["a"], total: 10 }), { values: ["a"], total: 10, hasMore: true })
    assert.deepStrictEqual(of({ values: ["a"], total: 1, hasMore: true }), { values: ["a"], total: 1, hasMore: true })
  })

  it("MUST NOT make up a total where there is more and nobody counted", () => {
    assert.deepStrictEqual(of({ values: ["a"], hasMore: true }), { values: ["a"], hasMore: true })
    assert.deepStrictEqual(of({ values: many(200), hasMore: true }), { values: many(100), hasMore: true })
  })

  it.prop("MUST be one that the schema reads, and never say that all is there when it is not", [
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 250 })),
    Schema.UndefinedOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 }))),
    Schema.UndefinedOr(Schema.Boolean)
  ], ([count, total, hasMore]) => {
    const given = {
      values: many(count),
      ...(total === undefined ? {} : { total }),
      ...(hasMore === undefined ? {} : { hasMore })
    }
    const result = Completion.result(given)
    assert.deepStrictEqual(Schema.decodeUnknownSync(Completion.Result)(result), result)
    const { completion } = result
    assert.isAtMost(completion.values.length, Completion.MAX_VALUES)
    if (completion.total !== undefined) assert.isAtLeast(completion.total, count)
    if (completion.hasMore === false) assert.strictEqual(completion.values.length, completion.total)
  })
})

describe("parameters", () => {
  const read = Schema.decodeUnknownEffect(Completion.Params)
  const argument = { name: "language", value: "py" }

  it.effect("MUST be read for a prompt and for a resource, with and without context", () =>
    Effect.gen(function*() {
      for (const ref of [Completion.prompt("review"), Completion.resource("file:///{path}")]) {
        assert.deepStrictEqual(yield* read({ ref, argument }), { ref, argument })
        const context = { arguments: { framework: "flask" } }
        assert.deepStrictEqual(yield* read({ ref, argument, context }), { ref, argument, context })
      }
    }))

  it.effect("MUST NOT be read with a reference of another kind, or values that are no text", () =>
    Effect.gen(function*() {
      const ref = Completion.prompt("review")
      assert.match(String(yield* Effect.flip(read({ ref: { type: "ref/tool", name: "a" }, argument }))), /ref/)
      assert.match(String(yield* Effect.flip(read({ ref, argument: { name: "a", value: 1 } }))), /value/)
      assert.match(String(yield* Effect.flip(read({ ref, argument, context: { arguments: { a: 1 } } }))), /context/)
    }))

  it("a reference MUST be written as the specification has it", () => {
    assert.deepStrictEqual(Completion.prompt("a"), { type: "ref/prompt", name: "a" })
    assert.deepStrictEqual(Completion.resource("a:b"), { type: "ref/resource", uri: "a:b" })
  })
})
