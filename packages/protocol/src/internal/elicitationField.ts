/**
 * What a field of a form is, read from its schema: one of the few kinds that an elicitation can ask for.
 *
 * Knows no revision. A constraint that no wire can say is left to the schema, which checks the answer.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { AnySchema } from "../Tool.ts"

export interface Option {
  readonly value: string
  readonly title: string | undefined
}

export interface TextKind {
  readonly type: "string"
  readonly minLength: number | undefined
  readonly maxLength: number | undefined
  readonly format: string | undefined
}

export interface NumberKind {
  readonly type: "number" | "integer"
  readonly minimum: number | undefined
  readonly maximum: number | undefined
}

export interface ChoiceKind {
  readonly type: "choice"
  readonly options: ReadonlyArray<Option>
}

export interface ChoicesKind {
  readonly type: "choices"
  readonly options: ReadonlyArray<Option>
  readonly minItems: number | undefined
  readonly maxItems: number | undefined
}

export type Kind = TextKind | NumberKind | { readonly type: "boolean" } | ChoiceKind | ChoicesKind

export interface Field {
  readonly kind: Kind
  readonly title: string | undefined
  readonly description: string | undefined
  /** As on the wire. */
  readonly default: unknown
  readonly required: boolean
  /** Whether titled choices are written as the first revision that had them wrote them. */
  readonly legacy: boolean
}

/** The annotation that asks for it. */
export const LEGACY = "mcp-effect/legacyTitles"

/** The field of a name; throws for a schema of another kind, and for a default that does not fit its own schema. */
export const make = (name: string, schema: AnySchema): Field => {
  const kind = kindOf(schema.ast)
  if (kind === undefined) {
    throw new TypeError(
      `The field ${JSON.stringify(name)} of a form must be a text, a number, a boolean, a choice of texts, ` +
        "or an array of such choices"
    )
  }
  const { [LEGACY]: legacy, description, title } = annotationsOf(schema.ast)
  const value = defaultOf(name, schema)
  // The JSON of such a number is a text.
  if (isNumeric(kind) && typeof value === "string") {
    throw new TypeError(`The default of the field ${JSON.stringify(name)} of a form must be finite, and is ${value}`)
  }
  return {
    kind,
    title: typeof title === "string" ? title : undefined,
    description: typeof description === "string" ? description : undefined,
    default: value,
    legacy: legacy === true,
    required: value === undefined && !SchemaAST.isOptional(SchemaAST.toEncoded(schema.ast))
  }
}

export const isNumeric = ({ type }: Kind): boolean => type === "number" || type === "integer"

const kindOf = (ast: SchemaAST.AST): Kind | undefined => {
  const shape = shapeOf(ast)
  switch (shape._tag) {
    case "String":
      return textOf(shape, ast)
    case "Number":
      return numberOf(shape)
    case "Boolean":
      return { type: "boolean" }
    case "Arrays":
      return choicesOf(shape)
    case "Literal":
      // A title of a lone literal is the field's.
      return typeof shape.literal === "string"
        ? { type: "choice", options: [{ value: shape.literal, title: undefined }] }
        : undefined
    default: {
      const only = valueOf(shape)
      if (only !== shape) return kindOf(only)
      const options = optionsOf(shape)
      return options && { type: "choice", options }
    }
  }
}

// The side of a schema that says what the wire may hold. What is written as it is has all of its checks on the outside;
// of what is transformed, the inside counts.
const shapeOf = (ast: SchemaAST.AST): SchemaAST.AST => {
  const same = ast.encoding?.every(({ transformation: { encode } }) =>
    "_tag" in encode && encode._tag === "Passthrough"
  )
  const shape = same === true ? SchemaAST.toType(ast) : ast
  return shape._tag === "Declaration" || shape.encoding !== undefined
    ? SchemaAST.toEncoded(Schema.toCodecJson(Schema.make(shape)).ast)
    : shape
}

// `Schema.optional` makes a union with `undefined`, which JSON has not.
const valueOf = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (ast._tag !== "Union" || ast.types.every((type) => type._tag !== "Undefined")) return ast
  const [only, ...others] = ast.types.filter((type) => type._tag !== "Undefined")
  return only !== undefined && others.length === 0 ? only : ast
}

const checksOf = (ast: SchemaAST.AST): ReadonlyArray<Schema.Annotations.Annotations> => {
  const flat = (check: SchemaAST.Check<never>): ReadonlyArray<Schema.Annotations.Annotations> => [
    ...(check._tag === "FilterGroup" ? check.checks.flatMap(flat) : []),
    ...(check.annotations === undefined ? [] : [check.annotations])
  ]
  return ast.checks?.flatMap(flat) ?? []
}

const payloadsOf = (ast: SchemaAST.AST): ReadonlyArray<{ readonly [x: PropertyKey]: unknown }> =>
  checksOf(ast).flatMap(({ representation }) => {
    const payload = Predicate.isObject(representation) ? representation.payload : undefined
    return Predicate.isObject(payload) ? [payload] : []
  })

const tightest = (
  all: ReadonlyArray<number>,
  of: (...all: ReadonlyArray<number>) => number
): number | undefined => all.length === 0 ? undefined : of(...all)

// Of texts and arrays; some checks call their bounds by a name of their own.
const length = (ast: SchemaAST.AST, of: "min" | "max"): number | undefined => {
  const names = [`${of}Length`, `${of}CodePoints`, `${of}imum`]
  const all = payloadsOf(ast).flatMap((payload) => names.map((name) => payload[name]))
  return tightest(all.filter(Predicate.isNumber), of === "min" ? Math.max : Math.min)
}

const formats: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"])

const wellKnown: Readonly<Record<string, string>> = {
  "effect/schema/Date": "date-time",
  "effect/schema/DateTimeUtc": "date-time",
  "effect/schema/URL": "uri"
}

const textOf = (shape: SchemaAST.String, ast: SchemaAST.AST): TextKind => {
  const all = [ast.annotations, shape.annotations, ...checksOf(ast), ...checksOf(shape)]
  const format = all.map((annotations) => annotations?.format).find((format) => formats.has(format))
  const representation = ast.annotations?.representation
  const known = Predicate.isObject(representation) ? wellKnown[String(representation.id)] : undefined
  return {
    type: "string",
    minLength: length(shape, "min"),
    maxLength: length(shape, "max"),
    format: typeof format === "string" ? format : known
  }
}

const isInteger = (ast: SchemaAST.AST): boolean =>
  checksOf(ast).some(({ representation }) =>
    Predicate.isObject(representation) && representation.id === "effect/schema/isInt"
  )

const numberOf = (shape: SchemaAST.Number): NumberKind => {
  const integer = isInteger(shape)
  // The wire knows inclusive bounds only: the next integer is exact, and the bound of other numbers nearly so.
  const next = (bound: number, by: 1 | -1): number =>
    !integer ? bound : by === 1 ? Math.floor(bound) + 1 : Math.ceil(bound) - 1
  const all = payloadsOf(shape)
  const bounds = (inclusive: string, exclusive: string, by: 1 | -1): ReadonlyArray<number> =>
    all.flatMap(({ [inclusive]: at, [exclusive]: beyond }) =>
      typeof beyond === "number"
        ? [next(beyond, by)]
        : typeof at !== "number"
        ? []
        : [beyond === true ? next(at, by) : at]
    )
  return {
    type: integer ? "integer" : "number",
    minimum: tightest(bounds("minimum", "exclusiveMinimum", 1), Math.max),
    maximum: tightest(bounds("maximum", "exclusiveMaximum", -1), Math.min)
  }
}

const optionsOf = (ast: SchemaAST.AST): ReadonlyArray<Option> | undefined => {
  switch (ast._tag) {
    case "Literal": {
      const { title } = annotationsOf(ast)
      return typeof ast.literal === "string"
        ? [{ value: ast.literal, title: typeof title === "string" ? title : undefined }]
        : undefined
    }
    case "Enum":
      return together(ast.enums.map(([title, value]) => typeof value === "string" ? [{ value, title }] : undefined))
    case "Union":
      return together(ast.types.map(optionsOf))
    default:
      return undefined
  }
}

const together = (
  all: ReadonlyArray<ReadonlyArray<Option> | undefined>
): ReadonlyArray<Option> | undefined => {
  const options = all.flatMap((some) => some ?? [])
  return options.length > 0 && all.every(Predicate.isNotUndefined) ? options : undefined
}

const choicesOf = (ast: SchemaAST.Arrays): ChoicesKind | undefined => {
  const [item, ...others] = ast.rest
  const options = item === undefined || others.length > 0 ? undefined : optionsOf(shapeOf(item))
  if (item === undefined || options === undefined) return undefined
  // The elements of a non-empty array are choices of the same.
  const values = (ast: SchemaAST.AST): string | undefined => optionsOf(shapeOf(ast))?.map(({ value }) => value).join()
  if (ast.elements.some((element) => values(element) !== values(item))) return undefined
  const minItems = Math.max(length(ast, "min") ?? 0, ast.elements.length)
  return {
    type: "choices",
    options,
    minItems: minItems === 0 ? undefined : minItems,
    maxItems: length(ast, "max")
  }
}

// What a key is annotated with is said of this place; what the type is annotated with, of any.
const annotationsOf = (ast: SchemaAST.AST): Schema.Annotations.Annotations => ({
  ...SchemaAST.resolve(valueOf(ast)),
  ...SchemaAST.resolve(ast),
  ...ast.context?.annotations
})

// Of an annotation, or what the schema decodes to where the key is missing.
const defaultOf = (name: string, schema: AnySchema): unknown => {
  const codec = Schema.toCodecJson(Schema.Struct({ value: schema }))
  const given = annotationsOf(schema.ast).default
  const missing = SchemaAST.isOptional(SchemaAST.toEncoded(schema.ast)) && !SchemaAST.isOptional(schema.ast)
  if (given === undefined && !missing) return undefined
  try {
    const value = given === undefined ? Schema.decodeUnknownSync(codec)({}) : { value: given }
    const { value: written } = Schema.encodeUnknownSync(codec)(value) as { readonly value?: unknown }
    return written
  } catch (cause) {
    throw new TypeError(
      `The default of the field ${JSON.stringify(name)} of a form does not fit: ${
        cause instanceof Error ? cause.message : String(cause)
      }`,
      { cause }
    )
  }
}
