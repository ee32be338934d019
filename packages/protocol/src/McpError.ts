/**
 * The errors of the protocol as tagged errors, and the one table between them and the codes on the wire.
 *
 * A tool that fails is no such error: that is a result with `isError`, written for the model.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"
import * as JsonRpc from "./JsonRpc.ts"
import type { TransportError } from "./Peer.ts"

/**
 * The message is no request.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidRequest extends Data.TaggedError("InvalidRequest")<{ readonly message: string }> {}

/**
 * The method does not exist, in this revision or with the capabilities in force.
 *
 * @since 0.1.0
 * @category errors
 */
export class MethodNotFound extends Data.TaggedError("MethodNotFound")<{
  readonly method: string
  readonly message: string
}> {}

/**
 * The parameters do not fit the method.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidParams extends Data.TaggedError("InvalidParams")<{
  readonly message: string
  readonly data?: unknown
}> {}

/**
 * The other side failed.
 *
 * @since 0.1.0
 * @category errors
 */
export class InternalError extends Data.TaggedError("InternalError")<{ readonly message: string }> {}

/**
 * No tool of this name, for this caller.
 *
 * @since 0.1.0
 * @category errors
 */
export class ToolNotFound extends Data.TaggedError("ToolNotFound")<{
  readonly tool: string
  readonly message: string
}> {}

/**
 * No prompt of this name, for this caller.
 *
 * @since 0.1.0
 * @category errors
 */
export class PromptNotFound extends Data.TaggedError("PromptNotFound")<{
  readonly prompt: string
  readonly message: string
}> {}

/**
 * No resource at this URI, for this caller.
 *
 * @since 0.1.0
 * @category errors
 */
export class ResourceNotFound extends Data.TaggedError("ResourceNotFound")<{
  readonly uri: string
  readonly message: string
}> {}

/**
 * The two sides have no protocol revision in common.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnsupportedProtocolVersion extends Data.TaggedError("UnsupportedProtocolVersion")<{
  readonly requested: string
  readonly supported: ReadonlyArray<string>
}> {
  override get message(): string {
    return `Unsupported protocol version ${this.requested}; supported: ${this.supported.join(", ") || "none"}`
  }
}

/**
 * The request needs a capability that the client did not declare.
 *
 * @since 0.1.0
 * @category errors
 */
export class MissingRequiredClientCapability extends Data.TaggedError("MissingRequiredClientCapability")<{
  readonly message: string
  readonly requiredCapabilities: JsonRpc.Params
}> {}

/**
 * Any other error that the other side replied with, as it came.
 *
 * @since 0.1.0
 * @category errors
 */
export class RemoteError extends Data.TaggedError("RemoteError")<{
  readonly code: number
  readonly message: string
  readonly data?: unknown
}> {}

/**
 * The connection is lost. `processed` says whether the other side may have acted.
 *
 * @since 0.1.0
 * @category errors
 */
export class ConnectionClosed extends Data.TaggedError("ConnectionClosed")<{
  readonly processed: "no" | "unknown"
  readonly message: string
  readonly cause?: unknown
}> {}

/**
 * No reply in time; the other side was told. Durations are in milliseconds.
 *
 * @since 0.1.0
 * @category errors
 */
export class RequestTimeout extends Data.TaggedError("RequestTimeout")<{
  readonly method: string
  readonly millis: number
  readonly kind: "timeout" | "maximum"
}> {
  override get message(): string {
    return this.kind === "timeout"
      ? `${this.method} got neither reply nor progress for ${this.millis} ms`
      : `${this.method} got no reply within its maximum of ${this.millis} ms`
  }
}

/**
 * The reply is there, but is not what the method promises.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidResult extends Data.TaggedError("InvalidResult")<{
  readonly method: string
  readonly message: string
}> {}

/**
 * Everything that can go wrong with a request besides what the request itself is about.
 *
 * @since 0.1.0
 * @category errors
 */
export type McpError =
  | ProtocolError
  | ConnectionClosed
  | RequestTimeout
  | InvalidResult

/**
 * The errors that travel: each has a code on the wire.
 *
 * @since 0.1.0
 * @category errors
 */
export type ProtocolError =
  | InvalidRequest
  | MethodNotFound
  | InvalidParams
  | InternalError
  | ToolNotFound
  | PromptNotFound
  | ResourceNotFound
  | UnsupportedProtocolVersion
  | MissingRequiredClientCapability
  | RemoteError

const protocolErrors = [
  InvalidRequest,
  MethodNotFound,
  InvalidParams,
  InternalError,
  ToolNotFound,
  PromptNotFound,
  ResourceNotFound,
  UnsupportedProtocolVersion,
  MissingRequiredClientCapability,
  RemoteError
]

/**
 * Whether something is an error that travels.
 *
 * @since 0.1.0
 * @category errors
 */
export const isProtocolError = (u: unknown): u is ProtocolError =>
  protocolErrors.some((ProtocolError) => u instanceof ProtocolError)

/**
 * The codes that deployments disagree on. The specification has -32602 for an unknown tool or prompt, and a code of the
 * revision's own for an unknown resource.
 *
 * @since 0.1.0
 * @category error codes
 */
export interface NotFoundCodes {
  readonly tool: number
  readonly prompt: number
  readonly resource: number
}

/**
 * The codes of older deployments for an unknown tool, prompt and resource. A server emits them when its `ErrorCodes`
 * is set to this; a client always understands them.
 *
 * @since 0.1.0
 * @category error codes
 */
export const legacyNotFoundCodes: NotFoundCodes = { tool: -32002, prompt: -32003, resource: -32004 }

/**
 * -32021: the request needs a capability that the client did not declare (2026-07-28).
 *
 * @since 0.1.0
 * @category error codes
 */
export const MISSING_REQUIRED_CLIENT_CAPABILITY = -32021

/**
 * -32022: the server does not speak the requested version (2026-07-28).
 *
 * @since 0.1.0
 * @category error codes
 */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022

const specified: NotFoundCodes = {
  tool: JsonRpc.INVALID_PARAMS,
  prompt: JsonRpc.INVALID_PARAMS,
  resource: JsonRpc.INVALID_PARAMS
}

/**
 * An error as it is written on the wire, with the codes of the newest revision if none are given.
 *
 * @since 0.1.0
 * @category wire
 */
export const toWire = (error: ProtocolError, codes: NotFoundCodes = specified): JsonRpc.ErrorObject => {
  const { message } = error
  switch (error._tag) {
    case "InvalidRequest":
      return { code: JsonRpc.INVALID_REQUEST, message }
    case "MethodNotFound":
      return { code: JsonRpc.METHOD_NOT_FOUND, message }
    case "InvalidParams":
      return error.data === undefined
        ? { code: JsonRpc.INVALID_PARAMS, message }
        : { code: JsonRpc.INVALID_PARAMS, message, data: error.data }
    case "InternalError":
      return { code: JsonRpc.INTERNAL_ERROR, message }
    case "ToolNotFound":
      return { code: codes.tool, message }
    case "PromptNotFound":
      return { code: codes.prompt, message }
    case "ResourceNotFound":
      return { code: codes.resource, message, data: { uri: error.uri } }
    case "UnsupportedProtocolVersion":
      return {
        code: UNSUPPORTED_PROTOCOL_VERSION,
        message,
        data: { supported: error.supported, requested: error.requested }
      }
    case "MissingRequiredClientCapability":
      return {
        code: MISSING_REQUIRED_CLIENT_CAPABILITY,
        message,
        data: { requiredCapabilities: error.requiredCapabilities }
      }
    case "RemoteError":
      return error.data === undefined
        ? { code: error.code, message }
        : { code: error.code, message, data: error.data }
  }
}

/**
 * The tagged error that a reply means, by the request that it answers: deployments give an unknown tool -32002, or
 * -32602 with a sentence.
 *
 * @since 0.1.0
 * @category wire
 */
export const fromWire = (
  request: { readonly method: string; readonly params: JsonRpc.Params | undefined },
  error: JsonRpc.ErrorObject
): ProtocolError => {
  const missing = notFound(request, error)
  if (missing !== undefined) return missing
  const { code, data, message } = error
  switch (code) {
    case JsonRpc.INVALID_REQUEST:
      return new InvalidRequest({ message })
    case JsonRpc.METHOD_NOT_FOUND:
      return new MethodNotFound({ method: request.method, message })
    case JsonRpc.INVALID_PARAMS:
      return new InvalidParams(data === undefined ? { message } : { message, data })
    case JsonRpc.INTERNAL_ERROR:
      return new InternalError({ message })
    case UNSUPPORTED_PROTOCOL_VERSION:
      return unsupported(data) ?? new RemoteError(data === undefined ? { code, message } : { code, message, data })
    case MISSING_REQUIRED_CLIENT_CAPABILITY:
      return new MissingRequiredClientCapability({
        message,
        requiredCapabilities: Predicate.isObject(data) && Predicate.isObject(data.requiredCapabilities)
          ? data.requiredCapabilities
          : {}
      })
    default:
      return new RemoteError(data === undefined ? { code, message } : { code, message, data })
  }
}

const notFound = (
  { method, params }: { readonly method: string; readonly params: JsonRpc.Params | undefined },
  { code, message }: JsonRpc.ErrorObject
): ProtocolError | undefined => {
  // What is wrong with arguments may be told in the same words.
  const says = /unknown|not found|no such/i.test(message) && !/invalid arguments/i.test(message)
  const invalid = code === JsonRpc.INVALID_PARAMS && says
  switch (method) {
    case "tools/call":
      return invalid || code === legacyNotFoundCodes.tool
        ? new ToolNotFound({ tool: String(params?.name), message })
        : undefined
    case "prompts/get":
      return invalid || code === legacyNotFoundCodes.prompt
        ? new PromptNotFound({ prompt: String(params?.name), message })
        : undefined
    case "resources/read":
    case "resources/subscribe":
      return invalid || code === -32002 || code === legacyNotFoundCodes.resource
        ? new ResourceNotFound({ uri: String(params?.uri), message })
        : undefined
    default:
      return undefined
  }
}

const unsupported = (data: unknown): UnsupportedProtocolVersion | undefined =>
  Predicate.isObject(data) && Array.isArray(data.supported)
    ? new UnsupportedProtocolVersion({
      requested: Predicate.isString(data.requested) ? data.requested : "unknown",
      supported: data.supported.filter(Predicate.isString)
    })
    : undefined

/**
 * What a transport error means to a caller.
 *
 * @since 0.1.0
 * @category wire
 */
export const fromTransport = (method: string, error: TransportError): McpError => {
  switch (error.reason) {
    case "malformed":
    case "too large":
      return new InvalidResult({ method, message: error.message })
    case "closed":
    case "refused":
      return new ConnectionClosed({ processed: error.processed, message: error.message, cause: error.cause })
  }
}
