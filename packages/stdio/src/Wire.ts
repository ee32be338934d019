/**
 * A duplex over two streams of bytes with newline framing: standard streams, a child's pipes, or a socket.
 *
 * Knows framing and flow; not whose bytes they are, nor when a process ends.
 *
 * @since 0.1.0
 */
import * as Duplex from "@mcp-effect/protocol/Duplex"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as Outbox from "@mcp-effect/protocol/Outbox"
import type { Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as Lines from "./Lines.ts"

/**
 * The connection, and both directions of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wire<E> {
  readonly duplex: Duplex.Duplex
  /** Reads until the end of input. */
  readonly read: Effect.Effect<void, E>
  /** Waits until writing is impossible, or over after `finish`. */
  readonly written: Effect.Effect<void, E>
  /** No more output: what was handed over before is still written, for at most two seconds. */
  readonly finish: (error: TransportError) => Effect.Effect<void>
}

/**
 * Joins the streams. The writer starts at once; reading starts with `read`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <E>(options: {
  readonly input: Stream.Stream<Uint8Array, E>
  readonly output: Sink.Sink<void, string, never, E>
  readonly local: (remote: Peer) => Effect.Effect<Peer, never, Scope.Scope>
  readonly batches?: () => boolean
  readonly answerInvalid: boolean
}): Effect.Effect<Wire<E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const limits = yield* Limits.Limits
    const outbox = Outbox.make({ capacity: limits.outbox })
    const duplex = yield* Duplex.make({ ...options, outbox })
    const lines = Lines.splitter(limits.messageBytes, {
      line: duplex.receive,
      tooLarge: (head, tail) => duplex.tooLarge(JsonRpc.peekId(head, tail), limits.messageBytes)
    })
    const chunks = Stream.fromPull(Effect.succeed(Effect.map(outbox.take, (texts) => {
      // The last line ends too. One join, since a text may be large.
      texts.push("")
      return [texts.join("\n")] as const
    })))
    const writer = yield* Effect.forkScoped(Stream.run(chunks, options.output))
    // A peer that sends without reading is not read further: replies would pile up here.
    const room = Effect.ignore(outbox.room(4))
    return {
      duplex,
      read: Stream.runForEachArray(options.input, (chunks) => {
        for (const chunk of chunks) lines.push(chunk)
        return room
      }).pipe(Effect.andThen(Effect.sync(lines.end))),
      written: Fiber.join(writer),
      finish: (error) =>
        Effect.andThen(
          duplex.close(error),
          Effect.ignore(Effect.timeoutOption(Fiber.await(writer), "2 seconds"))
        )
    }
  })
