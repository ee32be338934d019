/**
 * Whether, when and how often a client connects again after it has lost its server, and what calls do meanwhile.
 *
 * Knows no transport: a connection is opened by `ClientTransport.connect`, whatever that is.
 *
 * @since 0.1.0
 */
import type * as McpError from "@mcp-effect/protocol/McpError"
import * as Schedule from "effect/Schedule"

/**
 * - `schedule`: the pauses before the attempts to connect again, from the first on; given why the last one failed (default:
 *   {@link schedule}). It starts anew once the server has said something after a handshake. When it is over, the client
 *   stays disconnected until it is used again, which is one more attempt and, if that fails, its end.
 * - `calls`: whether a call that is made meanwhile waits for the connection, within its `timeout`, or fails at once
 *   (default `wait`).
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly schedule?: Schedule.Schedule<unknown, McpError.McpError>
  readonly calls?: "wait" | "fail"
}

/**
 * 100 milliseconds, then twice as long each time up to 30 seconds, 20 % more or less, 12 times: some two and a half minutes.
 *
 * @since 0.1.0
 * @category schedules
 */
export const schedule: Schedule.Schedule<unknown> = Schedule.min([
  Schedule.exponential("100 millis"),
  Schedule.spaced("30 seconds")
]).pipe(Schedule.jittered, Schedule.upTo({ times: 12 }))
