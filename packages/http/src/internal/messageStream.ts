/**
 * What is said to a client in one order, over as many connections as it takes: each message has a place, is stored, and
 * goes to whoever reads at the time.
 */
import * as Effect from "effect/Effect"
import type { EventStore } from "../EventStore.ts"
import * as EventStream from "../EventStream.ts"

export class MessageStream {
  readonly id: string
  private readonly session: string
  private readonly store: EventStore["Service"]
  private readonly readers: Array<EventStream.EventStream> = []
  // What is said while a reader is shown what it has missed.
  private held: Array<string> | undefined
  private sequence = 0
  private delivered = 0
  private ended = false

  constructor(id: string, session: string, store: EventStore["Service"]) {
    this.id = id
    this.session = session
    this.store = store
  }

  /** Says something, the last of it perhaps. Waits for room if somebody reads. */
  send(data: string, options: { readonly last?: boolean; readonly stale?: () => boolean } = {}): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.ended) return Effect.void
      const { last = false, stale } = options
      const sequence = ++this.sequence
      this.ended = last
      const frame = frameOf(this.id, sequence, data)
      const stored = this.store.append(this.session, this.id, { sequence, data, last })
      const reader = this.readers.at(-1)
      if (this.held !== undefined) {
        this.held.push(frame)
        return stored
      }
      if (reader === undefined) return stored
      this.delivered = sequence
      if (last) {
        reader.push(frame)
        this.finish()
        return stored
      }
      if (reader.tryOffer(frame)) return stored
      // A reader that is lost meanwhile may come back for it.
      return Effect.andThen(stored, Effect.ignore(reader.offer(frame, stale)))
    })
  }

  /** Shows somebody what was said after a place, by default what nobody was shown, and then what is said next. */
  attach(reader: EventStream.EventStream, after?: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      const from = after ?? this.delivered
      const upTo = this.sequence
      this.readers.push(reader)
      if (from >= upTo) return Effect.sync(() => this.ended ? this.finish() : undefined)
      this.held ??= []
      return Effect.flatMap(this.store.read(this.session, this.id, from), (events) => {
        const missed = events.filter(({ sequence }) => sequence <= upTo)
        for (const { data, sequence } of missed) reader.push(frameOf(this.id, sequence, data))
        const held = this.held ?? []
        this.held = undefined
        this.delivered = this.sequence
        if (held.length > 0) reader.push(held.join(""))
        if (this.ended) this.finish()
        const forgotten = upTo - from - missed.length
        return forgotten === 0 ? Effect.void : forgot(forgotten)
      })
    })
  }

  detach(reader: EventStream.EventStream): void {
    const at = this.readers.indexOf(reader)
    if (at >= 0) this.readers.splice(at, 1)
  }

  /** Closes the connections of those who read, who are to come back for the rest after `retry` milliseconds. */
  interrupt(retry: number): void {
    for (const reader of this.readers.splice(0)) {
      reader.push(EventStream.frame({ retry }))
      reader.end()
    }
  }

  /** Says nothing more, and lets go of those who read. */
  finish(): void {
    this.ended = true
    for (const reader of this.readers.splice(0)) reader.end()
  }

  /** The id of the last place that somebody was shown: whoever comes back with it is shown the rest. */
  position(): string {
    return `${this.id}-${this.delivered}`
  }

  isRead(): boolean {
    return this.readers.length > 0
  }
}

/** One message of a stream as an event, with its place as its id. */
export const frameOf = (stream: string, sequence: number, data: string): string =>
  EventStream.frame({ event: "message", id: `${stream}-${sequence}`, data })

/** To a client that has come back too late for all of it. */
export const forgot = (count: number): Effect.Effect<void> =>
  Effect.logWarning(`${count} messages of a stream could not be sent again: they are no longer stored`)

/** The stream and the place that an event id names; `undefined`: it is none of ours. */
export const parse = (eventId: string): { readonly stream: string; readonly sequence: number } | undefined => {
  const match = /^([\w.]{1,32})-(\d{1,15})$/u.exec(eventId)
  return match?.[1] === undefined ? undefined : { stream: match[1], sequence: Number(match[2]) }
}
