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
 * A parameter of a tool that a header repeats, such as `Mcp-Param-Region`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Parameter {
  readonly header: string
  readonly path: ReadonlyArray<string>
  readonly type: MirroredParameters.Parameter["type"]
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
    known = Result.map(
      MirroredParameters.of(inputSchema),
      (all) => all.map(({ name, path, type }) => ({ header: PARAMETER_PREFIX + name, path, type }))
    )
    seen.set(inputSchema, known)
  }
  return known
}

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
 * - `parametersOf`: those of a tool that headers repeat; `undefined` if there is no such tool.
 * - `nameSources`: in place of {@link nameSources}, for methods of one's own.
 *
 * @since 0.1.0
 * @category models
 */
export interface CheckOptions {
  readonly parametersOf?: ((tool: string) => ReadonlyArray<Parameter> | undefined) | undefined
  readonly nameSources?: ReadonlyMap<string, string> | undefined
}

/**
 * What is wrong with the headers of a request, as the message of an error reply of code {@link HEADER_MISMATCH}. What is
 * missing in the body is not looked for in the headers: the request is refused for that.
 *
 * @since 0.1.0
 * @category checking
 */
export const check = (headers: Headers, request: JsonRpc.Request, options: CheckOptions = {}): string | undefined => {
  const { method, params } = request
  const version = Meta.of(params)?.[Meta.PROTOCOL_VERSION]
  const name = params?.[(options.nameSources ?? nameSources).get(method) ?? ""]
  return compare(PROTOCOL_VERSION, HeaderValue.plain(headers[versionField]), version, true) ??
    compare(METHOD, HeaderValue.plain(headers[methodField]), method, true) ??
    checkName(headers, request, name) ??
    (method === "tools/call" && Predicate.isString(name) ? checkParameters(headers, params, name, options) : undefined)
}

const versionField = PROTOCOL_VERSION.toLowerCase()
const methodField = METHOD.toLowerCase()
const nameField = NAME.toLowerCase()
