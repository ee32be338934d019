/**
 * JSON-RPC 2.0 as MCP uses it: the messages, and the one codec between them and their text.
 *
 * Knows nothing of MCP's methods, sessions or transports. Every malformed text is classified, never thrown.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"

/**
 * A request id: a string or an integer. Never `null`, unlike base JSON-RPC.
 *
 * @since 0.1.0
 * @category models
 */
export type Id = string | number

/**
 * Parameters and results are JSON objects; MCP has no positional parameters.
 *
 * @since 0.1.0
 * @category models
 */
export interface Params {
  readonly [key: string]: unknown
}

/**
 * A message that asks for exactly one `Response` with the same id.
 *
 * @since 0.1.0
 * @category models
 */
export interface Request {
  readonly _tag: "Request"
  readonly id: Id
  readonly method: string
  readonly params: Params | undefined
}

/**
 * A one-way message. `stale`, where present, is asked before a message that had to wait is sent after all.
 *
 * @since 0.1.0
 * @category models
 */
export interface Notification {
  readonly _tag: "Notification"
  readonly method: string
  readonly params: Params | undefined
  readonly stale?: () => boolean
}

/**
 * A result. `text`, where present, is the JSON text of `result`, so that a cached result is not serialised again.
 *
 * @since 0.1.0
 * @category models
 */
export interface Success {
  readonly _tag: "Success"
  readonly id: Id
  readonly result: Params
  readonly text: string | undefined
}

/**
 * The `error` member of a failure: an integer code, one sentence, and optional data.
 *
 * @since 0.1.0
 * @category models
 */
export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/**
 * An error reply. The id is absent only when the request's own could not be read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Failure {
  readonly _tag: "Failure"
  readonly id: Id | undefined
  readonly error: ErrorObject
}

/**
 * What answers a request.
 *
 * @since 0.1.0
 * @category models
 */
export type Response = Success | Failure

/**
 * Any well-formed message.
 *
 * @since 0.1.0
 * @category models
 */
export type Message = Request | Notification | Response

/**
 * A text, or an element of a batch, that is no message: the code and sentence to answer with, and the id if one could
 * be read. A malformed `response` is never answered.
 *
 * @since 0.1.0
 * @category models
 */
export interface Invalid {
  readonly _tag: "Invalid"
  readonly code: number
  readonly reason: string
  readonly id: Id | undefined
  readonly kind: "request" | "response" | "unknown"
}

/**
 * Several messages in one text, which only revision 2025-03-26 has.
 *
 * @since 0.1.0
 * @category models
 */
export interface Batch {
  readonly _tag: "Batch"
  readonly messages: ReadonlyArray<Message | Invalid>
}

/**
 * The text is not JSON.
 *
 * @since 0.1.0
 * @category error codes
 */
export const PARSE_ERROR = -32700

/**
 * The JSON is not a request.
 *
 * @since 0.1.0
 * @category error codes
 */
export const INVALID_REQUEST = -32600

/**
 * No such method, in this revision or with these capabilities.
 *
 * @since 0.1.0
 * @category error codes
 */
export const METHOD_NOT_FOUND = -32601

/**
 * The parameters do not fit the method.
 *
 * @since 0.1.0
 * @category error codes
 */
export const INVALID_PARAMS = -32602

/**
 * The receiver failed.
 *
 * @since 0.1.0
 * @category error codes
 */
export const INTERNAL_ERROR = -32603

/**
 * @since 0.1.0
 * @category constructors
 */
export const request = (id: Id, method: string, params?: Params): Request => ({ _tag: "Request", id, method, params })

/**
 * @since 0.1.0
 * @category constructors
 */
export const notification = (method: string, params?: Params): Notification => ({
  _tag: "Notification",
  method,
  params
})

/**
 * @since 0.1.0
 * @category constructors
 */
export const success = (id: Id, result: Params, text?: string): Success => ({ _tag: "Success", id, result, text })

/**
 * @since 0.1.0
 * @category constructors
 */
export const failure = (id: Id | undefined, error: ErrorObject): Failure => ({ _tag: "Failure", id, error })

/**
 * The same response under another id.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withId = (response: Response, id: Id): Response =>
  response._tag === "Success" ? success(id, response.result, response.text) : failure(id, response.error)

/**
 * Whether a value can be a request id: a string or a safe integer, 0 included.
 *
 * @since 0.1.0
 * @category guards
 */
export const isId = (u: unknown): u is Id => typeof u === "string" || Number.isSafeInteger(u)

/**
 * The text of a message, without a line break. Throws only for what JSON cannot hold (a cycle, a bigint).
 *
 * @since 0.1.0
 * @category codec
 */
export const encode = (message: Message): string => {
  switch (message._tag) {
    case "Success":
      return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${
        message.text ?? JSON.stringify(message.result)
      }}`
    case "Failure":
      return JSON.stringify({ jsonrpc: "2.0", id: message.id, error: message.error })
    case "Request":
      return JSON.stringify({ jsonrpc: "2.0", id: message.id, method: message.method, params: message.params })
    case "Notification":
      return JSON.stringify({ jsonrpc: "2.0", method: message.method, params: message.params })
  }
}

/**
 * Reads one text. Never throws: what is no message comes back as `Invalid`. An array is a `Batch` where `batches` is
 * set, and `Invalid` elsewhere.
 *
 * @since 0.1.0
 * @category codec
 */
export const decode = (text: string, options?: { readonly batches?: boolean }): Message | Invalid | Batch => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return invalid(PARSE_ERROR, "Parse error: the text is not valid JSON")
  }
  if (!Array.isArray(json)) return fromJson(json)
  if (options?.batches !== true) {
    return invalid(INVALID_REQUEST, "Invalid request: batches exist only in protocol revision 2025-03-26")
  }
  if (json.length === 0) return invalid(INVALID_REQUEST, "Invalid request: the batch is empty")
  return { _tag: "Batch", messages: json.map(fromJson) }
}

/**
 * Reads one parsed JSON value, as {@link decode} does after parsing.
 *
 * @since 0.1.0
 * @category codec
 */
export const fromJson = (json: unknown): Message | Invalid => {
  if (!Predicate.isObject(json)) {
    return invalid(INVALID_REQUEST, "Invalid request: a message must be a JSON object")
  }
  if (!("method" in json)) return fromResponse(json)
  const { id, method } = json
  const params = json.params ?? undefined
  if (json.jsonrpc !== "2.0" || typeof method !== "string" || !isParams(params)) return malformed(json)
  if (isId(id)) return { _tag: "Request", id, method, params }
  return "id" in json ? malformed(json) : { _tag: "Notification", method, params }
}

const isParams = (u: unknown): u is Params | undefined => u === undefined || Predicate.isObject(u)

const malformed = (json: { readonly [x: PropertyKey]: unknown }): Invalid => {
  const id = isId(json.id) ? json.id : undefined
  const bad = (what: string, code = INVALID_REQUEST): Invalid => invalid(code, what, id, "request")
  if (json.jsonrpc !== "2.0") return bad("Invalid request: \"jsonrpc\" must be \"2.0\"")
  if (typeof json.method !== "string") return bad("Invalid request: \"method\" must be a string")
  if ("id" in json && id === undefined) return bad("Invalid request: \"id\" must be a string or an integer")
  return Array.isArray(json.params)
    ? bad("Invalid params: \"params\" must be an object, not an array", INVALID_PARAMS)
    : bad("Invalid request: \"params\" must be an object")
}

const fromResponse = (json: { readonly [x: PropertyKey]: unknown }): Message | Invalid => {
  const id = isId(json.id) ? json.id : undefined
  const { error, result } = json
  if (error === undefined && result === undefined) {
    return invalid(INVALID_REQUEST, "Invalid request: neither \"method\", \"result\" nor \"error\" is there", id)
  }
  const bad = (what: string): Invalid => invalid(INVALID_REQUEST, what, id, "response")
  if (json.jsonrpc !== "2.0") return bad("Invalid response: \"jsonrpc\" must be \"2.0\"")
  // Some peers write `"error": null` beside a result; a result wins only then.
  if (error !== undefined && error !== null) {
    return isErrorObject(error) ? failure(id, error) : bad("Invalid response: \"error\" needs a code and a message")
  }
  if (id === undefined) return bad("Invalid response: \"id\" must be a string or an integer")
  return Predicate.isObject(result)
    ? success(id, result)
    : bad("Invalid response: \"result\" must be an object")
}

const isErrorObject = (u: unknown): u is ErrorObject =>
  Predicate.isObject(u) && typeof u.code === "number" && typeof u.message === "string"

const invalid = (
  code: number,
  reason: string,
  id: Id | undefined = undefined,
  kind: Invalid["kind"] = "unknown"
): Invalid => ({ _tag: "Invalid", code, reason, id, kind })

/**
 * What can be told of a message that was too large to read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Peeked {
  readonly id: Id | undefined
  readonly kind: "request" | "response" | "unknown"
}

const ID = String.raw`"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")`
const FIRST = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}\s*,`)
const LAST = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)

/**
 * Guesses the id and kind of a message that was too large to read, from its first and last characters: the places where
 * JSON-RPC implementations write them.
 *
 * @since 0.1.0
 * @category codec
 */
export const peek = (head: string, tail: string): Peeked => {
  const member = /"(method|result|error)"\s*:/.exec(head)?.[1]
  const kind = member === undefined ? "unknown" : member === "method" ? "request" : "response"
  const text = (FIRST.exec(head) ?? LAST.exec(tail))?.[1]
  if (text === undefined) return { id: undefined, kind }
  try {
    const id: unknown = JSON.parse(text)
    return { id: isId(id) ? id : undefined, kind }
  } catch {
    return { id: undefined, kind }
  }
}
