/**
 * Texts and formats in a JSON Schema: a schema whose JSON is another type (a date, a number with its infinities) loses its
 * title and description on the way, which are all that a model has to go by. So does one with a keyword of an extension
 * (`x-...`).
 */
import * as Predicate from "effect/Predicate"
import type * as SchemaAST from "effect/SchemaAST"
import type { Params } from "../JsonRpc.ts"

interface Document {
  readonly schema: Params
  readonly definitions: Readonly<Record<string, Params>>
}

/**
 * The document with the texts that the AST has and the JSON lacks, and those extensions that are kept. Follows structs,
 * classes and arrays.
 */
export const describe = (ast: SchemaAST.AST, document: Document, keeps: (key: string) => boolean): Document => {
  const definitions: Record<string, Params> = { ...document.definitions }
  const described = new Set<string>()

  const at = (ast: SchemaAST.AST, schema: Params): Params => {
    const name = definitionOf(schema)
    const definition = name === undefined ? undefined : definitions[name]
    if (name !== undefined && definition !== undefined && !described.has(name)) {
      described.add(name)
      definitions[name] = { ...definition, ...inside(ast, definition) }
    }
    return { ...hoist(schema), ...inside(ast, schema), ...format(ast, schema), ...texts(ast, keeps) }
  }
  const inside = (ast: SchemaAST.AST, { items, properties }: Params): Params => {
    const fields = fieldsOf(ast)
    if (fields !== undefined && Predicate.isObject(properties)) {
      const all: Record<PropertyKey, unknown> = { ...properties }
      for (const { name, type } of fields) {
        const property = all[name]
        // A declared type that says nothing of its JSON; no value of it would pass.
        if (type._tag === "Declaration" && Predicate.isObject(property) && Object.keys(property).length === 0) {
          throw new TypeError(`The field ${JSON.stringify(String(name))} has no JSON form`)
        }
        if (Predicate.isObject(property)) all[name] = at(type, property)
      }
      return { properties: all }
    }
    const [item] = ast._tag === "Arrays" ? ast.rest : []
    return item !== undefined && Predicate.isObject(items) ? { items: at(item, items) } : {}
  }
  const schema = at(ast, document.schema)
  return { schema, definitions }
}

/** The name of the definition that a schema refers to. */
export const definitionOf = ({ $ref }: Params): string | undefined =>
  typeof $ref === "string" && $ref.startsWith("#/$defs/") ? $ref.slice("#/$defs/".length) : undefined

/** Whether a keyword is one of an extension, which Effect leaves out unless it is told. */
export const isExtension = (key: string): boolean => key.startsWith("x-")

const isText = (key: string): boolean => key === "title" || key === "description"

const texts = (ast: SchemaAST.AST, keeps: (key: string) => boolean): Params => {
  // What a key is annotated with is said of this place; what the type is annotated with, of any.
  const all: Params = { ...ast.annotations, ...ast.context?.annotations }
  return Object.fromEntries(
    Object.entries(all).filter(([key, value]) => typeof value === "string" && (isText(key) || keeps(key)))
  )
}

// Effect writes the annotations of a key, or of a check, as a member of an `allOf`.
const hoist = ({ allOf, ...rest }: Params): Params => {
  if (!Array.isArray(allOf)) return rest
  const [only] = allOf
  if (allOf.length === 1 && Predicate.isObject(only) && belongs(only, rest)) return { ...rest, ...only }
  const extensions = allOf.flatMap((item) => Predicate.isObject(item) ? Object.entries(item) : [])
    .filter(([key]) => isExtension(key))
  if (extensions.length === 0) return { ...rest, allOf }
  return { ...rest, ...Object.fromEntries(extensions), allOf: allOf.map(withoutExtensions) }
}

const withoutExtensions = (item: unknown): unknown =>
  Predicate.isObject(item) ? Object.fromEntries(Object.entries(item).filter(([key]) => !isExtension(key))) : item

const belongs = (item: Params, rest: Params): boolean => {
  const keys = Object.keys(item)
  return keys.every((key) => isText(key)) || (keys.some(isExtension) && keys.every((key) => !(key in rest)))
}

const formats: Readonly<Record<string, string>> = {
  "effect/schema/Date": "date-time",
  "effect/schema/DateTimeUtc": "date-time",
  "effect/schema/URL": "uri"
}

// Any text is advertised for a date, which no model can know.
const format = (ast: SchemaAST.AST, schema: Params): Params => {
  const representation = ast.annotations?.representation
  if (schema.type !== "string" || !Predicate.isObject(representation)) return {}
  const format = formats[String(representation.id)]
  return format === undefined ? {} : { format }
}

// The fields of a struct, or of the struct that a class is encoded as.
const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> | undefined => {
  if (ast._tag === "Objects") return ast.propertySignatures
  const to = ast._tag === "Declaration" ? ast.encoding?.[0].to : undefined
  return to?._tag === "Objects" ? to.propertySignatures : undefined
}
