/** The JSON Schemas that a tool advertises, from the codec that its values are checked with. */
import type * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Params } from "../JsonRpc.ts"

type AnySchema = Schema.ConstraintCodec<unknown, unknown>

export const input = (name: string, schema: AnySchema): Params =>
  objectRoot(name, tidy(inlineRoot(document(name, "input", schema)), true))

export const output = (name: string, schema: AnySchema): Params =>
  tidy(inlineRoot(document(name, "output", schema)), false)

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
  Predicate.isObject(u) && u.type === "string" && Array.isArray(u.enum) && u.enum.includes("NaN")

// What says nothing to a reader: that more properties are allowed, and that an integer is one that JavaScript can hold.
const saysNothing = (key: string, value: unknown): boolean =>
  (key === "additionalProperties" && value === true) ||
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

// Members that hold values, not schemas.
const values = new Set(["enum", "const", "default", "examples"])

// No model should be told to send "Infinity" as text.
const tidy = <A>(value: A, input: boolean): A => {
  if (Array.isArray(value)) return value.map((item) => tidy(item, input)) as A
  if (!Predicate.isObject(value)) return value
  const { anyOf } = value as Params
  if (input && Array.isArray(anyOf) && anyOf.some(isSpecialNumbers)) {
    const rest = anyOf.filter((item) => !isSpecialNumbers(item))
    const { anyOf: _, ...others } = value as Params
    return tidy(rest.length === 1 ? { ...rest[0], ...others } : { ...others, anyOf: rest }, input) as A
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !saysNothing(key, item))
      .map(([key, item]) => [key, values.has(key) ? item : tidy(item, input)])
  ) as A
}
