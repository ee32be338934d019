/** Whether the content of a form fits what was asked for. */
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Schema from "effect/Schema"

/** What is wrong with it, by the names of fields and without their values. */
export const problem = (
  { properties, required = [] }: Elicitation.RequestedSchema,
  content: Params
): string | undefined => {
  const problems = Object.entries(content).flatMap(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    const wrong = property === undefined ? "is not asked for" : wrongWith(property, value)
    return wrong === undefined ? [] : [`${JSON.stringify(name)} ${wrong}`]
  })
  const missing = required.filter((name) => !Object.hasOwn(content, name)).map((name) =>
    `${JSON.stringify(name)} is missing`
  )
  const all = [...missing, ...problems]
  return all.length === 0 ? undefined : all.join(", ")
}

const wrongWith = (property: Elicitation.Property, value: unknown): string | undefined => {
  switch (property.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false"
    case "number":
    case "integer":
      return wrongNumber(property, value)
    case "string":
      return wrongText(property, value)
    case "array":
      return wrongChoices(property, value)
  }
}

type Of<T extends Elicitation.Property["type"]> = Elicitation.Property & { readonly type: T }

const wrongNumber = ({ maximum, minimum, type }: Of<"number" | "integer">, value: unknown): string | undefined => {
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number"
  if (type === "integer" && !Number.isInteger(value)) return "must be an integer"
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`
  return maximum !== undefined && value > maximum ? `must be at most ${maximum}` : undefined
}

const wrongText = (property: Of<"string">, value: unknown): string | undefined => {
  const { format, maxLength, minLength } = property
  if (typeof value !== "string") return "must be a text"
  const options = Elicitation.optionsOf(property)
  if (options !== undefined) {
    return options.some((option) => option.value === value) ? undefined : "must be one of the choices"
  }
  const { length } = [...value]
  if (minLength !== undefined && length < minLength) return `must have at least ${minLength} characters`
  if (maxLength !== undefined && length > maxLength) return `must have at most ${maxLength} characters`
  const is = format === undefined ? undefined : formats.get(format)
  // A pattern is not tried: it is the server's, and may take for ever.
  return is !== undefined && !is(value) ? `must be of the format ${format}` : undefined
}

const formats = new Map([
  ["email", Schema.is(Elicitation.email)],
  ["uri", Schema.is(Elicitation.uri)],
  ["date", Schema.is(Elicitation.date)],
  ["date-time", Schema.is(Elicitation.dateTime)]
])

const wrongChoices = (property: Of<"array">, value: unknown): string | undefined => {
  const { maxItems, minItems } = property
  const options = Elicitation.optionsOf(property) ?? []
  if (!Array.isArray(value)) return "must be a list of choices"
  if (value.some((item) => !options.some((option) => option.value === item))) return "must hold choices only"
  if (new Set(value).size !== value.length) return "must hold each choice once"
  if (minItems !== undefined && value.length < minItems) return `must hold at least ${minItems} choices`
  return maxItems !== undefined && value.length > maxItems ? `must hold at most ${maxItems} choices` : undefined
}
