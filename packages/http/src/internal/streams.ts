/**
 * The streams that a session speaks on, and who reads them: one for what is said outside of requests, and one for each
 * POST that needs it. Streams that have ended, or are of another process, are read from the store.
 */
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { EventStore } from "../EventStore.ts"
import * as EventStream from "../EventStream.ts"
import type { Responds } from "./era.ts"
import type { Wire } from "./exchange.ts"
import * as MessageStream from "./messageStream.ts"
import * as Reply from "./reply.ts"

/** What they need of their session. `primes`: whether clients know that an event without data is a place to come back to. */
export interface Host {
  readonly id: string
  readonly wire: Wire
  readonly primes: () => boolean
}

/** `streams`: how many may be read by GET at once. */
export interface Shared {
  readonly events: EventStore["Service"]
  readonly streams: number
}

interface Listener {
  readonly stream: MessageStream.MessageStream | undefined
  readonly reader: EventStream.EventStream
  readonly drop: () => void
}

export class Streams {
  private readonly host: Host
  private readonly shared: Shared
  private readonly prefix: string
  private standalone: MessageStream.MessageStream | undefined
  private posts: Map<string, MessageStream.MessageStream> | undefined
  private listeners: Set<Listener> | undefined
  private next = 1
  private ended = false

  /** `prefix`: of the ids of these streams, which no other streams of the session may have. */
  constructor(host: Host, shared: Shared, prefix: string) {
    this.host = host
    this.shared = shared
    this.prefix = prefix
  }

  /** The one for what is said outside of requests. */
  get outside(): MessageStream.MessageStream {
    return this.standalone ??= this.make(0)
  }

  /** Whether somebody reads by GET. */
  get isListenedTo(): boolean {
    return this.listeners !== undefined
  }

  /** One for a POST, until `forget`. */
  open(): MessageStream.MessageStream {
    const stream = this.make(this.next++)
    this.posts ??= new Map()
    this.posts.set(stream.id, stream)
    return stream
  }

  forget(stream: MessageStream.MessageStream): void {
    this.posts?.delete(stream.id)
    if (this.posts?.size === 0) this.posts = undefined
  }

  /** A stream for what is said outside of requests, or the rest of one whose connection was lost. */
  listen(lastEventId: string | undefined): Responds {
    if (lastEventId === undefined) return this.read(this.outside)
    const place = MessageStream.parse(lastEventId)
    if (place === undefined) return Effect.succeed(unknownEvent)
    const { sequence, stream } = place
    const mine = stream === this.standalone?.id ? this.standalone : this.posts?.get(stream)
    if (mine !== undefined) {
      return mine.has(sequence)
        ? this.read(mine, { after: sequence })
        : Effect.succeed(unknownEvent)
    }
    return Effect.flatMap(this.shared.events.read(this.host.id, stream, sequence), (events) => {
      const missed = MessageStream.framesOf(stream, events)
      // What was said outside of requests in another process goes on here.
      const isOutside = stream.endsWith(OUTSIDE)
      if (!isOutside && events.length === 0) return Effect.succeed(unknownEvent)
      const forgotten = events.length === 0 ? 0 : (events.at(-1)?.sequence ?? 0) - sequence - events.length
      return Effect.andThen(
        MessageStream.forgot(forgotten),
        this.read(isOutside ? this.outside : undefined, { missed })
      )
    })
  }

  /** Ends what is said outside of requests. */
  endOutside(): void {
    this.outside.finish()
  }

  /** Ends all of them, and those that are opened later. */
  end(): void {
    this.ended = true
    this.standalone?.finish()
    for (const stream of this.posts?.values() ?? []) stream.finish()
  }

  private make(n: number): MessageStream.MessageStream {
    const { host: { id: session, wire: { run } }, prefix, shared: { events: store } } = this
    const stream = new MessageStream.MessageStream(`${prefix}.${n}`, { session, store, run })
    if (this.ended) stream.finish()
    return stream
  }

  // `missed`: what to show first, of another stream. Without a stream that is all.
  private read(
    stream: MessageStream.MessageStream | undefined,
    { after, missed = "" }: { readonly after?: number; readonly missed?: string } = {}
  ): Responds {
    return Effect.uninterruptible(Effect.withFiber((route) => {
      if (!this.hasRoom()) return Effect.succeed(this.tooMany)
      const leave = (): void => {
        this.listeners?.delete(listener)
        if (this.listeners?.size === 0) this.listeners = undefined
        reader.gone()
        stream?.detach(reader)
      }
      const drop = (): void => {
        leave()
        route.interruptUnsafe()
      }
      const reader = EventStream.make({ ...this.host.wire, drop })
      const listener: Listener = { stream, reader, drop }
      this.listeners ??= new Set()
      this.listeners.add(listener)
      this.begin(reader, stream, { after, missed })
      return Effect.as(Effect.addFinalizer(() => Effect.sync(leave)), reader.response)
    }))
  }

  private begin(
    reader: EventStream.EventStream,
    stream: MessageStream.MessageStream | undefined,
    { after, missed }: { readonly after: number | undefined; readonly missed: string }
  ): void {
    const primes = stream !== undefined && after === undefined && this.host.primes()
    // A comment flushes the head.
    if (!primes || missed !== "") reader.push(EventStream.comment + missed)
    if (stream === undefined) return reader.end()
    if (primes) reader.push(EventStream.frame({ id: stream.position(), data: "" }))
    stream.attach(reader, after)
  }

  // Clients that have lost connections come back before the server notices: those that hear nothing make room.
  private hasRoom(): boolean {
    const { listeners } = this
    if (listeners === undefined || listeners.size < this.shared.streams) return true
    for (const listener of listeners) {
      if (listener.stream?.isHeardBy(listener.reader) !== false) continue
      listener.drop()
      return true
    }
    return false
  }

  private get tooMany(): HttpServerResponse {
    return Reply.refused(429, `A session may have ${this.shared.streams} streams open`)
  }
}

/** How the ids of streams end that are for what is said outside of requests. */
const OUTSIDE = ".0"

const unknownEvent = Reply.refused(400, "Last-Event-ID must be the id of an event of this session")
