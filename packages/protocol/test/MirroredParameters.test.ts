import { assert, describe, it } from "@effect/vitest"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as MirroredParameters from "@mcp-effect/protocol/MirroredParameters"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const object = (properties: Params, more: Params = {}): Params => ({ type: "object", properties, ...more })

const text = (name: unknown = "Region"): Params => ({ type: "string", "x-mcp-header": name })

const read = (schema: Params) => Result.getOrThrow(MirroredParameters.of(schema))

const problem = (schema: Params): string => {
  const result = MirroredParameters.of(schema)
  return Result.isFailure(result) ? result.failure : "no problem"
}

describe("the parameters that a schema names", () => {
  it("MUST be found at any depth of properties, with their paths and types", () => {
    const schema = object({
      region: text(),
      plain: { type: "string" },
      "a.b": object({ c: object({ d: { type: "integer", "x-mcp-header": "X-Count" } }) }),
      flag: { type: "boolean", "x-mcp-header": "f" }
    })
    assert.deepStrictEqual(read(schema), [
      { name: "Region", path: ["region"], type: "string" },
      { name: "f", path: ["flag"], type: "boolean" },
      { name: "X-Count", path: ["a.b", "c", "d"], type: "integer" }
    ])
    assert.deepStrictEqual(read({ type: "object" }), [])
  })

  it("a property may be named like a keyword, and values are no schemas", () => {
    const schema = object({
      "x-mcp-header": { type: "object" },
      properties: object({ items: text() }),
      default: { type: "string", default: { "x-mcp-header": 1 }, enum: [{ "x-mcp-header": 1 }], "x-mcp-header": "D" }
    })
    assert.deepStrictEqual(read(schema).map(({ path }) => path), [["default"], ["properties", "items"]])
  })

  it.each([
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedProperties"
  ])("MUST NOT stand under %s", (keyword) => {
    assert.include(problem(object({ a: { [keyword]: text() } })), `#/properties/a/${keyword}`)
    assert.include(problem({ type: "object", [keyword]: object({ a: text() }) }), `#/${keyword}/properties/a`)
  })

  it.each(["anyOf", "oneOf", "allOf", "prefixItems", "items"])("MUST NOT stand in a list of %s", (keyword) => {
    assert.include(problem(object({ a: { [keyword]: [{}, text()] } })), `#/properties/a/${keyword}/1`)
  })

  it.each(["$defs", "definitions", "patternProperties", "dependentSchemas"])(
    "MUST NOT stand in the schemas of %s",
    (keyword) => {
      assert.include(problem(object({}, { [keyword]: { enum: text() } })), `#/${keyword}/enum`)
      assert.deepStrictEqual(read(object({}, { [keyword]: { "x-mcp-header": { type: "string" } } })), [])
    }
  )

  it("MUST NOT stand at the root", () => {
    assert.include(problem(object({}, { "x-mcp-header": "Root" })), "at #,")
  })

  it.each(["", "a b", "a:b", "a\r\nb", "ä", "a/b", "(a)", "a\t", 1, null, true, ["a"]])(
    "MUST NOT be named %j",
    (name) => assert.include(problem(object({ a: text(name) })), "#/properties/a must be letters, digits and")
  )

  it("MUST be allowed every character of a token", () => {
    const name = "!#$%&'*+-.^_`|~09AZaz"
    assert.strictEqual(read(object({ a: text(name) }))[0]?.name, name)
  })

  it.each(["number", "object", "array", "null", undefined, ["string", "null"]])("MUST NOT be of type %j", (type) => {
    assert.include(
      problem(object({ a: { ...(type === undefined ? {} : { type }), "x-mcp-header": "A" } })),
      `not ${JSON.stringify(type) ?? "none"}`
    )
  })

  it("MUST NOT be named alike, whatever the case", () => {
    const schema = object({ a: text("Region"), b: object({ c: text("rEGION") }) })
    assert.strictEqual(problem(schema), `"x-mcp-header" "rEGION" of "b.c" is taken by "a"`)
  })

  it("MUST be read from a schema of any depth, and not without end", () => {
    let deep: Params = text()
    for (let depth = 0; depth < 50_000; depth++) deep = object({ a: deep })
    assert.strictEqual(read(deep)[0]?.path.length, 50_000)
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${index}`, text(`N${index}`)]))
    assert.include(problem(object(many)), "More than 100")
    const round: { properties: Params } = { properties: {} }
    round.properties = { a: round }
    assert.include(problem({ ...round }), "parts")
  })
})

const annotation = { "x-mcp-header": "Region" }

const property = (schema: Tool.AnySchema): unknown =>
  (Tool.make("t", { input: { a: schema } }).inputSchema.properties as Params).a

describe("the annotation of a tool's field", () => {
  it("MUST be advertised beside the type", () => {
    const named = { type: "string", ...annotation }
    assert.deepStrictEqual(property(Schema.String.annotate(annotation)), named)
    assert.deepStrictEqual(property(Schema.optionalKey(Schema.String.annotate(annotation))), named)
    assert.deepStrictEqual(property(Schema.String.pipe(Schema.annotateKey(annotation))), named)
    assert.deepStrictEqual(property(Schema.Boolean.annotate(annotation)), { type: "boolean", ...annotation })
    assert.deepStrictEqual(property(Schema.Int.annotate(annotation)), { type: "integer", ...annotation })
    assert.deepStrictEqual(property(Schema.Int.pipe(Schema.annotateKey(annotation))), {
      type: "integer",
      ...annotation
    })
    assert.deepStrictEqual(property(Schema.Literals(["a", "b"]).annotate(annotation)), { ...named, enum: ["a", "b"] })
    assert.deepStrictEqual(property(Schema.Date.annotate(annotation)), { ...named, format: "date-time" })
    assert.deepStrictEqual(property(Schema.Struct({ b: Schema.String.annotate(annotation) })), {
      type: "object",
      properties: { b: named },
      required: ["b"]
    })
  })

  it("MUST be advertised beside what else is said, and what is checked", () => {
    const told = { description: "Where", ...annotation }
    const checked = Schema.String.check(Schema.isMinLength(1))
    assert.deepStrictEqual(property(checked.annotate(annotation)), { type: "string", minLength: 1, ...annotation })
    assert.deepStrictEqual(property(checked.annotate(told)), { type: "string", minLength: 1, ...told })
    assert.deepStrictEqual(property(Schema.String.annotate(annotation).check(Schema.isMinLength(1))), {
      type: "string",
      minLength: 1,
      ...annotation
    })
    const days = property(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 })).annotate(annotation))
    assert.deepInclude(days, { type: "integer", ...annotation })
    assert.include(JSON.stringify(days), `"minimum":1,"maximum":7`)
  })

  it("MUST NOT be advertised of an output", () => {
    const { outputSchema } = Tool.make("t", { output: { a: Schema.String.annotate(annotation) } })
    assert.notInclude(JSON.stringify(outputSchema), "x-mcp-header")
  })

  it("MUST NOT be the only keyword of an extension that is advertised, of outputs too", () => {
    const extension = { "x-unit": "°C" }
    for (const schema of [Schema.Finite, Schema.Date, Schema.String]) {
      const fields = { a: schema.annotate(extension), b: schema.pipe(Schema.annotateKey(extension)) }
      const { inputSchema, outputSchema } = Tool.make("t", { input: fields, output: fields })
      for (const { properties } of [inputSchema, outputSchema!]) {
        for (const property of Object.values(properties as Params)) assert.deepInclude(property, extension)
      }
    }
    assert.notProperty(property(Schema.String.annotate({ "y-unit": "°C" })), "y-unit")
  })

  const check = (input: Record<string, Tool.AnySchema>) => () => Tool.check(Tool.make("my tool", { input }))

  it("where it cannot be kept MUST be refused, by the name of the tool", () => {
    const named = Schema.String.annotate(annotation)
    const inputs: ReadonlyArray<Record<string, Tool.AnySchema>> = [
      { a: Schema.Number.annotate(annotation) },
      { a: Schema.Finite.annotate(annotation) },
      { a: Schema.Finite.pipe(Schema.annotateKey(annotation)) },
      { a: Schema.Array(named) },
      { a: Schema.Array(Schema.String).annotate(annotation) },
      { a: Schema.Struct({ b: Schema.String }).annotate(annotation) },
      { a: Schema.optional(named) },
      { a: Schema.NullOr(Schema.String).annotate(annotation) },
      { a: Schema.Record(Schema.String, named) },
      { a: named.annotate({ identifier: "Region" }) },
      { a: Schema.String.annotate({ "x-mcp-header": "no token" }) },
      { a: Schema.String.annotate({ "x-mcp-header": "" }) },
      { a: named, b: Schema.String.annotate({ "x-mcp-header": "REGION" }) }
    ]
    for (const input of inputs) assert.throws(check(input), TypeError, `"my tool" cannot be advertised: "x-mcp-header"`)
    check({ a: named, b: Schema.Int.annotate({ "x-mcp-header": "B" }) })()
  })

  it("in raw JSON Schema MUST be checked too", () => {
    const tool = (a: Params) => Tool.dynamic("my tool", { inputSchema: object({ a }) })
    Tool.check(tool(text()))
    assert.throws(() => Tool.check(tool({ type: "number", ...annotation })), TypeError, `not "number"`)
  })

  it("that is no text MUST NOT compile", () => {
    // @ts-expect-error
    void Schema.String.annotate({ "x-mcp-header": 1 })
  })
})
