/**
 * An extension of the protocol on a client: what it declares, and what it makes of what a server sends for it.
 *
 * Source: `basic/index#resulttype` and `basic/versioning#extension-negotiation` of revision 2026-07-28.
 *
 * @since 0.1.0
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type { McpError, ProtocolError } from "@mcp-effect/protocol/McpError"
import type * as Effect from "effect/Effect"
import type { RequestOptions } from "./Requests.ts"

/**
 * What a result of another type than `complete` answers, as it was sent, and how to ask the server for more.
 *
 * `request` is as that of the client: with deadlines of its own, and the errors of the protocol.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unresolved {
  readonly method: string
  readonly params: Params | undefined
  readonly request: (method: string, params?: Params, options?: RequestOptions) => Effect.Effect<Params, McpError>
}

/**
 * - `id`: such as `com.example/thing`; `settings`: the value that is declared for it (default `{}`), in `extensions` of the
 *   capabilities, and in `experimental` too where a session is initialized.
 * - `notifications`: runs for each of these that arrives, tied to a request or not, one after the other.
 * - `requests`: answers these requests of the server. What one fails with is the reply.
 * - `resultTypes`: makes the complete result out of one of these types, in its own time: the deadlines of the request are
 *   over when its result is there. Whoever interrupts the request interrupts this.
 *
 * @since 0.1.0
 * @category models
 */
export interface ClientExtension {
  readonly id: string
  readonly settings?: Params
  readonly notifications?: { readonly [method: string]: (params: Params) => Effect.Effect<void> }
  readonly requests?: { readonly [method: string]: (params: Params) => Effect.Effect<Params, ProtocolError> }
  readonly resultTypes?: {
    readonly [resultType: string]: (result: Params, unresolved: Unresolved) => Effect.Effect<Params, McpError>
  }
}
