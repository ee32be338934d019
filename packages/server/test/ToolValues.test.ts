/** Values that JSON does not have: what is advertised for them, what is taken, and what a handler sees. */
import { assert, describe, it } from "@effect/vitest"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { serve, speak } from "./client.ts"

class Person extends Schema.Class<Person>("Person")({ name: Schema.String, born: Schema.Date }) {}

class City extends Schema.Class<City>("City")({ city: Schema.String }) {}

interface Case {
  readonly what: string
  readonly schema: Tool.AnySchema
  readonly advertised: JsonRpc.Params
  readonly json: unknown
  readonly value: unknown
  readonly refused: ReadonlyArray<unknown>
}

const safe = { type: "integer" }

const tagged = (tag: string, value?: JsonRpc.Params): JsonRpc.Params => ({
  type: "object",
  properties: { _tag: { type: "string", enum: [tag] }, ...(value === undefined ? {} : { value }) },
  required: value === undefined ? ["_tag"] : ["_tag", "value"]
})

const cases: ReadonlyArray<Case> = [
  {
    what: "Date",
    schema: Schema.Date,
    advertised: { type: "string", format: "date-time" },
    json: "2026-07-28T10:00:00.000Z",
    value: new Date("2026-07-28T10:00:00.000Z"),
    refused: [0, null, {}]
  },
  {
    what: "Duration",
    schema: Schema.Duration,
    advertised: {
      anyOf: [
        tagged("Infinity"),
        tagged("NegativeInfinity"),
        tagged("Nanos", { type: "string", pattern: "^-?\\d+$" }),
        tagged("Millis", safe)
      ]
    },
    json: { _tag: "Millis", value: 5000 },
    value: Duration.seconds(5),
    refused: ["soon", true]
  },
  {
    what: "Option, some",
    schema: Schema.Option(Schema.Int),
    advertised: { anyOf: [tagged("Some", safe), tagged("None")] },
    json: { _tag: "Some", value: 1 },
    value: Option.some(1),
    refused: ["x", 1.5]
  },
  {
    what: "Option, none",
    schema: Schema.Option(Schema.Int),
    advertised: { anyOf: [tagged("Some", safe), tagged("None")] },
    json: { _tag: "None" },
    value: Option.none(),
    refused: ["x"]
  },
  {
    what: "Class",
    schema: Person,
    advertised: {
      type: "object",
      properties: { name: { type: "string" }, born: { type: "string", format: "date-time" } },
      required: ["name", "born"]
    },
    json: { name: "Ada", born: "1815-12-10T00:00:00.000Z" },
    value: new Person({ name: "Ada", born: new Date("1815-12-10T00:00:00.000Z") }),
    refused: [{ name: "Ada" }, { name: 1, born: "1815-12-10T00:00:00.000Z" }, "Ada"]
  },
  {
    what: "ReadonlySet",
    schema: Schema.ReadonlySet(Schema.String),
    advertised: { type: "array", items: { type: "string" } },
    json: ["a", "b"],
    value: new Set(["a", "b"]),
    refused: [[1], "a"]
  },
  {
    what: "BigInt",
    schema: Schema.BigInt,
    advertised: { type: "string", pattern: "^-?\\d+$" },
    json: "12345678901234567890",
    value: 12345678901234567890n,
    refused: ["1.5"]
  },
  {
    what: "Uint8Array",
    schema: Schema.Uint8Array,
    advertised: { type: "string", format: "byte", contentEncoding: "base64" },
    json: "AQID",
    value: Uint8Array.of(1, 2, 3),
    refused: [[1], 5]
  }
]

/** A tool that returns what it is given, and remembers it. */
const echoing = Effect.fnUntraced(function*(schema: Tool.AnySchema) {
  const seen: Array<unknown> = []
  const echo = Tool.make("echo", { input: { value: schema }, output: Schema.Struct({ value: schema }) })
  const server = yield* serve(McpServer.tool(echo, ({ value }) =>
    Effect.sync(() => {
      seen.push(value)
      return { value }
    })))
  return { echo, seen, client: yield* speak(server, "2025-11-25") }
})

describe.each(cases)("$what", ({ advertised, json, refused, schema, value }) => {
  it.effect("MUST reach the handler as a value, and the client as JSON", () =>
    Effect.gen(function*() {
      const { client, seen } = yield* echoing(schema)
      const result = yield* client.call("echo", { value: json })
      assert.deepStrictEqual(seen, [value])
      assert.strictEqual(Object.getPrototypeOf(seen[0]), Object.getPrototypeOf(value))
      assert.deepStrictEqual(result.structuredContent, { value: json })
      assert.deepStrictEqual(result.content, [{ type: "text", text: JSON.stringify({ value: json }) }])
    }))

  it.effect("MUST be advertised as the JSON that is taken, as input and as output", () =>
    Effect.gen(function*() {
      const { echo } = yield* echoing(schema)
      for (const { $defs, properties } of [echo.inputSchema, echo.outputSchema ?? {}]) {
        const { value } = properties as { readonly value: JsonRpc.Params }
        const named = typeof value.$ref === "string" ? value.$ref.replace("#/$defs/", "") : undefined
        assert.deepStrictEqual(named === undefined ? value : ($defs as JsonRpc.Params)[named], advertised)
      }
    }))

  it.effect("MUST refuse other JSON before the handler, and name the argument", () =>
    Effect.gen(function*() {
      const { client, seen } = yield* echoing(schema)
      for (const value of [...refused, undefined]) {
        const result = yield* client.call("echo", { value })
        assert.strictEqual(result.isError, true, JSON.stringify(value))
        assert.include(JSON.stringify(result.content), "value")
      }
      assert.deepStrictEqual(seen, [])
    }))
})

describe("an optional argument", () => {
  const Optional = Tool.make("optional", {
    input: { key: Schema.optionalKey(Schema.String), orUndefined: Schema.optional(Schema.Int) },
    output: Schema.Struct({ key: Schema.optionalKey(Schema.String), at: Schema.optionalKey(Schema.Date) })
  })

  it.effect("MUST NOT be required, and MUST stay absent on the way in and out", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const server = yield* serve(McpServer.tool(Optional, (input) =>
        Effect.sync(() => {
          seen.push(input)
          return input.key === undefined ? {} : { key: input.key, at: new Date(0) }
        })))
      const client = yield* speak(server, "2025-11-25")
      assert.deepStrictEqual((yield* client.call("optional", {})).structuredContent, {})
      assert.deepStrictEqual((yield* client.call("optional")).structuredContent, {})
      assert.deepStrictEqual(
        (yield* client.call("optional", { key: "k", orUndefined: 1 })).structuredContent,
        { key: "k", at: "1970-01-01T00:00:00.000Z" }
      )
      assert.deepStrictEqual(seen, [{}, {}, { key: "k", orUndefined: 1 }])
      assert.notProperty(Optional.inputSchema, "required")
      assert.notProperty(Optional.outputSchema, "required")
    }))

  it.effect("of optionalKey MUST NOT be null, and the advertised schema says so", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(McpServer.tool(Optional, () => Effect.succeed({}))), "2025-11-25")
      assert.strictEqual((yield* client.call("optional", { key: null })).isError, true)
      assert.deepStrictEqual((Optional.inputSchema.properties as JsonRpc.Params).key, { type: "string" })
    }))
})

describe("a class as the whole input and output", () => {
  const Visit = Tool.make("visit", { input: City, output: Person })

  it.effect("MUST be advertised as an object, and round-trip as instances", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const server = yield* serve(McpServer.tool(Visit, (city) =>
        Effect.sync(() => {
          seen.push(city)
          return new Person({ name: city.city, born: new Date(0) })
        })))
      const client = yield* speak(server, "2025-11-25")
      const { tools } = yield* client.result("tools/list")
      const [tool] = tools as ReadonlyArray<
        { readonly inputSchema: JsonRpc.Params; readonly outputSchema: JsonRpc.Params }
      >
      assert.strictEqual(tool?.inputSchema.type, "object")
      assert.deepStrictEqual(tool?.inputSchema.required, ["city"])
      assert.strictEqual(tool?.outputSchema.type, "object")
      const result = yield* client.call("visit", { city: "Rome" })
      assert.deepStrictEqual(result.structuredContent, { name: "Rome", born: "1970-01-01T00:00:00.000Z" })
      assert.instanceOf(seen[0], City)
    }))
})

describe("a schema that cannot be advertised", () => {
  it.effect.each([
    Schema.Array(Schema.String),
    Schema.Union([Schema.Struct({ a: Schema.Int }), Schema.Struct({ b: Schema.Int })]),
    Schema.String
  ])("as input MUST fail the layer of the tool, by the tool's name: %#", (input) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(serve(McpServer.tool(Tool.make("bad", { input }), () => Effect.void)))
      assert.strictEqual(error._tag, "RegistrationError")
      assert.include(error.message, "\"bad\" must describe an object")
    }))
})
