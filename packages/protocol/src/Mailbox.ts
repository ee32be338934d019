/**
 * Notifications on their way to one consumer, in order and bounded: what a reader that must not wait for it hands over.
 *
 * Knows nothing of channels, nor of what the notifications say.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Internal from "./internal/mailbox.ts"
import type { Notification } from "./JsonRpc.ts"

/**
 * - `push`: hands one over. Past the bound, progress collapses to the latest, and the rest is dropped with a log line.
 * - `whenIdle`: runs `f` once all that was pushed is delivered.
 * - `end`: nobody listens any more; what is being delivered is interrupted.
 *
 * @since 0.1.0
 * @category models
 */
export interface Mailbox {
  readonly push: (notification: Notification) => void
  readonly whenIdle: (f: () => void) => void
  readonly end: () => void
}

/**
 * Makes a mailbox; `bound` is how many may wait. `run` starts a fiber for each that is delivered.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: (
  run: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>,
  deliver: (notification: Notification) => Effect.Effect<void, unknown>,
  bound: number
) => Mailbox = Internal.make
