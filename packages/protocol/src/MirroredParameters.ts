/**
 * The parameters of a tool that a request repeats outside of its body, for those on its way who do not read bodies: which
 * they are, from the JSON Schema of the tool's input.
 *
 * Knows nothing of how a transport repeats them.
 *
 * Source: `server/tools#x-mcp-header` of revision 2026-07-28.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Params } from "./JsonRpc.ts"
import { cut } from "./Problem.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      /**
       * The name under which a transport repeats a parameter of a tool outside of the body. Only for text, integers and
       * booleans that are fields of the input, or of structs in it; one that may be left out is `Schema.optionalKey`.
       */
      readonly "x-mcp-header"?: string | undefined
    }
  }
}

/**
 * The keyword of JSON Schema, and the annotation of Effect's Schema, that names a parameter to be repeated.
 *
 * @since 0.1.0
 * @category keys
 */
export const KEYWORD = "x-mcp-header"

/**
 * - `name`: as the schema gives it. No two are equal but for case.
 * - `path`: the members that lead to the value, from the arguments.
 *
 * @since 0.1.0
 * @category models
 */
export interface Parameter {
  readonly name: string
  readonly path: ReadonlyArray<string>
  readonly type: "string" | "integer" | "boolean"
}

/**
 * The parameters that a tool's input schema names, or what is wrong with how it does. Walks the schema.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (inputSchema: Params): Result.Result<ReadonlyArray<Parameter>, string> => {
  const parameters = new Map<string, Parameter>()
  // A list and no recursion: whoever sent the schema may have nested it as deep as a message is long.
  const places: Array<Place> = [{ schema: inputSchema, key: "#", parent: undefined, reachable: true }]
  for (let index = 0; index < places.length; index++) {
    if (index === LARGEST) return Result.fail(`The schema has more than ${LARGEST} parts`)
    const place = places[index]!
    const { schema } = place
    if (Predicate.isObject(schema) && Object.hasOwn(schema, KEYWORD)) {
      const read = parameterAt(place, schema)
      if (Predicate.isString(read)) return Result.fail(read)
      const { name, path } = read
      const id = name.toLowerCase()
      const other = parameters.get(id)
      if (other !== undefined) {
        return Result.fail(`"${KEYWORD}" ${quote(name)} of ${dotted(path)} is taken by ${dotted(other.path)}`)
      }
      if (parameters.size === MOST) return Result.fail(`More than ${MOST} parameters have "${KEYWORD}"`)
      parameters.set(id, read)
    }
    within(place, places)
  }
  return Result.succeed([...parameters.values()])
}

// More headers than these pass through no server, and more parts than these are not in a message.
const MOST = 100
const LARGEST = 1_000_000

interface Place {
  readonly schema: unknown
  readonly key: string
  readonly parent: Place | undefined
  /** Whether nothing but `properties` leads here. */
  readonly reachable: boolean
}

// Keywords that hold values, and keywords that hold schemas by names of any kind.
const values = new Set(["enum", "const", "default", "examples", KEYWORD])
const named = new Set(["patternProperties", "$defs", "definitions", "dependentSchemas"])

const within = (place: Place, places: Array<Place>): void => {
  const { reachable, schema } = place
  if (Array.isArray(schema)) return add(places, place, schema, false)
  if (!Predicate.isObject(schema)) return
  for (const [key, value] of Object.entries(schema)) {
    if (values.has(key) || typeof value !== "object" || value === null) continue
    const next: Place = { schema: value, key, parent: place, reachable: false }
    if (key === "properties") add(places, next, value, reachable)
    else if (named.has(key)) add(places, next, value, false)
    else places.push(next)
  }
}

const add = (places: Array<Place>, parent: Place, schemas: object, reachable: boolean): void => {
  for (const [key, schema] of Object.entries(schemas)) {
    if (typeof schema === "object" && schema !== null) places.push({ schema, key, parent, reachable })
  }
}

// A token of HTTP, since that is what the specification has it become a part of.
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

const parameterAt = (place: Place, schema: Params): Parameter | string => {
  const name = schema[KEYWORD]
  const { type } = schema
  if (!place.reachable || place.parent === undefined) {
    return `"${KEYWORD}" is at ${pointer(place)}, but only properties that "properties" alone leads to may have it`
  }
  if (!Predicate.isString(name) || !token.test(name)) {
    return `"${KEYWORD}" at ${pointer(place)} must be letters, digits and !#$%&'*+-.^_\`|~, not ${quote(name)}`
  }
  if (type !== "string" && type !== "integer" && type !== "boolean") {
    return `"${KEYWORD}" at ${pointer(place)} is for the types "string", "integer" and "boolean", not ${quote(type)}`
  }
  // Every other key on the way is `properties`.
  const path = keysOf(place).filter((_, index) => index > 0 && index % 2 === 0)
  return { name, path, type }
}

const keysOf = (place: Place): ReadonlyArray<string> => {
  const keys: Array<string> = []
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) keys.push(at.key)
  return keys.toReversed()
}

const pointer = (place: Place): string => cut(keysOf(place).join("/"), 200)

const dotted = (path: ReadonlyArray<string>): string => quote(path.join("."))

const quote = (value: unknown): string => value === undefined ? "none" : cut(JSON.stringify(value), 200)
