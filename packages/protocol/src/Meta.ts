/**
 * The reserved keys of `_meta`, and the few reads that every layer needs.
 *
 * Source: `basic/index#meta` of revision 2026-07-28; `progressToken` exists since 2024-11-05.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import { type Id, isId, type Params } from "./JsonRpc.ts"

/**
 * The protocol version of a stateless request.
 *
 * @since 0.1.0
 * @category keys
 */
export const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"

/**
 * The client's `Implementation`, on a stateless request.
 *
 * @since 0.1.0
 * @category keys
 */
export const CLIENT_INFO = "io.modelcontextprotocol/clientInfo"

/**
 * The client's capabilities, on a stateless request.
 *
 * @since 0.1.0
 * @category keys
 */
export const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

/**
 * The server's `Implementation`, on a stateless result.
 *
 * @since 0.1.0
 * @category keys
 */
export const SERVER_INFO = "io.modelcontextprotocol/serverInfo"

/**
 * The `subscriptions/listen` request that a notification belongs to.
 *
 * @since 0.1.0
 * @category keys
 */
export const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"

/**
 * The least severe log message that a client wants to hear of, on a stateless request. Without it, it hears of none.
 *
 * @since 0.1.0
 * @category keys
 */
export const LOG_LEVEL = "io.modelcontextprotocol/logLevel"

/**
 * The `_meta` object of parameters or of a result, if it has one.
 *
 * @since 0.1.0
 * @category accessors
 */
export const of = (params: Params | undefined): Params | undefined => {
  const meta = params?._meta
  return Predicate.isObject(meta) ? meta : undefined
}

/**
 * The progress token that a request asks its progress to be sent under.
 *
 * @since 0.1.0
 * @category accessors
 */
export const progressToken = (params: Params | undefined): Id | undefined => {
  const token = of(params)?.progressToken
  return isId(token) ? token : undefined
}

/**
 * Parameters with more in their `_meta`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const assign = (params: Params | undefined, meta: Params): Params => ({
  ...params,
  _meta: { ...of(params), ...meta }
})
