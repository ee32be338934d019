/** What is wrong with the definition of a resource or a template, in a sentence. */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as Problem from "../Problem.ts"
import type * as UriTemplate from "../UriTemplate.ts"
import { maxUri } from "./uriTemplateMatch.ts"
import { isWellFormed } from "./uriTemplateText.ts"

const quote = (text: string): string => JSON.stringify(text)

// The characters of RFC 3986, with a scheme before and one fragment after them.
const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]*(?:#[A-Za-z0-9\-._~:/?@!$&'()*+,;=%]*)?$/

export const problem = ({ size, uri }: { readonly uri: string; readonly size: number | undefined }):
  | string
  | undefined =>
{
  if (uri.length > maxUri) {
    return `The URI ${quote(Problem.cut(uri, 100))} has ${uri.length} characters, and ${maxUri} at most are read`
  }
  if (!absolute.test(uri) || !isWellFormed(uri)) {
    return `The URI ${quote(uri)} of a resource must be absolute and percent-encoded, as in "file:///a%20b"`
  }
  return size === undefined || (Number.isSafeInteger(size) && size >= 0)
    ? undefined
    : `The size of the resource ${quote(uri)} must be a whole number of bytes, and is ${size}`
}

export const templateProblem = (
  parsed: UriTemplate.UriTemplate,
  variables: { readonly ast: SchemaAST.AST }
): string | undefined => {
  const [start = ""] = parsed.parts
  // A scheme may go on with a variable, as in "http{s}:".
  const scheme = parsed.parts.length > 1 ? /^[A-Za-z][A-Za-z0-9+.-]*(?::|$)/ : /^[A-Za-z][A-Za-z0-9+.-]*:/
  if (typeof start === "string" && !scheme.test(start)) {
    return `The URI template ${quote(parsed.template)} must begin with a scheme, as in "file:///{path}"`
  }
  const { ast } = variables
  if (ast._tag !== "Objects") return undefined
  for (const { name, type } of ast.propertySignatures) {
    const problem = variableProblem(parsed, String(name), type)
    if (problem !== undefined) return problem
  }
  return undefined
}

const variableProblem = (parsed: UriTemplate.UriTemplate, name: string, type: SchemaAST.AST): string | undefined => {
  const where = `The URI template ${quote(parsed.template)}`
  if (!parsed.variables.includes(name)) {
    const known = parsed.variables.length === 0 ? "none" : parsed.variables.map(quote).join(", ")
    return `${where} has no variable ${quote(name)}, which has a schema; its variables are: ${known}`
  }
  const encoded = shape(Schema.toEncoded(Schema.make(type)).ast)
  if (parsed.lists.has(name)) {
    return encoded === "text"
      ? `${where} makes ${quote(name)} a list, by its "*", so its schema must be written as a list of texts`
      : undefined
  }
  return encoded === "list"
    ? `${where} makes ${quote(name)} a text, so its schema must be written as text; {${name}*} makes it a list`
    : undefined
}

// Of schemas that can be both, or are only known when they are used, nothing is said.
const shape = (ast: SchemaAST.AST): "text" | "list" | undefined => {
  switch (ast._tag) {
    case "Arrays":
      return "list"
    case "String":
    case "Literal":
    case "TemplateLiteral":
    case "Enum":
      return "text"
    case "Union": {
      const shapes = new Set(ast.types.filter(({ _tag }) => _tag !== "Undefined").map(shape))
      return shapes.size === 1 ? [...shapes][0] : undefined
    }
    default:
      return undefined
  }
}
