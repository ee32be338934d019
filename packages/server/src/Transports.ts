/**
 * Which transports of a program are still open, so that a program can end with the last of them.
 *
 * @since 0.1.0
 */
import type { TransportError } from "@mcp-effect/protocol/Peer"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * A transport's layer calls `started` when it is built, and what that returns when it has ended by itself, with an error
 * if it did not end well. One that never ends by itself never calls it. `ending` is run before the program closes the
 * transport: it ends what would stay open, so that whatever carries the transport does not wait for that.
 *
 * @since 0.1.0
 * @category references
 */
export interface Transports {
  readonly started: (ending?: Effect.Effect<void>) => (error?: TransportError) => void
}

/**
 * @since 0.1.0
 * @category references
 */
export const Transports: Context.Reference<Transports> = Context.Reference<Transports>(
  "@mcp-effect/server/Transports",
  { defaultValue: () => ({ started: () => () => {} }) }
)
