/**
 * What is said to a client in one order, over as many connections as it takes: each message has a place, is stored, and
 * goes to whoever reads last. It remembers up to where that was shown to somebody: whoever comes back takes it back there.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { EventStore, StoredEvent } from "../EventStore.ts"
import * as EventStream from "../EventStream.ts"
import type { Wire } from "./exchange.ts"

/** Whose stream it is, and where that is kept. */
export interface Parts {
  readonly session: string
  readonly store: EventStore["Service"]
  readonly run: Wire["run"]
}

export class MessageStream {
  readonly id: string
  private readonly parts: Parts
  private readonly readers: Array<EventStream.EventStream> = []
  // Those who wait for a reader to have room, until there is another one.
  private readonly waiting = new Set<() => void>()
  private sequence = 0
  private delivered = 0
  private ended = false
  private catching = false

  constructor(id: string, parts: Parts) {
    this.id = id
    this.parts = parts
  }

  /** Says something when it is called, or when there is room if somebody reads. What it returns waits for that, and the store. */
  send(data: string, stale?: () => boolean): Effect.Effect<void> {
    if (this.ended) return Effect.void
    const reader = this.reader
    if (reader === undefined) return this.store(data, false)
    if (reader.tryOffer(frameOf(this.id, this.sequence + 1, data))) {
      this.delivered++
      return this.store(data, false)
    }
    const room = Effect.catch(reader.room, () => Effect.sync(() => this.detach(reader)))
    return Effect.flatMap(
      Effect.race(room, this.turn),
      () => stale?.() === true ? Effect.void : this.send(data, stale)
    )
  }

  /** Says something at once, the last of it perhaps: what is bounded elsewhere. */
  push(data: string, last = false): void {
    if (this.ended) return
    const reader = this.reader
    if (reader !== undefined) {
      reader.push(frameOf(this.id, this.sequence + 1, data))
      this.delivered++
    }
    this.store(data, last)
    if (last) this.end()
  }

  /** Shows somebody what was said after a place, by default what nobody was shown, and then what is said next. */
  attach(reader: EventStream.EventStream, after?: number): void {
    if (after !== undefined) this.delivered = Math.min(after, this.sequence)
    this.readers.push(reader)
    this.wake()
    if (this.catching) return
    this.catching = true
    this.parts.run(this.missed)
  }

  detach(reader: EventStream.EventStream): void {
    const at = this.readers.indexOf(reader)
    if (at >= 0) this.readers.splice(at, 1)
    this.wake()
  }

  /** Closes the connections of those who read, who are to come back for the rest after `retry` milliseconds. */
  interrupt(retry: number): void {
    for (const reader of this.readers.splice(0)) {
      reader.push(EventStream.frame({ retry }))
      reader.end()
    }
    this.wake()
  }

  /** Says nothing more; who reads is shown what was said. */
  end(): void {
    this.ended = true
    if (!this.catching) this.finish()
  }

  /** Says nothing more, and lets go of those who read. */
  finish(): void {
    this.ended = true
    for (const reader of this.readers.splice(0)) reader.end()
    this.wake()
  }

  /** The id of the last place that somebody was shown: whoever comes back with it is shown the rest. */
  position(): string {
    return `${this.id}-${this.delivered}`
  }

  /** Whether there is such a place. */
  has(sequence: number): boolean {
    return sequence <= this.sequence
  }

  isRead(): boolean {
    return this.readers.length > 0
  }

  /** Whether a reader is the one who hears what is said. */
  isHeardBy(reader: EventStream.EventStream): boolean {
    return this.readers.at(-1) === reader
  }

  // Who reads, once it has been shown what was said before.
  private get reader(): EventStream.EventStream | undefined {
    return this.delivered === this.sequence ? this.readers.at(-1) : undefined
  }

  // Begins at once: the store is told in order.
  private store(data: string, last: boolean): Effect.Effect<void> {
    const { run, session, store } = this.parts
    const stored = run(store.append(session, this.id, { sequence: ++this.sequence, data, last }))
    return stored.pollUnsafe() === undefined ? Effect.asVoid(Fiber.await(stored)) : Effect.void
  }

  private readonly turn = Effect.callback<void>((resume) => {
    const done = (): void => resume(Effect.void)
    this.waiting.add(done)
    return Effect.sync(() => this.waiting.delete(done))
  })

  private wake(): void {
    const all = [...this.waiting]
    this.waiting.clear()
    for (const done of all) done()
  }

  // Until whoever reads has been shown everything. What is said meanwhile is only stored, and shown here.
  private readonly missed: Effect.Effect<void> = Effect.suspend(() => {
    const reader = this.readers.at(-1)
    const from = this.delivered
    const upTo = this.sequence
    if (reader === undefined || from === upTo) {
      this.catching = false
      if (this.ended) this.finish()
      return Effect.void
    }
    return Effect.flatMap(this.parts.store.read(this.parts.session, this.id, from), (events) => {
      // Somebody else reads now, or from elsewhere.
      if (this.readers.at(-1) !== reader || this.delivered !== from) return this.missed
      reader.push(framesOf(this.id, events))
      this.delivered = Math.max(upTo, events.at(-1)?.sequence ?? 0)
      return Effect.andThen(forgot(this.delivered - from - events.length), this.missed)
    })
  })
}

const frameOf = (stream: string, sequence: number, data: string): string =>
  EventStream.frame({ event: "message", id: `${stream}-${sequence}`, data })

/** Messages of a stream as events, with their places as their ids. */
export const framesOf = (stream: string, events: ReadonlyArray<StoredEvent>): string =>
  events.map(({ data, sequence }) => frameOf(stream, sequence, data)).join("")

/** To a client that has come back too late for all of it. */
export const forgot = (count: number): Effect.Effect<void> =>
  count === 0
    ? Effect.void
    : Effect.logWarning(`${count} messages of a stream could not be sent again: they are no longer stored`)

/** The stream and the place that an event id names; `undefined`: it is none of ours. */
export const parse = (eventId: string): { readonly stream: string; readonly sequence: number } | undefined => {
  const match = /^([\w.]{1,32})-(\d{1,15})$/u.exec(eventId)
  return match?.[1] === undefined ? undefined : { stream: match[1], sequence: Number(match[2]) }
}
