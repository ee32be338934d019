/**
 * Texts for people in a JSON Schema: a schema whose JSON is another type (a date, a number with its infinities) loses its
 * title and description on the way, which are all that a model has to go by.
 */
import * as Predicate from "effect/Predicate"
import type * as SchemaAST from "effect/SchemaAST"
import type { Params } from "../JsonRpc.ts"

/** The JSON Schema of an AST with the texts that the AST has and the JSON Schema lacks. Follows structs and arrays. */
export const describe = (ast: SchemaAST.AST, schema: Params): Params => ({
  ...texts(ast),
  ...hoist(schema),
  ...inside(ast, schema)
})

const texts = (ast: SchemaAST.AST): Params => {
  // What a key is annotated with is said of this place; what the type is annotated with, of any.
  const all: Params = { ...ast.annotations, ...ast.context?.annotations }
  return Object.fromEntries(
    ["title", "description"].flatMap((key) => typeof all[key] === "string" ? [[key, all[key]]] : [])
  )
}

// Effect writes the annotations of a key as the only member of an `allOf`.
const hoist = ({ allOf, ...rest }: Params): Params => {
  if (!Array.isArray(allOf)) return allOf === undefined ? rest : { ...rest, allOf }
  const [only] = allOf
  const isTexts = allOf.length === 1 && Predicate.isObject(only) &&
    Object.keys(only).every((key) => key === "title" || key === "description")
  return isTexts ? { ...rest, ...only } : { ...rest, allOf }
}

const inside = (ast: SchemaAST.AST, schema: Params): Params => {
  const { items, properties } = schema
  const fields = fieldsOf(ast)
  if (fields !== undefined && Predicate.isObject(properties)) {
    const described = { ...properties }
    for (const { name, type } of fields) {
      const property = described[name]
      if (Predicate.isObject(property)) described[name] = describe(type, property)
    }
    return { properties: described }
  }
  const [item] = ast._tag === "Arrays" ? ast.rest : []
  return item !== undefined && Predicate.isObject(items) ? { items: describe(item, items) } : {}
}

// The fields of a struct, or of the struct that a class is encoded as.
const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> | undefined => {
  if (ast._tag === "Objects") return ast.propertySignatures
  const to = ast._tag === "Declaration" ? ast.encoding?.[0].to : undefined
  return to?._tag === "Objects" ? to.propertySignatures : undefined
}
