/**
 * What a feature is given of a request: who asks, in which revision, and the way back. The era is already settled.
 *
 * @since 0.1.0
 */
import type * as Capabilities from "@mcp-effect/protocol/Capabilities"
import type * as Content from "@mcp-effect/protocol/Content"
import type { Implementation } from "@mcp-effect/protocol/Implementation"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { Level } from "@mcp-effect/protocol/Logging"
import type { ProtocolError } from "@mcp-effect/protocol/McpError"
import type { Peer } from "@mcp-effect/protocol/Peer"
import type { Principal } from "@mcp-effect/protocol/Principal"
import type { Revision } from "@mcp-effect/protocol/Revision"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Change } from "./Changes.ts"
import type { Input } from "./Input.ts"

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
 * What a session remembers between its requests. The stateless era has none.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionState {
  /** Closes with the session. */
  readonly scope: Scope.Scope
  /** As `logging/setLevel` has set it. */
  logLevel: Level | undefined
  /** The extensions that both sides have declared. */
  readonly extensions: ReadonlySet<string>
  /** What the client has subscribed to, by `Resource.normalize` of the URI. */
  readonly subscribed: Map<string, Subscribed>
}

/**
 * A resource that somebody wants to hear of: its URI in their own spelling, and who they are.
 *
 * @since 0.1.0
 * @category models
 */
export interface Subscribed {
  readonly uri: string
  readonly principal: Principal | undefined
}

/**
 * The connection that a request came on.
 *
 * @since 0.1.0
 * @category models
 */
export interface Link {
  /** Calls back when the server ends the connection by itself; returns how to stop. */
  readonly onEnding: (f: () => void) => () => void
}

/**
 * One request on its way to a feature.
 *
 * - `logLevel`: the least severe message that its client wants to hear of, if any.
 * - `input`: how to ask its client.
 * - `part`: the notification that carries a piece of a tool's content ahead of the result, if an extension does.
 *
 * @since 0.1.0
 * @category models
 */
export interface Call {
  readonly request: JsonRpc.Request
  readonly revision: Revision
  readonly client: Client
  readonly principal: Principal | undefined
  readonly back: Peer
  readonly link: Link
  readonly session: SessionState | undefined
  readonly logLevel: Level | undefined
  readonly input: Input
  readonly part: PartNotification | undefined
}

/**
 * The notification for a piece of content, `index` counting from 0; `undefined`: it is not to be sent.
 *
 * @since 0.1.0
 * @category models
 */
export type PartNotification = (
  content: Content.Content,
  index: number,
  progressToken: JsonRpc.Id
) => JsonRpc.Notification | undefined

/**
 * How long a result may be kept, in milliseconds, and by whom.
 *
 * @since 0.1.0
 * @category models
 */
export interface CachingHints {
  readonly ttlMs: number
  readonly cacheScope: "public" | "private"
}

/**
 * The result of a call, before the revision's own members are added. `caching`: hints of its own, where those of its
 * method do not do; `key`, if given, is an object that stays the same for as long as the result does, so that its JSON is
 * made once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Result {
  readonly value: JsonRpc.Params
  readonly caching: Partial<CachingHints> | undefined
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
 * The changes that somebody hears of. `coarse`: what to say instead of a change to one who is too far behind for each.
 *
 * @since 0.1.0
 * @category models
 */
export interface Interest {
  readonly matches: (change: Change) => boolean
  readonly coarse?: (change: Change) => Change | undefined
}

/**
 * What a subscriber has asked for and gets. `honoured` is what it is told that it gets.
 *
 * @since 0.1.0
 * @category models
 */
export interface Listening extends Interest {
  readonly honoured: unknown
}

/**
 * A feature: the capability that it declares, if there is anything to offer, its methods, and what it tells of.
 *
 * - `declared`: whether there is anything to declare. Without, its methods do not exist.
 * - `announces`: the changes that a session hears of.
 * - `listens`: the members of the filter of `subscriptions/listen`; `undefined` for a value that is not supported. What a
 *   subscription holds is no more than `bound`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Feature {
  readonly declared: () => boolean
  readonly capability: (revision: Revision) => Partial<Capabilities.Server>
  readonly methods: { readonly [method: string]: Method }
  readonly announces: (session: SessionState) => Interest
  readonly listens: { readonly [key: string]: (requested: unknown, call: Call, bound: number) => Listening | undefined }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const result = (value: JsonRpc.Params): Result => ({ value, caching: undefined, key: undefined })
