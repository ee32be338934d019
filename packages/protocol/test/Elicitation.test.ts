import { assert, describe, it } from "@effect/vitest"
import * as Capabilities from "@mcp-effect/protocol/Capabilities"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const wireOf = (name: string) => Revisions.get(name)!.wire

const colors = Elicitation.choices({ "#FF0000": "Red", "#00FF00": "Green" })

type Fields = { readonly [name: string]: Schema.ConstraintCodec<unknown, unknown> }

const written = (fields: Fields, revision = "2025-11-25"): Params => {
  const request = Elicitation.form({ message: "m", fields })
  return Result.getOrThrow(Elicitation.toWire(request, wireOf(revision)))
}

const properties = (fields: Fields, revision?: string): Params =>
  (written(fields, revision).requestedSchema as { readonly properties: Params }).properties

const property = (field: Fields[string], revision?: string) => properties({ field }, revision).field

describe("a field", () => {
  it.each<[string, Fields[string], unknown]>([
    ["a text", Schema.String, { type: "string" }],
    ["a choice in the legacy way", Elicitation.choices({ a: "A", b: "B" }, { legacy: true }), {
      type: "string",
      enum: ["a", "b"],
      enumNames: ["A", "B"]
    }],
    ["a branded text", Schema.String.pipe(Schema.brand("Name")), { type: "string" }],
    ["a text with its length", Schema.String.check(Schema.isMinLength(3), Schema.isMaxLength(5)), {
      type: "string",
      minLength: 3,
      maxLength: 5
    }],
    ["a text that is not empty", Schema.NonEmptyString, { type: "string", minLength: 1 }],
    ["a text between two lengths", Schema.String.check(Schema.isBetweenLength(3, 8)), {
      type: "string",
      minLength: 3,
      maxLength: 8
    }],
    ["a text with a pattern, which no wire says", Schema.String.check(Schema.isPattern(/^a/u)), { type: "string" }],
    ["an e-mail address", Elicitation.email, { type: "string", format: "email" }],
    ["a format under more checks and texts", Elicitation.email.check(Schema.isMaxLength(9)).annotate({ title: "E" }), {
      type: "string",
      maxLength: 9,
      format: "email",
      title: "E"
    }],
    ["a URI", Elicitation.uri, { type: "string", format: "uri" }],
    ["a date", Elicitation.date, { type: "string", format: "date" }],
    ["a date with time", Elicitation.dateTime, { type: "string", format: "date-time" }],
    ["a format by annotation", Schema.String.annotate({ format: "date" }), { type: "string", format: "date" }],
    ["a format that no wire has", Schema.String.annotate({ format: "uuid" }), { type: "string" }],
    ["a Date", Schema.Date, { type: "string", format: "date-time" }],
    ["a URL", Schema.URL, { type: "string", format: "uri" }],
    ["a number that is text on the wire", Schema.FiniteFromString, { type: "string" }],
    ["a number", Schema.Finite.check(Schema.isBetween({ minimum: 0.5, maximum: 2 })), {
      type: "number",
      minimum: 0.5,
      maximum: 2
    }],
    ["an integer", Schema.Int, { type: "integer" }],
    ["an integer above a bound", Schema.Int.check(Schema.isGreaterThan(0), Schema.isLessThan(10)), {
      type: "integer",
      minimum: 1,
      maximum: 9
    }],
    ["the tightest of bounds", Schema.Int.check(Schema.isGreaterThanOrEqualTo(1), Schema.isGreaterThanOrEqualTo(3)), {
      type: "integer",
      minimum: 3
    }],
    ["a boolean", Schema.Boolean.annotate({ title: "T", description: "D" }), {
      type: "boolean",
      title: "T",
      description: "D"
    }],
    ["texts of the key", Schema.String.pipe(Schema.annotateKey({ title: "K" })), { type: "string", title: "K" }],
    ["a choice", Schema.Literals(["a", "b"]).annotate({ title: "T" }), {
      type: "string",
      enum: ["a", "b"],
      title: "T"
    }],
    ["a choice of one", Schema.Literal("a"), { type: "string", enum: ["a"] }],
    ["a titled choice", colors.annotate({ title: "Color" }), {
      type: "string",
      oneOf: [{ const: "#FF0000", title: "Red" }, { const: "#00FF00", title: "Green" }],
      title: "Color"
    }],
    ["a titled choice of one", Elicitation.choices({ a: "A" }), {
      type: "string",
      oneOf: [{ const: "a", title: "A" }]
    }],
    ["a literal whose title is the field's", Schema.Literal("a").annotate({ title: "T" }), {
      type: "string",
      enum: ["a"],
      title: "T"
    }],
    ["an enum", Schema.Enum({ Red: "r", Green: "g" }), {
      type: "string",
      oneOf: [{ const: "r", title: "Red" }, { const: "g", title: "Green" }]
    }],
    [
      "a choice of several",
      Schema.Array(Schema.Literals(["a", "b"])).check(Schema.isMinLength(1), Schema.isMaxLength(2)),
      { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["a", "b"] } }
    ],
    ["a non-empty choice of several", Schema.NonEmptyArray(Schema.Literals(["a", "b"])), {
      type: "array",
      minItems: 1,
      items: { type: "string", enum: ["a", "b"] }
    }],
    ["a titled choice of several", Schema.Array(colors), {
      type: "array",
      items: { anyOf: [{ const: "#FF0000", title: "Red" }, { const: "#00FF00", title: "Green" }] }
    }]
  ])("MUST be written as the specification has it: %s", (_, field, expected) => {
    assert.deepStrictEqual(property(field), expected)
    assert.deepStrictEqual(written({ field }).requestedSchema, {
      type: "object",
      properties: { field: expected },
      required: ["field"]
    })
  })

  it.each<[string, Fields[string]]>([
    ["an object", Schema.Struct({ a: Schema.String })],
    ["a record", Schema.Record(Schema.String, Schema.String)],
    ["texts", Schema.Array(Schema.String)],
    ["numbers to choose from", Schema.Literals([1, 2])],
    ["a union", Schema.Union([Schema.String, Schema.Boolean])],
    ["a tuple", Schema.Tuple([Schema.Literal("a"), Schema.Literal("b")])],
    ["anything", Schema.Unknown],
    ["null", Schema.Null]
  ])("MUST NOT be %s", (_, field) => {
    assert.throws(
      () => Elicitation.form({ message: "m", fields: { ok: Schema.String, wrong: field } }),
      TypeError,
      /The field "wrong" of a form must be a text/
    )
  })

  it("that may be missing MUST NOT be required", () => {
    const fields = { a: Schema.optionalKey(Schema.Int), b: Schema.String, c: Schema.optional(Schema.Boolean) }
    assert.deepStrictEqual(written(fields).requestedSchema, {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "string" }, c: { type: "boolean" } },
      required: ["b"]
    })
  })

  it("a struct of fields MUST be read like a record of them", () => {
    const fields = { a: Schema.String, b: Schema.optionalKey(Schema.Int) }
    const [one, other] = [fields, Schema.Struct(fields)].map((fields) => Elicitation.form({ message: "m", fields }))
    assert.deepStrictEqual(one?.fields, other?.fields)
  })
})

describe("a default", () => {
  it.each<[string, Fields[string], unknown]>([
    ["of a text", Schema.String.annotate({ default: "a" }), "a"],
    ["of a number", Schema.Finite.annotate({ default: 1.5 }), 1.5],
    ["of a boolean", Schema.Boolean.annotate({ default: false }), false],
    ["of a choice", colors.annotate({ default: "#FF0000" }), "#FF0000"],
    ["of a choice of several", Schema.Array(colors).annotate({ default: ["#FF0000"] }), ["#FF0000"]],
    [
      "of a date, as it is written",
      Schema.DateTimeUtcFromString.pipe(
        Schema.withDecodingDefaultKey(Effect.succeed("2026-07-28T00:00:00.000Z"))
      ),
      "2026-07-28T00:00:00.000Z"
    ],
    ["of the decoder", Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("a"))), "a"],
    ["of an optional field", Schema.optionalKey(Schema.String.annotate({ default: "a" })), "a"]
  ])("MUST be written, and make its field optional: %s", (_, field, expected) => {
    assert.deepStrictEqual((property(field) as Params).default, expected)
    assert.notProperty(written({ field }).requestedSchema, "required")
  })

  it("of the decoder MUST leave the constraints and texts of its field", () => {
    const field = Schema.String.check(Schema.isMinLength(3)).annotate({ title: "T" }).pipe(
      Schema.withDecodingDefaultKey(Effect.succeed("abc"))
    )
    assert.deepStrictEqual(property(field), { type: "string", minLength: 3, title: "T", default: "abc" })
  })

  it("of a date MUST leave its format", () => {
    const field = Schema.DateTimeUtcFromString.pipe(
      Schema.withDecodingDefaultKey(Effect.succeed("2026-07-28T00:00:00Z"))
    )
    assert.strictEqual((property(field) as Params).format, "date-time")
  })

  it("that does not fit MUST be refused by the name of its field", () => {
    const short = Schema.String.check(Schema.isMinLength(3)).annotate({ default: "a" })
    assert.throws(
      () => Elicitation.form({ message: "m", fields: { short } }),
      TypeError,
      /default of the field "short"/
    )
  })
})

describe("the wire", () => {
  const plain = { message: "m", fields: { name: Schema.String } }

  it("MUST say the mode from 2025-11-25", () => {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
    assert.deepStrictEqual(written(plain.fields, "2025-06-18"), { message: "m", requestedSchema })
    for (const name of ["2025-11-25", "2026-07-28"]) {
      assert.deepStrictEqual(written(plain.fields, name), { mode: "form", message: "m", requestedSchema })
    }
  })

  it("2025-06-18 MUST have titles apart and defaults of booleans only", () => {
    assert.deepStrictEqual(
      properties({
        color: colors.annotate({ default: "#00FF00" }),
        text: Schema.String.annotate({ default: "a" }),
        flag: Schema.Boolean.annotate({ default: true })
      }, "2025-06-18"),
      {
        color: { type: "string", enum: ["#FF0000", "#00FF00"], enumNames: ["Red", "Green"] },
        text: { type: "string" },
        flag: { type: "boolean", default: true }
      }
    )
  })

  const refused = (request: Elicitation.Request, revision: string) =>
    Result.match(Elicitation.toWire(request, wireOf(revision)), {
      onFailure: (sentence) => sentence,
      onSuccess: String
    })

  it("MUST say what a revision cannot ask for", () => {
    const several = Elicitation.form({ message: "m", fields: { colors: Schema.Array(colors) } })
    assert.match(refused(several, "2025-06-18"), /The field "colors" is a choice of several/)
    assert.match(refused(Elicitation.form(plain), "2025-03-26"), /has no elicitation/)
    const url = Elicitation.url({ message: "m", url: "https://example.com/" })
    assert.match(refused(url, "2024-11-05"), /has no elicitation/)
    assert.match(refused(url, "2025-06-18"), /cannot send the user to a URL/)
    assert.match(refused(url, "2025-11-25"), /needs an elicitationId/)
  })

  it("the id of a URL MUST be there in 2025-11-25 alone", () => {
    const url = Elicitation.url({ message: "m", url: "https://example.com/", elicitationId: "1" })
    const without = { mode: "url", message: "m", url: "https://example.com/" }
    assert.deepStrictEqual(
      Elicitation.toWire(url, wireOf("2025-11-25")),
      Result.succeed({ ...without, elicitationId: "1" })
    )
    assert.deepStrictEqual(Elicitation.toWire(url, wireOf("2026-07-28")), Result.succeed(without))
  })

  it("a URL MUST have a scheme", () => {
    assert.throws(() => Elicitation.url({ message: "m", url: "example.com" }), TypeError, /"example.com" must be a URL/)
  })
})

describe("what it needs", () => {
  const form = Elicitation.needs(Elicitation.form({ message: "m", fields: {} }))
  const url = Elicitation.needs(Elicitation.url({ message: "m", url: "a:b" }))

  it("MUST be the mode", () => {
    assert.deepStrictEqual(form, { elicitation: { form: {} } })
    assert.deepStrictEqual(url, { elicitation: { url: {} } })
  })

  it("elicitation without a mode MUST be elicitation by forms", () => {
    assert.strictEqual(Capabilities.missing({ elicitation: {} }, form), undefined)
    assert.deepStrictEqual(Capabilities.missing({ elicitation: {} }, url), url)
    assert.deepStrictEqual(Capabilities.missing({ elicitation: { url: {} } }, form), form)
    assert.strictEqual(Capabilities.missing({ elicitation: { url: {}, form: {} } }, { ...form, ...url }), undefined)
  })

  it("MUST be compared two levels deep, and only what is missing is named", () => {
    const needed = { roots: {}, sampling: { tools: {}, context: {} } }
    assert.deepStrictEqual(Capabilities.missing({}, needed), needed)
    assert.deepStrictEqual(Capabilities.missing({ sampling: { tools: {} } }, needed), {
      roots: {},
      sampling: { context: {} }
    })
    assert.strictEqual(Capabilities.missing({ ...needed, elicitation: {} }, needed), undefined)
    assert.strictEqual(Capabilities.missing({}, {}), undefined)
    assert.deepStrictEqual(Capabilities.missing({ roots: {} }, { roots: { listChanged: true } }), {
      roots: { listChanged: true }
    })
  })
})
