/** How a revision writes the fields of a form, and what it cannot write. */
import * as Result from "effect/Result"
import type { Params } from "../JsonRpc.ts"
import type { Wire } from "../Revision.ts"
import type { ChoiceKind, ChoicesKind, Field, Kind, Option } from "./elicitationField.ts"

export const requestedSchema = (
  fields: Readonly<Record<string, Field>>,
  wire: Wire
): Result.Result<Params, string> => {
  const properties: Array<readonly [string, Params]> = []
  const required: Array<string> = []
  for (const [name, field] of Object.entries(fields)) {
    if (wire.elicitation !== "full" && field.kind.type === "choices") {
      return Result.fail(
        `The field ${JSON.stringify(name)} is a choice of several, which this revision of the protocol cannot ask for`
      )
    }
    properties.push([name, property(field, wire)])
    if (field.required) required.push(name)
  }
  const root = { type: "object", properties: Object.fromEntries(properties) }
  return Result.succeed(required.length === 0 ? root : { ...root, required })
}

const property = (field: Field, wire: Wire): Params => {
  const full = wire.elicitation === "full"
  // A default that cannot be written is still what a missing answer becomes.
  const fallback = full || field.kind.type === "boolean" ? field.default : undefined
  const all: Params = {
    ...kind(field.kind, full && !field.legacy),
    title: field.title,
    description: field.description,
    default: fallback
  }
  return Object.fromEntries(Object.entries(all).filter(([_, value]) => value !== undefined))
}

const kind = (kind: Kind, full: boolean): Params => {
  switch (kind.type) {
    case "choice":
      return choice(kind, full)
    case "choices":
      return choices(kind)
    default:
      return { ...kind }
  }
}

const choice = ({ options }: ChoiceKind, full: boolean): Params => {
  if (!isTitled(options)) return { type: "string", enum: options.map(({ value }) => value) }
  const titled = options.map(withTitle)
  return full
    ? { type: "string", oneOf: titled }
    : { type: "string", enum: titled.map((option) => option.const), enumNames: titled.map(({ title }) => title) }
}

const choices = ({ maxItems, minItems, options }: ChoicesKind): Params => ({
  type: "array",
  minItems,
  maxItems,
  items: isTitled(options)
    ? { anyOf: options.map(withTitle) }
    : { type: "string", enum: options.map(({ value }) => value) }
})

const isTitled = (options: ReadonlyArray<Option>): boolean => options.some(({ title }) => title !== undefined)

const withTitle = ({ title, value }: Option) => ({ const: value, title: title ?? value })
