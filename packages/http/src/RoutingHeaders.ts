/**
 * The headers of revision 2026-07-28 that repeat what a body says, for those on its way who do not read bodies: written by a
 * client, compared with the body by a server.
 *
 * Knows nothing of status codes, nor which tools there are.
 *
 * Source: `basic/transports/streamable-http#request-metadata` of revision 2026-07-28, and, for tasks, SEP-2663.
 *
 * @since 0.1.0
 */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as MirroredParameters from "@mcp-effect/protocol/MirroredParameters"
import { cut } from "@mcp-effect/protocol/Problem"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as HeaderValue from "./internal/headerValue.ts"

/**
 * The revision of a message.
 *
 * @since 0.1.0
 * @category names
 */
export const PROTOCOL_VERSION = "MCP-Protocol-Version"

/**
 * The method of a request.
 *
 * @since 0.1.0
 * @category names
 */
export const METHOD = "Mcp-Method"

/**
 * What a request is about: a tool, a prompt, a resource, a task.
 *
 * @since 0.1.0
 * @category names
 */
export const NAME = "Mcp-Name"

/**
 * What the header of a tool's parameter begins with.
 *
 * @since 0.1.0
 * @category names
 */
export const PARAMETER_PREFIX = "Mcp-Param-"

/**
 * -32020, the code of an error reply: headers do not say what the body says, or are missing or malformed.
 *
 * @since 0.1.0
 * @category error codes
 */
export const HEADER_MISMATCH = -32020

/**
 * The member of the parameters that `Mcp-Name` repeats, by method.
 *
 * @since 0.1.0
 * @category names
 */
export const nameSources: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"]
])

/**
 * A value as a header can carry it: as it is, or, where that would not survive, its UTF-8 in Base64.
 *
 * @since 0.1.0
 * @category values
 */
export const encode = HeaderValue.encode

/**
 * The value that a header carries, or what is wrong with it. Spaces and tabs around it are none of it.
 *
 * @since 0.1.0
 * @category values
 */
export const decode = HeaderValue.decode

/**
 * A parameter of a tool that a header repeats: `header` is its name in lower case, such as `mcp-param-region`, and `path` leads
 * to the value, from the arguments.
 *
 * @since 0.1.0
 * @category models
 */
export interface Parameter {
  readonly header: string
  readonly path: ReadonlyArray<string>
}

/**
 * The parameters that headers repeat, by the JSON Schema of a tool's input; or why the tool must not be used over HTTP. Each
 * schema is looked through once.
 *
 * @since 0.1.0
 * @category parameters
 */
export const parameters = (inputSchema: JsonRpc.Params): Result.Result<ReadonlyArray<Parameter>, string> => {
  let known = seen.get(inputSchema)
  if (known === undefined) {
    known = Result.map(MirroredParameters.of(inputSchema), (all) => all.map(parameter))
    seen.set(inputSchema, known)
  }
  return known
}

const parameter = ({ name, path }: MirroredParameters.Parameter): Parameter => ({
  header: (PARAMETER_PREFIX + name).toLowerCase(),
  path
})

const seen = new WeakMap<JsonRpc.Params, Result.Result<ReadonlyArray<Parameter>, string>>()

/**
 * Headers by their names in lower case.
 *
 * @since 0.1.0
 * @category models
 */
export interface Headers {
  readonly [name: string]: string | undefined
}

/**
 * What is wrong with the headers of a request, as the message of an error reply of code {@link HEADER_MISMATCH}.
 *
 * A parameter that is `null` or absent, or that no header could carry, such as a list in place of a text, is to have none: what
 * checks arguments says what is wrong with it. So it is with a name or a version that the body lacks. `parameters` are those of
 * the tool that is called; `sources` is {@link nameSources} with methods of one's own.
 *
 * @since 0.1.0
 * @category checking
 */
export const check = (
  headers: Headers,
  request: JsonRpc.Request,
  parameters: ReadonlyArray<Parameter> = none,
  sources: ReadonlyMap<string, string> = nameSources
): string | undefined => {
  const { method, params } = request
  return checkVersion(headers[versionField], Meta.of(params)?.[Meta.PROTOCOL_VERSION]) ??
    compare(METHOD, headers[methodField], HeaderValue.plain, method) ??
    checkName(headers[nameField], request, sources) ??
    (method === "tools/call" ? checkParameters(headers, params?.arguments, parameters) : undefined)
}

const none: ReadonlyArray<Parameter> = []

const versionField = PROTOCOL_VERSION.toLowerCase()
const methodField = METHOD.toLowerCase()
const nameField = NAME.toLowerCase()

const checkVersion = (header: string | undefined, version: unknown): string | undefined => {
  if (header === undefined) return mismatch(PROTOCOL_VERSION, "is missing")
  return Predicate.isString(version) ? compare(PROTOCOL_VERSION, header, HeaderValue.plain, version) : undefined
}

const checkName = (
  header: string | undefined,
  { method, params }: JsonRpc.Request,
  sources: ReadonlyMap<string, string>
): string | undefined => {
  const source = sources.get(method)
  if (source === undefined) return undefined
  const name = params?.[source]
  return compare(NAME, header, decode, Predicate.isString(name) ? name : undefined)
}

const checkParameters = (
  headers: Headers,
  args: unknown,
  parameters: ReadonlyArray<Parameter>
): string | undefined => {
  for (const { header, path } of parameters) {
    const problem = compare(header, headers[header], decode, valueAt(args, path))
    if (problem !== undefined) return problem
  }
  return undefined
}

const compare = (
  name: string,
  header: string | undefined,
  read: (header: string) => Result.Result<string, string>,
  value: unknown
): string | undefined => {
  const expected = textOf(value)
  if (header === undefined) {
    return expected === undefined
      ? undefined
      : mismatch(name, `is missing: it must be ${cut(encode(expected), LONGEST)}`)
  }
  const given = read(header)
  if (Result.isFailure(given)) return mismatch(name, given.failure)
  if (given.success === expected || isSameInteger(given.success, value)) return undefined
  const has = expected === undefined
    ? "must be absent: the body has no such value"
    : `does not match body value ${quote(expected)}`
  return mismatch(name, `header value ${quote(given.success)} ${has}`)
}

// Long values are told apart by their beginnings, if at all.
const LONGEST = 200

const quote = (text: string): string => `'${cut(text, LONGEST)}'`

const mismatch = (name: string, problem: string): string => `Header mismatch: ${name} ${problem}`

// The text of what can be repeated. Larger integers are read as others by some.
const textOf = (value: unknown): string | undefined => {
  switch (typeof value) {
    case "string":
      return value
    case "boolean":
      return String(value)
    case "number":
      return Number.isSafeInteger(value) || !Number.isInteger(value) ? String(value) : undefined
    default:
      return undefined
  }
}

const isSameInteger = (text: string, value: unknown): boolean =>
  Number.isSafeInteger(value) && decimal.test(text) && Number(text) === value

const decimal = /^-?\d+(?:\.0+)?$/

const valueAt = (value: unknown, path: ReadonlyArray<string>): unknown => {
  let at = value
  for (const key of path) {
    if (!Predicate.isObject(at) || !Object.hasOwn(at, key)) return undefined
    at = at[key]
  }
  return at
}

/**
 * The headers of a request, by their names in lower case. A version or a method that no header can carry has none: neither is
 * ever in Base64. `parameters` and `sources` are as for {@link check}.
 *
 * @since 0.1.0
 * @category writing
 */
export const write = (
  { method, params }: JsonRpc.Request,
  parameters: ReadonlyArray<Parameter> = none,
  sources: ReadonlyMap<string, string> = nameSources
): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {}
  const put = (field: string, text: string | undefined): void => {
    if (text !== undefined) headers[field] = encode(text)
  }
  const version = Meta.of(params)?.[Meta.PROTOCOL_VERSION]
  if (Predicate.isString(version) && HeaderValue.isPlain(version)) headers[versionField] = version
  if (HeaderValue.isPlain(method)) headers[methodField] = method
  const source = sources.get(method)
  const name = source === undefined ? undefined : params?.[source]
  if (Predicate.isString(name)) put(nameField, name)
  if (method === "tools/call") {
    for (const { header, path } of parameters) put(header, textOf(valueAt(params?.arguments, path)))
  }
  return headers
}
