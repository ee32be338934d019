import { assert, describe, it } from "@effect/vitest"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const input = (fields: { readonly [x: string]: Tool.AnySchema }) => Tool.make("t", { input: fields }).inputSchema

const property = (schema: Tool.AnySchema) => (input({ a: schema }).properties as Record<string, unknown>).a

const reading = <S extends Tool.AnySchema>(schema: S, json: unknown) =>
  Schema.decodeUnknownEffect(Schema.toCodecJson(schema))(json)

class Place extends Schema.Class<Place>("Place")({ city: Schema.String, since: Schema.Date }) {}

const place = {
  type: "object",
  properties: { city: { type: "string" }, since: { type: "string", format: "date-time" } },
  required: ["city", "since"]
}

describe("the advertised input", () => {
  it("without fields MUST be an object", () => {
    assert.deepStrictEqual(Tool.make("t", {}).inputSchema, { type: "object" })
    assert.deepStrictEqual(Tool.make("t", { input: {} }).inputSchema, { type: "object" })
    assert.deepStrictEqual(Tool.make("t", { input: Schema.Struct({}) }).inputSchema, { type: "object" })
  })

  it("fields and their struct MUST be the same", () => {
    const fields = { city: Schema.String, days: Schema.optionalKey(Schema.Int) }
    assert.deepStrictEqual(input(fields), Tool.make("t", { input: Schema.Struct(fields) }).inputSchema)
    assert.deepStrictEqual(input(fields).required, ["city"])
  })

  it("dates MUST be text", () => {
    assert.deepStrictEqual(property(Schema.Date), { type: "string", format: "date-time" })
    assert.deepStrictEqual(property(Schema.DateTimeUtc), { type: "string", format: "date-time" })
    assert.deepStrictEqual(property(Schema.URL), { type: "string", format: "uri" })
  })

  it("durations and options MUST be tagged objects", () => {
    const tags = (schema: Tool.AnySchema) =>
      (property(schema) as { anyOf: Array<{ type: string; properties: { _tag: { enum: Array<string> } } }> }).anyOf
        .flatMap(({ properties, type }) => type === "object" ? properties._tag.enum : [])
    assert.deepStrictEqual(tags(Schema.Duration), ["Infinity", "NegativeInfinity", "Nanos", "Millis"])
    assert.deepStrictEqual(tags(Schema.Option(Schema.String)), ["Some", "None"])
  })

  it("an optional key MUST be absent or there, an optional value may be null too", () => {
    const schema = input({ a: Schema.optionalKey(Schema.String), b: Schema.optional(Schema.String) })
    assert.strictEqual(schema.required, undefined)
    assert.deepStrictEqual(schema.properties, {
      a: { type: "string" },
      b: { anyOf: [{ type: "string" }, { type: "null" }] }
    })
  })

  it("a number MUST NOT offer the names of what JSON has no number for, at any depth", () => {
    const plain = { type: "number" }
    assert.deepStrictEqual(property(Schema.Number), plain)
    assert.deepStrictEqual(property(Schema.Array(Schema.Number)), { type: "array", items: plain })
    assert.deepStrictEqual(property(Schema.NullOr(Schema.Number)), { anyOf: [plain, { type: "null" }] })
    assert.deepStrictEqual(property(Schema.Struct({ n: Schema.Number })), {
      type: "object",
      properties: { n: plain },
      required: ["n"]
    })
    assert.notInclude(JSON.stringify(input({ a: Schema.Union([Schema.Number, Schema.String]) })), "Infinity")
  })

  it("a choice of texts that has such a name MUST keep it", () => {
    const choice = { type: "string", enum: ["NaN", "a"] }
    assert.deepStrictEqual(property(Schema.Literals(["NaN", "a"])), choice)
    const nullable = Schema.NullOr(Schema.Literals(["NaN", "a"]))
    assert.deepStrictEqual(property(nullable), { anyOf: [choice, { type: "null" }] })
  })

  it("a finite number MUST keep its bounds", () => {
    assert.deepStrictEqual(property(Schema.Finite.check(Schema.isGreaterThan(3))), {
      type: "number",
      exclusiveMinimum: 3
    })
  })

  it("an integer MUST NOT tell the bounds of JavaScript, but its own", () => {
    assert.deepStrictEqual(property(Schema.Int), { type: "integer" })
    const days = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 }))
    assert.include(JSON.stringify(property(days)), "\"minimum\":1,\"maximum\":7")
  })

  it("examples and defaults MUST stay as they were given", () => {
    const given = { additionalProperties: true, minimum: Number.MIN_SAFE_INTEGER }
    const schema = Schema.Struct({ a: Schema.Unknown }).annotate({ examples: [{ a: given }], default: { a: given } })
    assert.deepInclude(property(schema), { examples: [{ a: given }], default: { a: given } })
  })

  it("a description MUST be there", () => {
    const described = { description: "where" }
    assert.deepStrictEqual(property(Schema.String.annotate(described)), { type: "string", ...described })
    assert.deepStrictEqual(property(Schema.Finite.annotate(described)), { type: "number", ...described })
    assert.include(JSON.stringify(property(Schema.Date.annotateKey(described))), "where")
  })

  it("a type that says nothing of its JSON MUST be refused, by the name of its field", () => {
    assert.throws(() => input({ map: Schema.instanceOf(Map) }), /input schema of tool "t".*"map" has no JSON form/)
  })

  it("a class MUST be inlined at the root, and referred to elsewhere", () => {
    assert.deepStrictEqual(Tool.make("t", { input: Place }).inputSchema, place)
    const nested = input({ place: Place })
    assert.strictEqual(nested.type, "object")
    const { $ref } = (nested.properties as { place: { $ref: string } }).place
    assert.deepStrictEqual((nested.$defs as Record<string, unknown>)[$ref.replace("#/$defs/", "")], place)
  })

  it("a recursive schema MUST keep its definition", () => {
    interface Tree {
      readonly children: ReadonlyArray<Tree>
    }
    const Tree: Schema.Codec<Tree> = Schema.Struct({
      children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
    }).annotate({ identifier: "Tree" })
    const schema = Tool.make("t", { input: Tree }).inputSchema
    assert.strictEqual(schema.type, "object")
    assert.include(JSON.stringify(schema.properties), "\"$ref\"")
    assert.isNotEmpty(schema.$defs)
  })

  it("a property may be named like a keyword", () => {
    const fields = { anyOf: Schema.String, enum: Schema.Number, additionalProperties: Schema.Literal(true) }
    assert.deepStrictEqual(Object.keys(input(fields).properties as object), Object.keys(fields))
  })

  it("MUST be an object: anything else is a programming error that names the tool", () => {
    const union = Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String })])
    for (const schema of [Schema.String, Schema.Array(Schema.String), union, Schema.NullOr(Place)]) {
      const tool = Tool.make("my tool", { input: schema })
      assert.throws(() => tool.inputSchema, TypeError, "\"my tool\" must describe an object")
    }
    assert.throws(() => Tool.dynamic("my tool", { inputSchema: { type: "array" } }), TypeError, "\"my tool\"")
    assert.throws(() => Tool.dynamic("my tool", { inputSchema: {} }), TypeError, "\"my tool\"")
  })

  it.effect("what is advertised MUST be what is read", () =>
    Effect.gen(function*() {
      const tool = Tool.make("t", { input: { at: Schema.Date, place: Place, n: Schema.Number } })
      const since = "2026-07-28T00:00:00.000Z"
      const read = yield* reading(tool.input, { at: since, place: { city: "a", since }, n: 1 })
      assert.instanceOf(read.at, Date)
      assert.instanceOf(read.place, Place)
      assert.strictEqual(read.place.since.toISOString(), since)
      yield* Effect.flip(reading(tool.input, { at: 1, place: { city: "a", since }, n: 1 }))
    }))
})

describe("checking a definition", () => {
  it("MUST find what cannot be advertised, and leave what is plain until it is asked for", () => {
    const made = (tool: Tool.Tool) => Object.getOwnPropertyDescriptor(tool, "inputSchema")?.get === undefined
    const plain = Tool.make("t", {
      input: { a: Schema.String, b: Schema.Array(Schema.Int), c: Schema.optionalKey(Schema.Boolean) }
    })
    Tool.check(plain)
    assert.isFalse(made(plain))
    const dated = Tool.make("t", { input: { at: Schema.Date } })
    Tool.check(dated)
    assert.isTrue(made(dated))
    assert.throws(() => Tool.check(Tool.make("t", { input: Schema.String })), /must describe an object/)
    assert.throws(
      () => Tool.check(Tool.make("t", { input: { deep: Schema.Struct({ m: Schema.instanceOf(Map) }) } })),
      /"m"/
    )
    assert.throws(() => Tool.check(Tool.make("t", { output: { m: Schema.instanceOf(Map) } })), /output schema.*"m"/)
  })
})

describe("what a schema says to people", () => {
  const text = { description: "told" }

  it("MUST be advertised, also of a type whose JSON is another, wherever it stands", () => {
    assert.deepStrictEqual(property(Schema.Date.annotate(text)), { type: "string", format: "date-time", ...text })
    assert.deepStrictEqual(property(Schema.Number.annotate(text)), { type: "number", ...text })
    assert.deepStrictEqual(property(Schema.optionalKey(Schema.Date.annotate(text))), {
      type: "string",
      format: "date-time",
      ...text
    })
    assert.deepStrictEqual(property(Schema.Array(Schema.Date.annotate(text))), {
      type: "array",
      items: { type: "string", format: "date-time", ...text }
    })
    assert.deepStrictEqual(property(Schema.Struct({ at: Schema.Date.annotate(text) })), {
      type: "object",
      properties: { at: { type: "string", format: "date-time", ...text } },
      required: ["at"]
    })
  })

  it("of a key MUST stand beside its type, and win over what is said of the type", () => {
    assert.deepStrictEqual(property(Schema.Finite.pipe(Schema.annotateKey({ description: "of the key" }))), {
      type: "number",
      description: "of the key"
    })
    assert.deepStrictEqual(
      property(Schema.Date.annotate(text).pipe(Schema.annotateKey({ description: "of the key" }))),
      {
        type: "string",
        format: "date-time",
        description: "of the key"
      }
    )
  })

  it("MUST NOT take a property's name for a keyword", () => {
    const { properties } = input({ default: Schema.Number, enum: Schema.Int, anyOf: Schema.Number })
    assert.deepStrictEqual(properties, {
      default: { type: "number" },
      enum: { type: "integer" },
      anyOf: { type: "number" }
    })
  })
})

describe("the advertised output", () => {
  it("fields and their struct MUST be the same", () => {
    const fields = { sum: Schema.Finite }
    const [one, two] = [Tool.make("t", { output: fields }), Tool.make("t", { output: Schema.Struct(fields) })]
    assert.deepStrictEqual(one.outputSchema, two.outputSchema)
    const sum: number = one.output.make({ sum: 1 }).sum
    assert.strictEqual(sum, 1)
  })

  it("MUST be absent without an output, and may be of any type", () => {
    assert.strictEqual(Tool.make("t", {}).outputSchema, undefined)
    assert.deepStrictEqual(Tool.make("t", { output: Schema.String }).outputSchema, { type: "string" })
  })

  it("a type that says nothing of its JSON MUST be refused, by the name of its field", () => {
    assert.throws(() => input({ map: Schema.instanceOf(Map) }), /input schema of tool "t".*"map" has no JSON form/)
  })

  it("a class MUST be inlined at the root", () => {
    assert.deepStrictEqual(Tool.make("t", { output: Place }).outputSchema, place)
  })

  it("MUST tell of every value that a server writes, special numbers too", () => {
    const schema = JSON.stringify(Tool.make("t", { output: Schema.Struct({ n: Schema.Number }) }).outputSchema)
    for (const name of ["Infinity", "-Infinity", "NaN"]) assert.include(schema, `"${name}"`)
  })
})

describe("a definition", () => {
  it("its schemas MUST be made once, when first asked for", () => {
    const tool = Tool.make("t", { input: { a: Schema.String }, output: Place })
    assert.strictEqual(tool.inputSchema, tool.inputSchema)
    assert.strictEqual(tool.outputSchema, tool.outputSchema)
  })

  it("of raw JSON Schema MUST advertise it as it is", () => {
    const inputSchema = { type: "object", additionalProperties: true }
    const outputSchema = { type: "array" }
    const tool = Tool.dynamic("t", { inputSchema, outputSchema })
    assert.strictEqual(tool.inputSchema, inputSchema)
    assert.strictEqual(tool.outputSchema, outputSchema)
    assert.deepStrictEqual([tool.dynamic, Tool.make("t", {}).dynamic], [true, false])
    const without = Tool.dynamic("t", { inputSchema })
    assert.deepStrictEqual([without.output, without.outputSchema], [undefined, undefined])
  })

  it("events and replies MUST be what they say", () => {
    assert.deepStrictEqual(Tool.progress({ progress: 1, total: 2 }), { _tag: "Progress", progress: 1, total: 2 })
    const text = { type: "text", text: "a" } as const
    assert.deepStrictEqual(Tool.part("a"), { _tag: "Part", content: text, missed: 0 })
    assert.deepStrictEqual(Tool.part(text), Tool.part("a"))
    assert.deepStrictEqual(Tool.output(1), { _tag: "Output", value: 1 })
    assert.deepStrictEqual({ ...Tool.reply({ output: 1, content: [text] }) }, {
      output: 1,
      content: [text],
      meta: undefined
    })
    assert.deepStrictEqual({ ...Tool.reply({}) }, { output: undefined, content: [], meta: undefined })
  })
})

describe("the wire", () => {
  const tool = Tool.make("t", {
    title: "T",
    description: "d",
    annotations: { readOnlyHint: true },
    icons: [{ src: "https://example.com/a.png" }],
    meta: { a: 1 },
    output: Place
  })
  const keys = (tool: Tool.Tool) =>
    Revisions.all.toReversed().map(({ wire }) => Object.keys(Tool.toWire(tool, wire)).toSorted())

  it("a tool MUST be written with the members that its revision has", () => {
    const first = ["description", "inputSchema", "name"]
    const second = ["annotations", ...first]
    const third = ["_meta", ...second, "outputSchema", "title"]
    const fourth = [...third, "icons"]
    assert.deepStrictEqual(keys(tool), [first, second, third, fourth, fourth].map((list) => list.toSorted()))
  })

  it("what a tool does not say MUST be absent", () => {
    for (const { wire } of Revisions.all) {
      assert.deepStrictEqual(Tool.toWire(Tool.make("t", {}), wire), { name: "t", inputSchema: { type: "object" } })
    }
  })

  it("an output schema MUST be written where the revision can write such output", () => {
    const writes = (output: Tool.AnySchema) =>
      keys(Tool.make("t", { output })).map((list) => list.includes("outputSchema"))
    assert.deepStrictEqual(writes(Place), [false, false, true, true, true])
    assert.deepStrictEqual(writes(Schema.String), [false, false, false, false, true])
    assert.deepStrictEqual(writes(Schema.Array(Place)), [false, false, false, false, true])
  })

  it("what is written MUST be JSON, with the values as they were given", () => {
    const written = Tool.toWire(tool, Revisions.all[0]!.wire)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(written)), written)
    assert.deepStrictEqual(written.annotations, { readOnlyHint: true })
    assert.deepStrictEqual(written._meta, { a: 1 })
  })
})
