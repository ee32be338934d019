/**
 * Which transports of a program are still open, so that a program can end with the last of them.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * A transport's layer calls `started` when it is built, and what that returns when it has ended by itself. One that
 * never ends by itself never calls it.
 *
 * @since 0.1.0
 * @category references
 */
export interface Transports {
  readonly started: () => () => void
}

/**
 * @since 0.1.0
 * @category references
 */
export const Transports: Context.Reference<Transports> = Context.Reference<Transports>(
  "@mcp-effect/server/Transports",
  { defaultValue: () => ({ started: () => () => {} }) }
)
