import { assert, describe, it } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const form = Elicitation.form({
  message: "Where to?",
  fields: {
    city: Schema.String.check(Schema.isPattern(/^[A-Z]/u, { expected: "a name in capitals" })),
    seats: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })).annotate({ default: 2 }),
    tags: Schema.UniqueArray(Schema.Literals(["window", "quiet"])).pipe(
      Schema.withDecodingDefaultKey(Effect.succeed(["quiet"] as const))
    ),
    until: Schema.optionalKey(Schema.DateTimeUtcFromString),
    email: Schema.optionalKey(Elicitation.email)
  }
})

const url = Elicitation.url({ message: "m", url: "https://example.com/" })

const accepted = (content: unknown) => Elicitation.answer(form, { action: "accept", content })

describe("an answer", () => {
  it.effect("MUST be a value, whatever the user does", () =>
    Effect.gen(function*() {
      for (const request of [form, url]) {
        assert.deepStrictEqual(yield* Elicitation.answer(request, { action: "decline" }), Elicitation.decline)
        assert.deepStrictEqual(
          yield* Elicitation.answer(request, { action: "cancel", content: {} }),
          Elicitation.cancel
        )
      }
    }))

  it.effect("that accepts MUST have the decoded content, with defaults where keys are missing", () =>
    Effect.gen(function*() {
      const answer = yield* accepted({ city: "Oslo", until: "2026-07-28T12:00:00Z", more: 1 })
      assert(answer._tag === "Accept")
      const { until, ...rest } = answer.content
      assert.deepStrictEqual(rest, { city: "Oslo", seats: 2, tags: ["quiet"] })
      assert.match(String(until), /2026-07-28T12:00:00/)
    }))

  it.effect("that accepts MUST keep what was given over a default", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* accepted({ city: "Oslo", seats: 3, tags: [] }),
        Elicitation.accept({ city: "Oslo", seats: 3, tags: [] })
      )
    }))

  it.effect("that accepts a URL MUST have no content", () =>
    Effect.gen(function*() {
      const answer = yield* Elicitation.answer(url, { action: "accept", content: { a: 1 } })
      assert.deepStrictEqual(answer, Elicitation.accept(undefined))
    }))

  it.effect("MAY come without content where nothing is required, and MUST NOT where something is", () =>
    Effect.gen(function*() {
      const optional = Elicitation.form({ message: "m", fields: { a: Schema.optionalKey(Schema.String) } })
      assert.deepStrictEqual(yield* Elicitation.answer(optional, { action: "accept" }), Elicitation.accept({}))
      assert.match(yield* Effect.flip(accepted(undefined)), /"city"/)
    }))

  it.effect("MUST be refused by the names of all fields that do not fit", () =>
    Effect.gen(function*() {
      const sentence = yield* Effect.flip(
        accepted({ city: "oslo", seats: 10, tags: ["window", "window"], email: "no" })
      )
      for (const part of [/a name in capitals/, /"city"/, /"seats"/, /"tags"/, /an e-mail address/, /"email"/]) {
        assert.match(sentence, part)
      }
    }))

  it.effect.each([
    { city: "Oslo", seats: "3" },
    { city: "Oslo", seats: 1.5 },
    { city: "Oslo", seats: null },
    { city: 1 },
    { city: "Oslo", tags: ["aisle"] },
    { city: "Oslo", tags: "quiet" },
    "Oslo",
    [["Oslo"]]
  ])("MUST NOT be taken for a value of another type: %j", (content) =>
    Effect.gen(function*() {
      assert.match(yield* Effect.flip(accepted(content)), /^The content of the answer does not fit the form/)
    }))

  it.effect.each([[undefined], [null], "accept", {}, { action: "reject" }, { action: 1 }])(
    "MUST have a known action: %j",
    (result) =>
      Effect.gen(function*() {
        assert.match(yield* Effect.flip(Elicitation.answer(form, result)), /must be "accept", "decline" or "cancel"/)
      })
  )

  it.effect("of a class MUST be an instance of it", () =>
    Effect.gen(function*() {
      class Person extends Schema.Class<Person>("Person")({ name: Schema.String }) {}
      const request = Elicitation.form({ message: "m", fields: Person })
      const answer = yield* Elicitation.answer(request, { action: "accept", content: { name: "Ada" } })
      assert(answer._tag === "Accept")
      assert.instanceOf(answer.content, Person)
    }))
})

describe("formats", () => {
  const fits = (schema: Schema.ConstraintDecoder<string>, text: string) =>
    Schema.is(schema as typeof Schema.String)(text)

  it.each<[string, Schema.ConstraintDecoder<string>, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["email", Elicitation.email, ["a@b", "a.b+c@example.com"], ["", "a", "a@", "@b", "a b@c", "a@b@c"]],
    ["uri", Elicitation.uri, ["https://a/b", "urn:isbn:1", "file:///a"], ["", "a/b", "//a", "http://a b", "1a:b"]],
    ["date", Elicitation.date, ["2026-07-28", "2024-02-29", "2000-02-29"], [
      "",
      "2026-7-28",
      "2026-02-29",
      "1900-02-29",
      "2026-04-31",
      "2026-13-01",
      "2026-00-10",
      "2026-01-00",
      "2026-07-28T00:00:00Z"
    ]],
    ["date-time", Elicitation.dateTime, ["2026-07-28T12:00:00Z", "2026-07-28t23:59:60.5+01:00"], [
      "",
      "2026-07-28",
      "2026-07-28 12:00:00Z",
      "2026-07-28T12:00:00",
      "2026-07-28T24:00:00Z",
      "2026-02-30T12:00:00Z",
      "2026-07-28T12:60:00Z"
    ]]
  ])("%s MUST take what it names and nothing else", (_, schema, good, bad) => {
    for (const text of good) assert.isTrue(fits(schema, text), text)
    for (const text of bad) assert.isFalse(fits(schema, text), text)
  })
})

describe("as a client receives it", () => {
  const read = Schema.decodeUnknownSync(Elicitation.Received)

  const everything = Elicitation.form({
    message: "m",
    fields: {
      text: Schema.String.check(Schema.isMinLength(1)).annotate({ title: "T", description: "D" }),
      email: Elicitation.email,
      count: Schema.Int.check(Schema.isGreaterThan(0)).annotate({ default: 1 }),
      flag: Schema.Boolean.annotate({ default: true }),
      plain: Schema.Literals(["a", "b"]),
      titled: Elicitation.choices({ a: "A", b: "B" })
    }
  })
  const several = Elicitation.form({
    message: "m",
    fields: {
      plain: Schema.Array(Schema.Literals(["a", "b"])),
      titled: Schema.Array(Elicitation.choices({ a: "A", b: "B" })).annotate({ default: ["a"] })
    }
  })

  for (const { name, wire } of Revisions.all.filter(({ wire }) => wire.elicitation !== "none")) {
    it(`${name}: MUST be read as it is written`, () => {
      const visit = Elicitation.url({ message: "m", url: "a:b", elicitationId: "1" })
      for (const request of wire.elicitation === "full" ? [everything, several, visit] : [everything]) {
        const params = Result.getOrThrow(Elicitation.toWire(request, wire))
        const json: unknown = JSON.parse(JSON.stringify(params))
        assert.deepStrictEqual<unknown>(read(json), json)
      }
    })
  }

  it("every way to write choices MUST be the same choices", () => {
    const titled = [{ value: "a", title: "A" }, { value: "b", title: "B" }]
    const plain = [{ value: "a", title: "a" }, { value: "b", title: "b" }]
    const oneOf = [{ const: "a", title: "A" }, { const: "b", title: "B" }]
    const values = ["a", "b"]
    const options = (property: unknown) =>
      Elicitation.optionsOf(Schema.decodeUnknownSync(Elicitation.Property)(property))
    assert.deepStrictEqual(options({ type: "string", oneOf }), titled)
    assert.deepStrictEqual(options({ type: "string", enum: values, enumNames: ["A", "B"] }), titled)
    assert.deepStrictEqual(options({ type: "string", enum: values }), plain)
    assert.deepStrictEqual(options({ type: "array", items: { anyOf: oneOf } }), titled)
    assert.deepStrictEqual(options({ type: "array", items: { type: "string", enum: values } }), plain)
    for (const type of ["string", "integer", "number", "boolean"]) assert.strictEqual(options({ type }), undefined)
  })

  it("the defaults MUST complete a partial answer, and change nothing that was given", () => {
    const received = read(Result.getOrThrow(Elicitation.toWire(everything, Revisions.get("2026-07-28")!.wire)))
    assert("requestedSchema" in received)
    const { properties } = received.requestedSchema
    assert.deepStrictEqual(Elicitation.withDefaults({ text: "a", flag: false }, properties), {
      text: "a",
      flag: false,
      count: 1
    })
    const whole = { count: 2, flag: false }
    assert.strictEqual(Elicitation.withDefaults(whole, properties), whole)
  })
})
