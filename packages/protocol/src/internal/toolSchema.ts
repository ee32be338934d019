/** The JSON Schemas that a tool advertises, from the codec that its values are checked with. */
import type * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Params } from "../JsonRpc.ts"
import { describe } from "./describe.ts"

type AnySchema = Schema.ConstraintCodec<unknown, unknown>

export const input = (name: string, schema: AnySchema): Params =>
  objectRoot(name, tidy(describe(schema.ast, inlineRoot(document(name, "input", schema))), true))

export const output = (name: string, schema: AnySchema): Params =>
  tidy(describe(schema.ast, inlineRoot(document(name, "output", schema))), false)

export const objectRoot = (name: string, schema: Params): Params => {
  if (schema.type === "object") return schema
  throw new TypeError(`The input schema of tool ${JSON.stringify(name)} must describe an object`)
}

const document = (name: string, what: string, schema: AnySchema): JsonSchema.Document<"draft-2020-12"> => {
  try {
    return Schema.toJsonSchemaDocument(Schema.toCodecJson(schema))
  } catch (cause) {
    throw new TypeError(`The ${what} schema of tool ${JSON.stringify(name)} has no JSON form`, { cause })
  }
}

// MCP wants `type: "object"` at the root, where a class has a `$ref`.
const inlineRoot = ({ definitions, schema }: JsonSchema.Document<"draft-2020-12">): Params => {
  const named = typeof schema.$ref === "string" ? schema.$ref.replace("#/$defs/", "") : undefined
  const root: Params = { ...(named === undefined ? schema : definitions[named]) }
  // The schema of an empty struct is "anything but null".
  const object = Predicate.isObject(root.not) && root.not.type === "null" ? { type: "object" } : root
  return Object.keys(definitions).length === 0 ? object : { ...object, $defs: definitions }
}

const isSpecialNumbers = (u: unknown): boolean =>
  Predicate.isObject(u) && u.type === "string" && Array.isArray(u.enum) && u.enum.join() === "Infinity,-Infinity,NaN"

// What says nothing to a reader: that more properties are allowed, and that an integer is one that JavaScript can hold.
const saysNothing = (key: string, value: unknown): boolean =>
  (key === "additionalProperties" && value === true) ||
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

// Members that hold values, and members that hold schemas by names of any kind.
const values = new Set(["enum", "const", "default", "examples"])
const named = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"])

// No model should be told to send "Infinity" as text.
const tidy = (schema: Params, input: boolean): Params => {
  const { anyOf, ...others } = schema
  if (input && Array.isArray(anyOf) && anyOf.some(isSpecialNumbers)) {
    const rest: ReadonlyArray<Params> = anyOf.filter((item) => !isSpecialNumbers(item))
    return tidy(rest.length === 1 ? { ...rest[0], ...others } : { ...others, anyOf: rest }, input)
  }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !saysNothing(key, value))
      .map(([key, value]) => [key, values.has(key) ? value : tidyMember(value, input, named.has(key))])
  )
}

const tidyMember = (value: unknown, input: boolean, byName: boolean): unknown => {
  if (Array.isArray(value)) return value.map((item) => tidyMember(item, input, false))
  if (!Predicate.isObject(value)) return value
  if (!byName) return tidy(value, input)
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, tidyMember(schema, input, false)]))
}
