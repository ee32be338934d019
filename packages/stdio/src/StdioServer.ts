/**
 * Serves over standard input and output: one line is one message. Nothing but messages reaches standard output.
 *
 * At end of input, work in flight is interrupted and the transport ends; where writing fails, it ends with an error. Where
 * the program is stopped, subscriptions that are open are answered first. Knows nothing of what is served.
 *
 * Source: `basic/transports/stdio` of revision 2026-07-28, and `basic/transports` of the earlier ones.
 *
 * @since 0.1.0
 */
import { TransportError } from "@mcp-effect/protocol/Peer"
import * as ConsoleGuard from "@mcp-effect/server/ConsoleGuard"
import type { ServerConnection } from "@mcp-effect/server/Dispatch"
import { McpServer } from "@mcp-effect/server/McpServer"
import { Transports } from "@mcp-effect/server/Transports"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import * as Wire from "./Wire.ts"

/**
 * Serves the `McpServer` over the `Stdio` of the platform. While it is open, `console.log` and Effect's loggers print to
 * standard error.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never, never, McpServer | Stdio.Stdio> = Layer.effectDiscard(
  Effect.gen(function*() {
    const stdio = yield* Stdio.Stdio
    const server = yield* McpServer
    const ended = (yield* Transports).started()
    yield* Effect.acquireRelease(Effect.sync(ConsoleGuard.hold), (release) => Effect.sync(release))
    let connection: ServerConnection | undefined
    const wire = yield* Wire.make({
      input: stdio.stdin,
      output: stdio.stdout(),
      local: (remote) => Effect.tap(server.connect(remote), (opened) => Effect.sync(() => connection = opened)),
      batches: () => connection?.batches() ?? false,
      answerInvalid: true
    })
    const closed = (message: string, cause?: unknown): TransportError =>
      new TransportError({ reason: "closed", processed: "unknown", message, cause })
    yield* Effect.matchCauseEffect(Effect.raceFirst(wire.read, wire.written), {
      onSuccess: () =>
        Effect.map(wire.finish(closed("The input has ended")), (written) => {
          ended(written ? undefined : closed("The output that was left could not be written"))
        }),
      onFailure: (cause) => {
        const error = closed("Standard input or output has failed", Cause.squash(cause))
        return Effect.andThen(wire.finish(error), Effect.sync(() => ended(error)))
      }
    }).pipe(Effect.forkScoped)
  })
)
