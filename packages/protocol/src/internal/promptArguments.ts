/** The arguments that a prompt lists, from the struct that they decode to. */
import * as SchemaAST from "effect/SchemaAST"

interface Argument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required: boolean
}

/** The arguments by the fields of a struct; throws for one that is not text on the wire. */
export const list = (prompt: string, ast: SchemaAST.Objects): ReadonlyArray<Argument> => {
  // What may be absent on the wire is said by the encoded side: a default makes a field optional only there.
  const encoded = new Map(fieldsOf(SchemaAST.toEncoded(ast)).map(({ name, type }) => [name, type]))
  return ast.propertySignatures.map(({ name, type }) => {
    const wire = encoded.get(name)
    if (wire === undefined || !isText(wire)) {
      throw new TypeError(
        `The argument ${JSON.stringify(String(name))} of prompt ${JSON.stringify(prompt)} must be text on the wire, ` +
          "such as Schema.String, Schema.Literals or Schema.NumberFromString"
      )
    }
    return { name: String(name), ...texts(type), required: !SchemaAST.isOptional(wire) }
  })
}

const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> =>
  ast._tag === "Objects" ? ast.propertySignatures : []

const isText = (ast: SchemaAST.AST): boolean => {
  switch (ast._tag) {
    case "String":
    case "TemplateLiteral":
      return true
    case "Literal":
      return typeof ast.literal === "string"
    case "Enum":
      return ast.enums.every(([_, value]) => typeof value === "string")
    case "Union": {
      const types = ast.types.filter((type) => type._tag !== "Undefined")
      return types.length > 0 && types.every(isText)
    }
    default:
      return false
  }
}

const texts = (ast: SchemaAST.AST): { readonly title?: string; readonly description?: string } => {
  // The union with `undefined` of an optional value has none of its own.
  const [only, ...others] = ast._tag === "Union" ? ast.types.filter((type) => type._tag !== "Undefined") : []
  const inner = only !== undefined && others.length === 0 ? SchemaAST.resolve(only) : undefined
  const all: Record<string, unknown> = { ...inner, ...SchemaAST.resolve(ast), ...ast.context?.annotations }
  return Object.fromEntries(
    ["title", "description"].flatMap((key) => typeof all[key] === "string" ? [[key, all[key]]] : [])
  )
}
