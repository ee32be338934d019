/** Forms and answers at the edges of what JSON, a URL or a reader can take. */
import { assert, describe, it } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const { wire } = Revisions.get("2026-07-28")!

describe("a number", () => {
  const form = Elicitation.form({
    message: "m",
    fields: {
      any: Schema.optionalKey(Schema.Number),
      finite: Schema.optionalKey(Schema.Finite),
      whole: Schema.optional(Schema.Int),
      text: Schema.optionalKey(Schema.NumberFromString)
    }
  })

  it.effect.each(["any", "finite", "whole"])(
    "MUST NOT be a text, of no number that JSON lacks either: %s",
    (name) =>
      Effect.gen(function*() {
        for (const value of ["NaN", "Infinity", "-Infinity", "1", ""]) {
          const sentence = yield* Effect.flip(
            Elicitation.answer(form, { action: "accept", content: { [name]: value } })
          )
          assert.include(sentence, `Expected a number\n  at ["${name}"]`)
        }
      })
  )

  it.effect("MUST be finite, as one that JSON cannot hold would be another in the next round", () =>
    Effect.gen(function*() {
      const content: unknown = JSON.parse("{\"any\":1e999}")
      assert.include(yield* Effect.flip(Elicitation.answer(form, { action: "accept", content })), "\"any\"")
    }))

  it.effect("that is written as a text MUST be taken as one", () =>
    Effect.gen(function*() {
      const answer = yield* Elicitation.answer(form, { action: "accept", content: { text: "1", any: 1.5 } })
      assert.deepStrictEqual(answer, Elicitation.accept({ text: 1, any: 1.5 }))
    }))

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("MUST NOT have a default that no number can be: %d", (value) => {
    const fields = { n: Schema.Number.annotate({ default: value }) }
    assert.throws(
      () => Elicitation.form({ message: "m", fields }),
      TypeError,
      /default of the field "n".* must be finite/
    )
  })
})

describe("a field", () => {
  it.effect.each(["__proto__", "constructor", "toString", ""])(
    "MAY have any name: %j",
    (name) =>
      Effect.gen(function*() {
        const form = Elicitation.form({ message: "m", fields: Object.fromEntries([[name, Schema.String]]) })
        const { requestedSchema } = JSON.parse(JSON.stringify(Result.getOrThrow(Elicitation.toWire(form, wire))))
        assert.deepStrictEqual(Object.entries(requestedSchema.properties), [[name, { type: "string" }]])
        assert.deepStrictEqual(requestedSchema.required, [name])
        const content = Object.fromEntries([[name, "a"]])
        const answer = yield* Elicitation.answer(form, { action: "accept", content })
        assert(answer._tag === "Accept")
        assert.deepStrictEqual(Object.entries(answer.content), [[name, "a"]])
        yield* Effect.flip(Elicitation.answer(form, { action: "accept", content: {} }))
      })
  )
})

describe("what is wrong with an answer", () => {
  const form = Elicitation.form({
    message: "m",
    fields: { many: Schema.Array(Schema.Literals(["a", "b"])), one: Schema.Literals(["a", "b"]) }
  })
  const wrong = (result: unknown) => Effect.flip(Elicitation.answer(form, result))

  it.effect("MUST be told in a few lines, however much of it is wrong", () =>
    Effect.gen(function*() {
      const long = "x".repeat(1_000_000)
      let deep: unknown = {}
      for (let depth = 0; depth < 100_000; depth++) deep = { deep }
      const many = Array.from({ length: 100_000 }, () => 0)
      const all = [
        ...[many, long, deep].map((one) => ({ action: "accept", content: { many: [], one } })),
        { action: "accept", content: { many, one: many } },
        { action: "accept", content: deep },
        { action: "accept", content: long },
        ...[long, deep, many].map((action) => ({ action, content: {} }))
      ]
      for (const result of all) assert.isBelow((yield* wrong(result)).length, 10_000)
    }))

  it.effect("MUST name an action that could be a slip of the pen", () =>
    Effect.gen(function*() {
      assert.match(yield* wrong({ action: "accepted" }), /and is "accepted"$/)
      assert.match(yield* wrong({}), /and is missing$/)
      assert.match(yield* wrong({ action: null }), /and is no text$/)
    }))
})

describe("a URL", () => {
  it.each(["https://", "https://[", "http://%", "https://a:99999/", "https://a b/", "/a", "a"])(
    "MUST be one: %j",
    (url) => {
      assert.throws(() => Elicitation.url({ message: "m", url }), TypeError, /must be a URL with its scheme/)
    }
  )

  it.each(["https://example.com/a?b=c#d", "http://localhost:3000", "myapp:open/it", "https://münchen.de/"])(
    "MAY be any: %j",
    (url) => {
      assert.strictEqual(Elicitation.url({ message: "m", url }).url, url)
    }
  )
})
