/** What the compiler says of the fields of a form. */
import { assert, describe, it } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as Schema from "effect/Schema"

const message = "m"
const colors = Elicitation.choices({ r: "Red", g: "Green" })

describe("the type of the fields of a form", () => {
  it("MUST refuse what cannot be asked for", () => {
    const nested = Schema.Struct({ n: Schema.Int })
    class Person extends Schema.Class<Person>("Person")({ name: Schema.String }) {}
    // @ts-expect-error: A field of a form is a text, ...
    assert.throws(() => Elicitation.form({ message, fields: { a: nested } }), TypeError)
    // @ts-expect-error: nor one that may be missing
    assert.throws(() => Elicitation.form({ message, fields: { a: Schema.optionalKey(nested) } }), TypeError)
    // @ts-expect-error: nor a class
    assert.throws(() => Elicitation.form({ message, fields: { a: Person } }), TypeError)
    const record = Schema.Record(Schema.String, Schema.Int)
    // @ts-expect-error: nor a record
    assert.throws(() => Elicitation.form({ message, fields: { a: record } }), TypeError)
    // @ts-expect-error: nor a list of anything but texts
    assert.throws(() => Elicitation.form({ message, fields: { a: Schema.Array(nested) } }), TypeError)
    // @ts-expect-error: nor numbers
    assert.throws(() => Elicitation.form({ message, fields: { a: Schema.Array(Schema.Int) } }), TypeError)
    // @ts-expect-error: nor what may be null
    assert.throws(() => Elicitation.form({ message, fields: { a: Schema.NullOr(Schema.String) } }), TypeError)
    // @ts-expect-error: nor a number that JSON has not
    assert.throws(() => Elicitation.form({ message, fields: { a: Schema.BigInt } }), TypeError)
    // @ts-expect-error: nor as a struct
    assert.throws(() => Elicitation.form({ message, fields: Schema.Struct({ a: nested }) }), TypeError)
    // @ts-expect-error: nor one wrong field among good ones
    assert.throws(() => Elicitation.form({ message, fields: { ok: Schema.String, a: nested } }), TypeError)
  })

  it("MUST allow every kind of field, declared ones included, and know what an answer holds", () => {
    const fields = {
      text: Schema.NonEmptyString,
      number: Schema.Finite,
      parsed: Schema.NumberFromString,
      flag: Schema.Boolean,
      choice: Schema.Literals(["a", "b"]),
      titled: colors,
      several: Schema.NonEmptyArray(colors),
      email: Schema.optionalKey(Elicitation.email),
      missing: Schema.optional(Schema.Int),
      date: Schema.Date,
      time: Schema.DateTimeUtc,
      url: Schema.URL
    }
    class Person extends Schema.Class<Person>("Person")({ name: Schema.String, born: Schema.Date }) {}
    const form = Elicitation.form({ message, fields })
    const text: Elicitation.Content<typeof form>["several"][number] = "r"
    const person = Elicitation.form({ message, fields: Person })
    const whole: Elicitation.Content<typeof person> = new Person({ name: text, born: new globalThis.Date(0) })
    assert.deepStrictEqual(Object.keys(person.fields), Object.keys(whole))
    assert.deepStrictEqual(Elicitation.form({ message, fields: Schema.Struct(fields) }).fields, form.fields)
    const unknown: { readonly [name: string]: Schema.ConstraintCodec<unknown, unknown> } = { text: Schema.String }
    assert.deepStrictEqual(Object.keys(Elicitation.form({ message, fields: unknown }).fields), ["text"])
    assert.deepStrictEqual(Elicitation.form({ message, fields: {} }).fields, {})
  })
})
