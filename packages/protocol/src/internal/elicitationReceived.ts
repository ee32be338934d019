/** An elicitation as it is received, of any revision. Members that a client has no use for are left out. */
import * as Schema from "effect/Schema"

const Texts = { title: Schema.optionalKey(Schema.String), description: Schema.optionalKey(Schema.String) }

const Titled = Schema.Array(Schema.Struct({ const: Schema.String, title: Schema.optionalKey(Schema.String) }))

const Enum = Schema.Array(Schema.String)

const Choices = Schema.Struct({
  type: Schema.Literal("array"),
  ...Texts,
  items: Schema.Union([
    Schema.Struct({ anyOf: Titled }),
    Schema.Struct({ oneOf: Titled }),
    Schema.Struct({ type: Schema.optionalKey(Schema.Literal("string")), enum: Enum })
  ]),
  minItems: Schema.optionalKey(Schema.Finite),
  maxItems: Schema.optionalKey(Schema.Finite),
  default: Schema.optionalKey(Enum)
})

const Text = Schema.Struct({
  type: Schema.Literal("string"),
  ...Texts,
  oneOf: Schema.optionalKey(Titled),
  enum: Schema.optionalKey(Enum),
  // Titles of choices, up to 2025-06-18.
  enumNames: Schema.optionalKey(Enum),
  minLength: Schema.optionalKey(Schema.Finite),
  maxLength: Schema.optionalKey(Schema.Finite),
  pattern: Schema.optionalKey(Schema.String),
  format: Schema.optionalKey(Schema.String),
  default: Schema.optionalKey(Schema.String)
})

const Numeric = Schema.Struct({
  type: Schema.Literals(["number", "integer"]),
  ...Texts,
  minimum: Schema.optionalKey(Schema.Finite),
  maximum: Schema.optionalKey(Schema.Finite),
  default: Schema.optionalKey(Schema.Finite)
})

const Flag = Schema.Struct({
  type: Schema.Literal("boolean"),
  ...Texts,
  default: Schema.optionalKey(Schema.Boolean)
})

export const Property = Schema.Union([Text, Numeric, Flag, Choices])

export const RequestedSchema = Schema.Struct({
  type: Schema.Literal("object"),
  properties: Schema.Record(Schema.String, Property),
  required: Schema.optionalKey(Schema.Array(Schema.String))
})

const Meta = Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))

export const Received = Schema.Union([
  Schema.Struct({
    mode: Schema.Literal("url"),
    message: Schema.String,
    url: Schema.String,
    elicitationId: Schema.optionalKey(Schema.String),
    _meta: Meta
  }),
  Schema.Struct({
    mode: Schema.optionalKey(Schema.Literal("form")),
    message: Schema.String,
    requestedSchema: RequestedSchema,
    _meta: Meta
  })
])

export interface Option {
  readonly value: string
  readonly title: string
}

export const optionsOf = (property: typeof Property.Type): ReadonlyArray<Option> | undefined => {
  switch (property.type) {
    case "string": {
      if (property.oneOf !== undefined) return titled(property.oneOf)
      return property.enum?.map((value, i) => ({ value, title: property.enumNames?.[i] ?? value }))
    }
    case "array": {
      const { items } = property
      if ("anyOf" in items) return titled(items.anyOf)
      return "oneOf" in items ? titled(items.oneOf) : items.enum.map((value) => ({ value, title: value }))
    }
    default:
      return undefined
  }
}

const titled = (options: typeof Titled.Type): ReadonlyArray<Option> =>
  options.map(({ const: value, title }) => ({ value, title: title ?? value }))
