/**
 * What a feature is given of a request: who asks, in which revision, and the way back. The era is already settled.
 *
 * @since 0.1.0
 */
import type * as Capabilities from "@mcp-effect/protocol/Capabilities"
import type { Implementation } from "@mcp-effect/protocol/Implementation"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { ProtocolError } from "@mcp-effect/protocol/McpError"
import type { Peer } from "@mcp-effect/protocol/Peer"
import type { Revision } from "@mcp-effect/protocol/Revision"
import type * as Effect from "effect/Effect"

/**
 * The client as it describes itself, per session or per request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Client {
  readonly info: Implementation | undefined
  readonly capabilities: Capabilities.Client
}

/**
 * One request on its way to a feature.
 *
 * @since 0.1.0
 * @category models
 */
export interface Call {
  readonly request: JsonRpc.Request
  readonly revision: Revision
  readonly client: Client
  readonly back: Peer
}

/**
 * The result of a call, before the revision's own members are added. `cacheable` results carry caching hints where the
 * revision has them; `key`, if given, is an object that stays the same for as long as the result does, so that its
 * JSON is made once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Result {
  readonly value: JsonRpc.Params
  readonly cacheable: boolean
  readonly key: object | undefined
}

/**
 * How a feature handles one of its methods.
 *
 * @since 0.1.0
 * @category models
 */
export type Method = (call: Call) => Effect.Effect<Result, ProtocolError>

/**
 * A feature: the capability that it declares, if there is anything to offer, and its methods.
 *
 * @since 0.1.0
 * @category models
 */
export interface Feature {
  /** Whether there is anything to declare. Without, its methods do not exist. */
  readonly declared: () => boolean
  /** The member of the capabilities; `changes`: whether the era can tell of changes. */
  readonly capability: (options: { readonly changes: boolean }) => Partial<Capabilities.Server>
  readonly methods: { readonly [method: string]: Method }
  /** Calls back when what the feature lists has changed, with the notification to send; returns how to stop. */
  readonly onChange: (notify: (method: string) => void) => () => void
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const result = (value: JsonRpc.Params): Result => ({ value, cacheable: false, key: undefined })
