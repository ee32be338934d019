/** Which parameters of a tool a header mirrors, by the annotations of its input schema. */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Parameter } from "../RoutingHeaders.ts"

const KEYWORD = "x-mcp-header"

// Members that hold values, not schemas: what is in them annotates nothing.
const values = new Set(["const", "enum", "default", "examples"])

export const read = (inputSchema: Params): Result.Result<ReadonlyArray<Parameter>, string> => {
  const found: Array<Parameter> = []
  const problem = inProperties(inputSchema, [], found)
  return problem === undefined ? Result.succeed(found) : Result.fail(problem)
}

// Reachable by `properties` alone, from the root on.
const inProperties = (schema: Params, path: ReadonlyArray<string>, found: Array<Parameter>): string | undefined => {
  const { properties } = schema
  if (path.length === 0 && KEYWORD in schema) return `"${KEYWORD}" may annotate a parameter, not all of them`
  for (const [key, member] of Object.entries(schema)) {
    if (key !== "properties" && !values.has(key) && isAnnotated(member)) {
      return `"${KEYWORD}" may not be in "${key}": only in "properties", from the root on`
    }
  }
  if (!Predicate.isObject(properties)) return undefined
  for (const [name, property] of Object.entries(properties)) {
    if (!Predicate.isObject(property)) continue
    const inner = [...path, name]
    const problem = KEYWORD in property ? annotated(property, inner, found) : undefined
    const deeper = problem ?? inProperties(withoutOwn(property), inner, found)
    if (deeper !== undefined) return deeper
  }
  return undefined
}

const withoutOwn = ({ [KEYWORD]: _, ...rest }: Params): Params => rest

const annotated = (
  property: Params,
  path: ReadonlyArray<string>,
  found: Array<Parameter>
): string | undefined => {
  const name = property[KEYWORD]
  const at = `"${KEYWORD}" of "${path.join(".")}"`
  if (typeof name !== "string" || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u.test(name)) {
    return `${at} must be the name of a header`
  }
  if (property.type !== "string" && property.type !== "integer" && property.type !== "boolean") {
    return `${at} must annotate a string, an integer or a boolean`
  }
  const header = `mcp-param-${name.toLowerCase()}`
  if (found.some((other) => other.header === header)) return `${at} is the name of another parameter too`
  found.push({ path, header })
  return undefined
}

// Anywhere in a value.
const isAnnotated = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(isAnnotated)
  if (!Predicate.isObject(value)) return false
  return KEYWORD in value || Object.entries(value).some(([key, member]) => !values.has(key) && isAnnotated(member))
}
