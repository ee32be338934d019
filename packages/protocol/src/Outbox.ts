/**
 * Where the texts of outgoing messages wait for the wire: bounded, and handed over in batches, so that all replies of
 * one read become one write.
 *
 * Knows nothing of framing or of what the texts say.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { TransportError } from "./Peer.ts"

/**
 * A bounded buffer with one consumer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Outbox {
  /** Takes a text at once, full or not: replies and cancellations, whose number is bounded elsewhere. */
  readonly push: (text: string) => void
  /** Takes a text when there is room. */
  readonly offer: (text: string) => Effect.Effect<void, TransportError>
  /** Waits until the buffer is below `times` its capacity (default 1). */
  readonly room: (times?: number) => Effect.Effect<void, TransportError>
  /** All texts so far, at least one; ends with `Done` after `end`, once everything was taken. */
  readonly take: Effect.Effect<readonly [string, ...Array<string>], Cause.Done>
  /** No more texts: waiting and later offers fail with this error; what was taken before is still handed over. */
  readonly end: (error: TransportError) => void
}

/**
 * Makes an outbox. `capacity` is in UTF-16 code units (default 1 Mi).
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options?: { readonly capacity?: number }): Outbox => {
  const capacity = options?.capacity ?? 1024 * 1024
  let texts: Array<string> = []
  let size = 0
  let ended: TransportError | undefined
  let consumer: (() => void) | undefined
  let scheduled = false
  const waiting = new Set<() => void>()

  const wake = (): void => {
    scheduled = false
    const resume = consumer
    consumer = undefined
    resume?.()
  }
  // A microtask: everything that this turn of the event loop produces goes out together.
  const schedule = (): void => {
    if (scheduled || consumer === undefined) return
    scheduled = true
    queueMicrotask(wake)
  }
  const push = (text: string): void => {
    if (ended !== undefined) return
    texts.push(text)
    size += text.length
    schedule()
  }
  const room = (times = 1): Effect.Effect<void, TransportError> =>
    Effect.suspend(() => {
      if (ended !== undefined) return Effect.fail(ended)
      if (size < capacity * times) return Effect.void
      return Effect.flatMap(waitTurn, () => room(times))
    })
  const waitTurn = Effect.callback<void>((resume) => {
    const done = (): void => resume(Effect.void)
    waiting.add(done)
    return Effect.sync(() => waiting.delete(done))
  })
  const release = (): void => {
    const all = [...waiting]
    waiting.clear()
    for (const done of all) done()
  }
  const takeNow = (): readonly [string, ...Array<string>] => {
    const taken = texts as [string, ...Array<string>]
    texts = []
    size = 0
    if (waiting.size > 0) release()
    return taken
  }
  const take: Outbox["take"] = Effect.suspend(() => {
    if (texts.length > 0) return Effect.succeed(takeNow())
    if (ended !== undefined) return Cause.done()
    return Effect.flatMap(
      Effect.callback<void>((resume) => {
        consumer = () => resume(Effect.void)
        return Effect.sync(() => {
          consumer = undefined
        })
      }),
      () => take
    )
  })
  return {
    push,
    room,
    take,
    offer: (text) =>
      Effect.suspend(() => {
        if (ended !== undefined) return Effect.fail(ended)
        if (size < capacity) {
          push(text)
          return Effect.void
        }
        return Effect.map(room(), () => push(text))
      }),
    end: (error) => {
      if (ended !== undefined) return
      ended = error
      release()
      schedule()
    }
  }
}
