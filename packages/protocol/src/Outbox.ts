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
  /** Takes a text if there is room now. */
  readonly tryOffer: (text: string) => boolean
  /** Takes a text when there is room; `taken` is called in the moment it is. */
  readonly offer: (text: string, taken?: () => void) => Effect.Effect<void, TransportError>
  /** Whether the buffer holds `times` its capacity, or more. */
  readonly isFull: (times?: number) => boolean
  /** Waits until the buffer is below `times` its capacity (default 1). */
  readonly room: (times?: number) => Effect.Effect<void, TransportError>
  /** All texts so far, at least one, as an array of the consumer's own; ends with `Done` after `end`, once everything was taken. */
  readonly take: Effect.Effect<[string, ...Array<string>], Cause.Done>
  /** No more texts: waiting and later offers fail with this error; what was taken before is still handed over. */
  readonly end: (error: TransportError) => void
}

/**
 * Makes an outbox. `capacity` is in UTF-16 code units (default 1 Mi).
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options?: { readonly capacity?: number }): Outbox => new Buffer(options?.capacity ?? 1024 * 1024)

class Buffer implements Outbox {
  private readonly capacity: number
  private readonly waiting = new Set<() => void>()
  private texts: Array<string> = []
  private size = 0
  private ended: TransportError | undefined
  private consumer: (() => void) | undefined
  private scheduled = false

  constructor(capacity: number) {
    this.capacity = capacity
  }

  readonly push = (text: string): void => {
    if (this.ended !== undefined) return
    this.texts.push(text)
    this.size += text.length
    this.schedule()
  }

  readonly tryOffer = (text: string): boolean => {
    if (this.ended !== undefined || this.size >= this.capacity) return false
    this.push(text)
    return true
  }

  readonly offer = (text: string, taken?: () => void): Effect.Effect<void, TransportError> =>
    Effect.suspend(() => {
      if (!this.tryOffer(text)) return Effect.flatMap(this.room(), () => this.offer(text, taken))
      taken?.()
      return Effect.void
    })

  readonly isFull = (times = 1): boolean => this.size >= this.capacity * times

  readonly room = (times = 1): Effect.Effect<void, TransportError> =>
    Effect.suspend(() => {
      if (this.ended !== undefined) return Effect.fail(this.ended)
      if (!this.isFull(times)) return Effect.void
      return Effect.flatMap(this.turn, () => this.room(times))
    })

  readonly take: Outbox["take"] = Effect.suspend(() => {
    if (this.texts.length > 0) return Effect.succeed(this.empty())
    if (this.ended !== undefined) return Cause.done()
    return Effect.flatMap(this.arrival, () => this.take)
  })

  readonly end = (error: TransportError): void => {
    if (this.ended !== undefined) return
    this.ended = error
    this.release()
    this.schedule()
  }

  private readonly turn = Effect.callback<void>((resume) => {
    const done = (): void => resume(Effect.void)
    this.waiting.add(done)
    return Effect.sync(() => this.waiting.delete(done))
  })

  private readonly arrival = Effect.callback<void>((resume) => {
    this.consumer = () => resume(Effect.void)
    return Effect.sync(() => {
      this.consumer = undefined
    })
  })

  private empty(): [string, ...Array<string>] {
    // Sound: only called when there is a text.
    const taken = this.texts as [string, ...Array<string>]
    this.texts = []
    this.size = 0
    if (this.waiting.size > 0) this.release()
    return taken
  }

  private release(): void {
    const all = [...this.waiting]
    this.waiting.clear()
    for (const done of all) done()
  }

  // In a microtask: everything that this turn of the event loop produces goes out together.
  private schedule(): void {
    if (this.scheduled || this.consumer === undefined) return
    this.scheduled = true
    queueMicrotask(() => {
      this.scheduled = false
      const resume = this.consumer
      this.consumer = undefined
      resume?.()
    })
  }
}
