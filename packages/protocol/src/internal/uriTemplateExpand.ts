/** The expansion of RFC 6570, section 3: literals and values become a URI. */
import { type Expression, type Part, type Spec, type Style, styles } from "./uriTemplateParse.ts"
import { encode, first } from "./uriTemplateText.ts"

export type Value = string | ReadonlyArray<string> | { readonly [x: string]: string }

export type Values = { readonly [x: string]: Value | undefined }

export const expand = (parts: ReadonlyArray<Part>, values: Values): string =>
  parts.map((part) => typeof part === "string" ? encode(part, true) : expandExpression(part, values)).join("")

const expandExpression = ({ operator, specs }: Expression, values: Values): string => {
  const style = styles[operator]
  const pieces = specs.flatMap((spec) => {
    // A variable may be named like what every object inherits.
    const value = Object.hasOwn(values, spec.name) ? values[spec.name] : undefined
    return value === undefined || value === null ? [] : expandValue(style, spec, value)
  })
  return pieces.length === 0 ? "" : style.first + pieces.join(style.separator)
}

const isList = (value: Value): value is ReadonlyArray<string> => Array.isArray(value)

const expandValue = (style: Style, spec: Spec, value: Value): ReadonlyArray<string> => {
  const write = (text: string): string => encode(text, style.reserved)
  const named = (name: string, written: string): string => written === "" ? name + style.ifEmpty : `${name}=${written}`
  const one = (written: string): string => style.named ? named(spec.name, written) : written
  if (typeof value === "string") {
    return [one(write(spec.prefix === undefined ? value : first(value, spec.prefix, style.reserved)))]
  }
  if (spec.prefix !== undefined) {
    throw new TypeError(`{${spec.name}:${spec.prefix}} is the beginning of a text, and the value is a list or a map`)
  }
  if (isList(value)) {
    const written = value.map(write)
    if (spec.explode) return written.map(one)
    return written.length === 0 ? [] : [one(written.join(","))]
  }
  const entries = Object.entries(value).map(([name, text]) => [write(name), write(text)] as const)
  if (spec.explode) {
    return entries.map(([name, written]) => style.named ? named(name, written) : `${name}=${written}`)
  }
  return entries.length === 0 ? [] : [one(entries.flat().join(","))]
}
