/**
 * The JSON Schema of each revision, out of the official conformance suite's bundle: the only package that ships them.
 *
 * The bundle is a program, so its schemas are read from its text, and told apart by what only one of them defines. It
 * has no schema of 2024-11-05, which is made from that of 2025-03-26 by taking away what came with it.
 */
import type * as Revision from "@mcp-effect/protocol/Revision"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { runInNewContext } from "node:vm"

/** A definition, or any part of one. */
export interface Schema {
  readonly [key: string]: unknown
}

/** A revision's schema: its dialect, the pointer to its definitions, and these. */
export interface Document {
  readonly dialect: string
  readonly pointer: "#/$defs/" | "#/definitions/"
  readonly definitions: { readonly [name: string]: Schema }
}

type Mutable = { [key: string]: Mutable }

const MARKS: ReadonlyArray<readonly [Revision.Name, string]> = [
  ["2026-07-28", "DiscoverRequest"],
  ["2025-11-25", "GetTaskRequest"],
  ["2025-06-18", "ElicitRequest"],
  ["2025-03-26", "JSONRPCBatchRequest"]
]

const bundle = (): string => {
  const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")
  return readFileSync(join(dirname(manifest), "dist/index.js"), "utf8")
}

// Where the object literal that starts here ends. Braces inside of strings do not count.
const endOf = (text: string, start: number): number => {
  let depth = 0
  let quote: string | undefined
  for (let i = start; i < text.length; i++) {
    const c = text.charAt(i)
    if (quote !== undefined) {
      if (c === "\\") i++
      else if (c === quote) quote = undefined
    } else if (c === "`" || c === "\"" || c === "'") quote = c
    else if (c === "{") depth++
    else if (c === "}" && --depth === 0) return i + 1
  }
  throw new Error("A schema in @modelcontextprotocol/conformance has no end")
}

const START = /\{\$schema:[`"']https?:\/\/json-schema\.org\/[^`"']*[`"'],(?:\$defs|definitions):\{/g

const literals = (text: string): ReadonlyArray<Mutable> =>
  Array.from(text.matchAll(START), ({ index }) =>
    // Through JSON, so that the objects are of this realm.
    JSON.parse(JSON.stringify(runInNewContext(`(${text.slice(index, endOf(text, index))})`))))

const toDocument = (schema: Mutable): Document => {
  const modern = schema.$defs !== undefined
  return {
    dialect: String(schema.$schema),
    pointer: modern ? "#/$defs/" : "#/definitions/",
    definitions: schema.$defs ?? schema.definitions ?? {}
  }
}

// The bundle's copies are older than the specification's corrections: a number's bounds need not be integers. Nor need
// the number that a user enters, as the schema's TypeScript source says, from which no copy is made well.
const corrected = (schema: Mutable): Mutable => {
  const { ElicitResult, NumberSchema } = schema.$defs ?? schema.definitions ?? {}
  for (const member of ["minimum", "maximum", "default"]) {
    const part: Schema | undefined = NumberSchema?.properties?.[member]
    if (part?.type === "integer") Object.assign(part, { type: "number" })
  }
  const entered: Schema | undefined = ElicitResult?.properties?.content?.additionalProperties
  for (const part of entered === undefined ? [] : [entered, ...alternatives(entered)]) {
    if (!Array.isArray(part.type)) continue
    Object.assign(part, { type: part.type.map((type: unknown) => type === "integer" ? "number" : type) })
  }
  return schema
}

const alternatives = ({ anyOf }: Schema): ReadonlyArray<Schema> => Array.isArray(anyOf) ? anyOf : []

const BATCH = /Batch(Request|Response)$/

// 2025-03-26 brought batches, audio, tool annotations, a message with progress, and the completions capability.
const firstOf = (second: Mutable): Mutable => {
  const schema = structuredClone(second)
  const definitions = schema.definitions ?? {}
  for (const name of Object.keys(definitions)) if (BATCH.test(name)) delete definitions[name]
  for (const name of ["AudioContent", "ToolAnnotations"]) delete definitions[name]
  delete definitions.Tool?.properties?.annotations
  delete definitions.ServerCapabilities?.properties?.completions
  delete definitions.ProgressNotification?.properties?.params?.properties?.message
  withoutAlternatives(schema)
  return schema
}

const withoutAlternatives = (schema: Mutable): void => {
  for (const [key, value] of Object.entries<unknown>(schema)) {
    if (key === "anyOf" && Array.isArray(value)) Object.assign(schema, { anyOf: value.filter(isOfFirst) })
    else if (typeof value === "object" && value !== null) {
      // Sound: a parsed JSON object.
      withoutAlternatives(value as Mutable)
    }
  }
}

const isOfFirst = (alternative: Schema): boolean =>
  alternative.$ref !== "#/definitions/AudioContent" && alternative.type !== "array"

/** The schemas of all revisions. Throws when the bundle does not hold what it held. */
export const load = (): ReadonlyMap<Revision.Name, Document> => {
  const found = literals(bundle())
  const schemas = new Map<Revision.Name, Mutable>()
  for (const schema of found) {
    const definitions = schema.$defs ?? schema.definitions ?? {}
    const mark = MARKS.find(([, name]) => name in definitions)
    if (mark !== undefined && !schemas.has(mark[0])) schemas.set(mark[0], corrected(schema))
  }
  const second = schemas.get("2025-03-26")
  if (second === undefined || schemas.size !== MARKS.length) {
    const names = [...schemas.keys()].join(", ")
    throw new Error(`@modelcontextprotocol/conformance was to hold four schemas, but holds those of: ${names}`)
  }
  schemas.set("2024-11-05", firstOf(second))
  return new Map(Array.from(schemas, ([name, schema]) => [name, toDocument(schema)]))
}
