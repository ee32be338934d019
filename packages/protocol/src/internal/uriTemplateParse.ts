/** The grammar of RFC 6570, section 2: a text becomes literals and expressions, or a sentence that says why not. */
import * as Result from "effect/Result"
import { isWellFormed } from "./uriTemplateText.ts"

export type Operator = "" | "+" | "#" | "." | "/" | ";" | "?" | "&"

/** One variable of an expression, with its modifier. */
export interface Spec {
  readonly name: string
  readonly explode: boolean
  readonly prefix: number | undefined
}

export interface Expression {
  readonly operator: Operator
  readonly specs: ReadonlyArray<Spec>
}

export type Part = string | Expression

/**
 * How an operator writes its variables (RFC 6570, appendix A): what comes before the first and between them, whether with
 * their names, what follows the name of an empty one, and whether reserved characters stay.
 */
export interface Style {
  readonly first: string
  readonly separator: string
  readonly named: boolean
  readonly ifEmpty: string
  readonly reserved: boolean
}

const style = (first: string, separator: string, more: Partial<Style> = {}): Style => ({
  first,
  separator,
  named: false,
  ifEmpty: "",
  reserved: false,
  ...more
})

export const styles: Readonly<Record<Operator, Style>> = {
  "": style("", ","),
  "+": style("", ",", { reserved: true }),
  "#": style("#", ",", { reserved: true }),
  ".": style(".", "."),
  "/": style("/", "/"),
  ";": style(";", ";", { named: true }),
  "?": style("?", "&", { named: true, ifEmpty: "=" }),
  "&": style("&", "&", { named: true, ifEmpty: "=" })
}

export const maxLength = 8192

export const maxVariables = 64

export const parse = (text: string): Result.Result<ReadonlyArray<Part>, string> => {
  if (text.length > maxLength) return Result.fail(`it has ${text.length} characters, and ${maxLength} at most are read`)
  const parts: Array<Part> = []
  let variables = 0
  for (let at = 0; at < text.length;) {
    const open = text.indexOf("{", at)
    const literal = text.slice(at, open === -1 ? text.length : open)
    const problem = literalProblem(literal)
    if (problem !== undefined) return Result.fail(problem)
    if (literal !== "") parts.push(literal)
    if (open === -1) break
    const close = text.indexOf("}", open)
    if (close === -1) return Result.fail(`${quote(text.slice(open))} has no "}"`)
    const parsed = expression(text.slice(open + 1, close))
    if (Result.isFailure(parsed)) return Result.fail(`{${text.slice(open + 1, close)}}: ${parsed.failure}`)
    variables += parsed.success.specs.length
    parts.push(parsed.success)
    at = close + 1
  }
  return variables > maxVariables
    ? Result.fail(`it has ${variables} variables, and ${maxVariables} at most are read`)
    : Result.succeed(parts)
}

const quote = (text: string): string => JSON.stringify(text)

const literalProblem = (literal: string): string | undefined => {
  const wrong = /[^!#-;=?-[\]_a-z~\u{A0}-\u{10FFFF}]/u.exec(literal)
  if (wrong !== null) {
    return wrong[0] === "}" ? "a \"}\" has no \"{\"" : `${quote(wrong[0])} must be percent-encoded`
  }
  return isWellFormed(literal) ? undefined : `the text ${quote(literal)} has a "%" without two hexadecimal digits, ` +
    "or half a surrogate pair"
}

const isOperator = (char: string): char is Operator => char !== "" && Object.hasOwn(styles, char)

const expression = (text: string): Result.Result<Expression, string> => {
  const char = text.charAt(0)
  if (char !== "" && "=,!@|".includes(char)) {
    return Result.fail(`the operator ${quote(char)} is reserved; those that exist are + # . / ; ? &`)
  }
  const operator: Operator = isOperator(char) ? char : ""
  const specs: Array<Spec> = []
  for (const text_ of text.slice(operator.length).split(",")) {
    const parsed = spec(text_)
    if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
    specs.push(parsed.success)
  }
  return Result.succeed({ operator, specs })
}

const variableName = /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*$/

const spec = (text: string): Result.Result<Spec, string> => {
  const explode = text.endsWith("*")
  const [name = "", prefix, ...rest] = (explode ? text.slice(0, -1) : text).split(":")
  if (!variableName.test(name)) {
    return Result.fail(
      `${quote(name)} is no name of a variable: letters, digits, "_", and single dots between them are`
    )
  }
  if (prefix === undefined) return Result.succeed({ name, explode, prefix })
  return explode || rest.length > 0 || !/^[1-9][0-9]{0,3}$/.test(prefix)
    ? Result.fail(`the variable ${quote(name)} may have one modifier: "*", or ":" and a number from 1 to 9999`)
    : Result.succeed({ name, explode, prefix: Number(prefix) })
}
