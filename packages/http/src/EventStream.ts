/**
 * One response of `text/event-stream`: bounded, kept alive while nothing is said, and ended when nobody reads it.
 *
 * Knows events; not what they say, nor who asked.
 *
 * @since 0.1.0
 */
import * as Outbox from "@mcp-effect/protocol/Outbox"
import { TransportError } from "@mcp-effect/protocol/Peer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"

/**
 * One event. `data` is one line: JSON text always is. `retry` is in milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Event {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retry?: number
}

/**
 * An event as it goes over the wire.
 *
 * @since 0.1.0
 * @category codec
 */
export const frame = ({ data, event, id, retry }: Event): string =>
  `${event === undefined ? "" : `event: ${event}\n`}${id === undefined ? "" : `id: ${id}\n`}${
    retry === undefined ? "" : `retry: ${retry}\n`
  }${data === undefined ? "" : `data: ${data}\n`}\n`

/**
 * What a reader skips: it keeps a connection open, and flushes the head of a response.
 *
 * @since 0.1.0
 * @category codec
 */
export const comment = ": keep-alive\n\n"

/**
 * An open response.
 *
 * - `tryOffer`: takes frames if there is room; `offer`: when there is; `push`: at once, for what is bounded elsewhere.
 * - `room`: waits until there is some.
 * - `end`: ends it once all of that is sent. `gone`: nobody reads it any more.
 *
 * @since 0.1.0
 * @category models
 */
export interface EventStream {
  readonly response: HttpServerResponse.HttpServerResponse
  readonly tryOffer: (frames: string) => boolean
  readonly offer: (frames: string, stale?: () => boolean) => Effect.Effect<void, TransportError>
  readonly push: (frames: string) => void
  readonly room: Effect.Effect<void, TransportError>
  readonly end: () => void
  readonly gone: () => void
}

/**
 * What it takes to open one.
 *
 * - `heartbeat`: how long nothing may be said.
 * - `capacity`: code units that may wait for the reader.
 * - `drop`: ends the connection of a reader that has taken nothing for a whole heartbeat although no more has room.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly heartbeat: Duration.Duration
  readonly capacity: number
  readonly drop: () => void
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): EventStream => {
  const outbox = Outbox.make({ capacity: options.capacity })
  let takes = 0
  let beats: Fiber.Fiber<unknown, unknown> | undefined
  const stop = (error: TransportError): void => {
    outbox.end(error)
    beats?.interruptUnsafe()
  }
  beats = options.run(beating(options, outbox, () => takes, () => {
    outbox.end(lost)
    options.drop()
  }))
  const offer = (frames: string, stale?: () => boolean): Effect.Effect<void, TransportError> =>
    Effect.suspend(() =>
      outbox.tryOffer(frames)
        ? Effect.void
        : Effect.flatMap(outbox.room(), () => stale?.() === true ? Effect.void : offer(frames, stale))
    )
  const taken = Effect.map(outbox.take, (frames): [Uint8Array] => {
    takes++
    return [encoder.encode(frames.length === 1 ? frames[0] : frames.join(""))]
  })
  return {
    response: HttpServerResponse.stream(Stream.fromPull(Effect.succeed(taken)), {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }
    }),
    tryOffer: outbox.tryOffer,
    offer,
    push: outbox.push,
    room: outbox.room(),
    end: () => stop(lost),
    gone: () => stop(lost)
  }
}

const encoder = new TextEncoder()

const lost = new TransportError({
  reason: "closed",
  processed: "unknown",
  message: "Nobody reads this stream any more"
})

const beating = (
  { heartbeat }: Options,
  outbox: Outbox.Outbox,
  takes: () => number,
  drop: () => void
): Effect.Effect<void> =>
  Effect.gen(function*() {
    while (true) {
      const before = takes()
      yield* Effect.sleep(heartbeat)
      if (takes() !== before) continue
      if (outbox.isFull()) break
      outbox.tryOffer(comment)
    }
    yield* Effect.logWarning(
      `A stream was ended: its reader has taken nothing for ${Duration.format(heartbeat)}, and no more has room`
    )
    drop()
  })
