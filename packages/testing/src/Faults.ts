/**
 * Faults of a wire, on demand: what is on its way is lost, late, doubled or cut, or the wire breaks.
 *
 * Works on bytes, under whatever framing there is, and on messages, as a peer around a peer. Time is Effect's clock.
 *
 * @since 0.1.0
 */
import { type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/**
 * - `drop`: it does not arrive.
 * - `delay`: it arrives later, and what comes after it later still.
 * - `duplicate`: it arrives twice.
 * - `truncate`: half of it arrives, and then the end. (Of a message: as `reset`.)
 * - `reset`: it does not arrive, and nothing after it does: the wire breaks.
 *
 * @since 0.1.0
 * @category models
 */
export type Fault = "drop" | "duplicate" | "truncate" | "reset" | { readonly delay: Duration.Input }

/**
 * The wire has broken.
 *
 * @since 0.1.0
 * @category errors
 */
export class Reset extends Data.TaggedError("Reset")<{}> {
  override get message(): string {
    return "The wire was reset"
  }
}

/**
 * Wires that fail when they are told to: each fault is for the next thing that is on its way, in the order in which they
 * were asked for. Without one, everything arrives.
 *
 * @since 0.1.0
 * @category models
 */
export interface Faults {
  readonly next: (...faults: ReadonlyArray<Fault>) => Effect.Effect<void>
  /** How many are still to come. */
  readonly left: Effect.Effect<number>
  /** Those do not come. */
  readonly clear: Effect.Effect<void>
  /** On chunks of bytes, as they are read. */
  readonly bytes: <E, R>(stream: Stream.Stream<Uint8Array, E, R>) => Stream.Stream<Uint8Array, E | Reset, R>
  /** On messages to this peer. A request that is dropped has no reply; one that is doubled has the first. */
  readonly messages: (peer: Peer) => Peer
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Faults> = Effect.sync(() => {
  const planned: Array<Fault> = []
  return {
    next: (...faults) => Effect.sync(() => void planned.push(...faults)),
    left: Effect.sync(() => planned.length),
    clear: Effect.sync(() => void planned.splice(0)),
    bytes: (stream) => {
      // Breaks off: what is in the chunk that is read is the last of it.
      let ended = false
      return stream.pipe(
        Stream.flatMap((chunk): Stream.Stream<Uint8Array, Reset> => {
          const fault = planned.shift()
          ended = fault === "truncate"
          return arriving(chunk, fault)
        }),
        Stream.takeUntil(() => ended)
      )
    },
    messages: (peer) => ({
      notify: (notification) =>
        Effect.suspend(() => withFault(planned.shift(), peer.notify(notification), Effect.void, notification.method)),
      request: (request, back) =>
        Effect.suspend(() => withFault(planned.shift(), peer.request(request, back), Effect.never, request.method))
    })
  }
})

const arriving = (chunk: Uint8Array, fault: Fault | undefined): Stream.Stream<Uint8Array, Reset> => {
  switch (fault) {
    case undefined:
      return Stream.succeed(chunk)
    case "drop":
      return Stream.empty
    case "duplicate":
      return Stream.make(chunk, chunk)
    case "truncate":
      return Stream.succeed(chunk.slice(0, Math.floor(chunk.length / 2)))
    case "reset":
      return Stream.fail(new Reset())
    default:
      return Stream.fromEffect(Effect.as(Effect.sleep(fault.delay), chunk))
  }
}

const withFault = <A>(
  fault: Fault | undefined,
  sent: Effect.Effect<A, TransportError>,
  dropped: Effect.Effect<A>,
  method: string
): Effect.Effect<A, TransportError> => {
  switch (fault) {
    case undefined:
      return sent
    case "drop":
      return dropped
    case "duplicate":
      return Effect.flatMap(Effect.all([sent, sent], { concurrency: "unbounded" }), ([first]) => Effect.succeed(first))
    case "truncate":
    case "reset":
      return Effect.fail(
        new TransportError({ reason: "closed", processed: "unknown", message: `The wire was reset at ${method}` })
      )
    default:
      return Effect.andThen(Effect.sleep(fault.delay), sent)
  }
}
