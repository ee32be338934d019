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
import { type Local, type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type * as Duration from "effect/Duration"
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
  /** No more output: what was handed over before is still written, for at most two seconds. Whether all of it was. */
  readonly finish: (error: TransportError) => Effect.Effect<boolean>
}

/**
 * Joins the streams. The writer starts at once; reading starts with `read`. Where the scope ends first, this side ends
 * what is open, and what it says to that is still written.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <E>(options: {
  readonly input: Stream.Stream<Uint8Array, E>
  readonly output: Sink.Sink<void, string, never, E>
  readonly local: (remote: Peer) => Effect.Effect<Local, never, Scope.Scope>
  readonly batches?: () => boolean
  readonly answerInvalid: boolean
}): Effect.Effect<Wire<E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const limits = yield* Limits.Limits
    const outbox = Outbox.make({ capacity: limits.outbox })
    const duplex = yield* Duplex.make({ ...options, outbox })
    const arrived: Array<string | JsonRpc.Peeked> = []
    const lines = Lines.splitter(limits.messageBytes, {
      line: (line) => void arrived.push(line),
      tooLarge: (head, tail) => void arrived.push(JsonRpc.peek(head, tail))
    })
    const chunks = Stream.fromPull(Effect.succeed(Effect.map(outbox.take, pieces)))
    const writer = yield* Effect.forkScoped(Stream.run(chunks, options.output))
    const finish = (error: TransportError, within: Duration.Input): Effect.Effect<boolean> =>
      Effect.andThen(
        duplex.close(error),
        Effect.map(
          Effect.timeoutOption(Fiber.await(writer), within),
          (exit) => exit._tag === "Some" && exit.value._tag === "Success"
        )
      )
    // Before the writer ends.
    yield* Effect.addFinalizer(() => Effect.andThen(duplex.ending, finish(stopped, "250 millis")))
    // A peer that sends without reading is not read further: replies would pile up here.
    const handle = (from: number): Effect.Effect<void> => {
      for (let index = from; index < arrived.length; index++) {
        const next = arrived[index]
        if (typeof next === "string") duplex.receive(next)
        else if (next !== undefined) duplex.tooLarge(next, limits.messageBytes)
        if (outbox.isFull(4)) return Effect.flatMap(Effect.ignore(outbox.room(4)), () => handle(index + 1))
      }
      arrived.length = 0
      return Effect.void
    }
    return {
      duplex,
      read: Stream.runForEachArray(options.input, (chunks) => {
        for (const chunk of chunks) lines.push(chunk)
        return handle(0)
      }).pipe(Effect.andThen(Effect.suspend(() => {
        lines.end()
        return handle(0)
      }))),
      written: Fiber.join(writer),
      finish: (error) => finish(error, "2 seconds")
    }
  })

const stopped = new TransportError({ reason: "closed", processed: "unknown", message: "This side was stopped" })

const PIECE = 64 * 1024

// Lines in strings of about 64 KiB: one write for many replies, but no string that leaves V8's young generation, where
// making one costs more than the writes it saves.
const pieces = (texts: ReadonlyArray<string>): [string, ...Array<string>] => {
  const joined: Array<string> = []
  let lines: Array<string> = []
  let size = 0
  const join = (): string => {
    // The last line ends too. One join, since a text may be large.
    lines.push("")
    const piece = lines.join("\n")
    lines = []
    size = 0
    return piece
  }
  for (const text of texts) {
    if (size > PIECE) joined.push(join())
    lines.push(text)
    size += text.length
  }
  const [first, ...rest] = [...joined, join()]
  return [first ?? "", ...rest]
}
