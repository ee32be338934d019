/**
 * The bounds of one connection. Nothing here grows without one.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * - `messageBytes`: the largest message that is read; a larger one is answered with an error.
 * - `inFlight`: requests in flight, each way; one more of ours waits, one more of the other side's is refused.
 * - `mailbox`: notifications that a consumer may be behind before they collapse.
 * - `batch`: messages in one batch.
 * - `closing`: milliseconds that the end of a connection waits for handlers that ignore their interruption.
 * - `outbox`: code units of text that wait for the wire before senders wait too.
 *
 * @since 0.1.0
 * @category references
 */
export interface Limits {
  readonly messageBytes: number
  readonly inFlight: number
  readonly mailbox: number
  readonly batch: number
  readonly closing: number
  readonly outbox: number
}

/**
 * The defaults: 10 MiB a message, 1024 in flight, 256 behind, 100 in a batch, 5 s of closing, 1 Mi waiting.
 *
 * @since 0.1.0
 * @category references
 */
export const defaults: Limits = {
  messageBytes: 10 * 1024 * 1024,
  inFlight: 1024,
  mailbox: 256,
  batch: 100,
  closing: 5000,
  outbox: 1024 * 1024
}

/**
 * The bounds in force, as a setting: provide another value around a transport's layer.
 *
 * @since 0.1.0
 * @category references
 */
export const Limits: Context.Reference<Limits> = Context.Reference<Limits>("@mcp-effect/protocol/Limits", {
  defaultValue: () => defaults
})
