/** The JSON Schemas that a tool advertises, from the codec that its values are checked with. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type { Params } from "../JsonRpc.ts"
import { KEYWORD } from "../MirroredParameters.ts"
import { definitionOf, describe, isExtension } from "./describe.ts"

type AnySchema = Schema.ConstraintCodec<unknown, unknown>

export const input = (name: string, schema: AnySchema): Params =>
  objectRoot(name, tidy(inlineRoot(document(name, "input", schema)), true))

export const output = (name: string, schema: AnySchema): Params =>
  tidy(inlineRoot(document(name, "output", schema)), false)

export const objectRoot = (name: string, schema: Params): Params => {
  if (schema.type === "object") return schema
  throw new TypeError(`The input schema of tool ${JSON.stringify(name)} must describe an object`)
}

/**
 * Whether a schema is so plain that its JSON Schema needs no trying: structs and arrays of texts, numbers and booleans.
 * Making JSON Schemas is a good part of a server's start.
 */
export const isPlain = (ast: SchemaAST.AST): boolean => {
  if (ast.encoding !== undefined || isMirrored(ast)) return false
  switch (ast._tag) {
    case "String":
    case "Number":
    case "Boolean":
    case "Literal":
      return true
    case "Objects":
      return ast.indexSignatures.length === 0 &&
        ast.propertySignatures.every(({ name, type }) => typeof name === "string" && isPlain(type))
    case "Arrays":
      return [...ast.elements, ...ast.rest].every(isPlain)
    default:
      return false
  }
}

/** Whether a request repeats such a value outside of its body, of which more can be wrong. */
const isMirrored = ({ annotations, checks, context }: SchemaAST.AST): boolean =>
  [annotations, context?.annotations, ...checks?.map((check) => check.annotations) ?? []].some(
    (annotations) => annotations !== undefined && KEYWORD in annotations
  )

interface Document {
  readonly schema: Params
  readonly definitions: Readonly<Record<string, Params>>
}

const document = (name: string, what: "input" | "output", schema: AnySchema): Document => {
  // Only what is sent to a tool is repeated.
  const keeps = (key: string): boolean => isExtension(key) && (what === "input" || key !== KEYWORD)
  try {
    const options = { includeAnnotationKey: keeps }
    return describe(schema.ast, Schema.toJsonSchemaDocument(Schema.toCodecJson(schema), options), keeps)
  } catch (cause) {
    throw new TypeError(
      `The ${what} schema of tool ${JSON.stringify(name)} cannot be written as JSON Schema: ${
        cause instanceof Error ? cause.message : String(cause)
      }`,
      { cause }
    )
  }
}

// MCP wants `type: "object"` at the root, where a class has a `$ref`.
const inlineRoot = ({ definitions, schema }: Document): Params => {
  const name = definitionOf(schema)
  const { $ref: _, ...own } = schema
  const root: Params = name === undefined ? schema : { ...definitions[name], ...own }
  // The schema of an empty struct is "anything but null".
  if (Predicate.isObject(root.not) && root.not.type === "null") return { type: "object" }
  const $defs = Object.fromEntries(
    // The root's own definition is left only to what refers to it again.
    Object.entries(definitions).filter(([key]) => key !== name || refersTo([root, definitions], key))
  )
  return Object.keys($defs).length === 0 ? root : { ...root, $defs }
}

const refersTo = (where: unknown, name: string): boolean =>
  JSON.stringify(where).includes(JSON.stringify({ $ref: `#/$defs/${name}` }).slice(1, -1))

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
