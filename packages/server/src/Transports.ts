/**
 * Which transports of a program are still open, so that a program can end with the last of them.
 *
 * @since 0.1.0
 */
import type { TransportError } from "@mcp-effect/protocol/Peer"
import * as Context from "effect/Context"

/**
 * A transport's layer calls `started` when it is built, and what that returns when it has ended by itself, with an error
 * if it did not end well. One that never ends by itself never calls it.
 *
 * @since 0.1.0
 * @category references
 */
export interface Transports {
  readonly started: () => (error?: TransportError) => void
}

/**
 * @since 0.1.0
 * @category references
 */
export const Transports: Context.Reference<Transports> = Context.Reference<Transports>(
  "@mcp-effect/server/Transports",
  { defaultValue: () => ({ started: () => () => {} }) }
)
