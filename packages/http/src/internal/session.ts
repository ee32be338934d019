/**
 * One session of the stateful revisions: its requests by id, the streams that it speaks on, and the connection to the
 * server behind it. It outlives every HTTP connection.
 */
import * as Incoming from "@mcp-effect/protocol/Incoming"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { Limits } from "@mcp-effect/protocol/Limits"
import * as Outgoing from "@mcp-effect/protocol/Outgoing"
import { type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type { ServerConnection } from "@mcp-effect/server/Dispatch"
import type { McpServer } from "@mcp-effect/server/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { EventStore } from "../EventStore.ts"
import * as EventStream from "../EventStream.ts"
import { CurrentStream } from "./currentStream.ts"
import type { Responds } from "./era.ts"
import type { Wire } from "./exchange.ts"
import * as MessageStream from "./messageStream.ts"
import { type Host, Post } from "./post.ts"
import * as Reply from "./reply.ts"
import * as Text from "./text.ts"

/**
 * What all sessions of an endpoint have in common. `instance` tells their streams from those of other processes; `streams`
 * bounds the GET streams of one session.
 */
export interface Shared {
  readonly wire: Wire
  readonly limits: Limits
  readonly events: EventStore["Service"]
  readonly instance: string
  readonly streams: number
}

export type Incomings = ReadonlyArray<JsonRpc.Message | JsonRpc.Invalid>

export class Session implements Host {
  readonly id: string
  readonly subject: string | null
  readonly wire: Wire
  private readonly shared: Shared
  private readonly scope: Scope.Closeable
  private connection: ServerConnection | undefined
  private incoming: Incoming.Incoming | undefined
  private requests: Outgoing.Outgoing | undefined
  private standalone: MessageStream.MessageStream | undefined
  private streams: Map<string, MessageStream.MessageStream> | undefined
  private nextStream = 1
  private listening = 0
  private posts = 0

  private constructor(id: string, subject: string | null, shared: Shared, scope: Scope.Closeable) {
    this.id = id
    this.subject = subject
    this.wire = shared.wire
    this.shared = shared
    this.scope = scope
  }

  /** A session with a connection to the server, for which nothing was said yet. */
  static connect(options: {
    readonly id: string
    readonly subject: string | null
    readonly shared: Shared
    readonly server: McpServer["Service"]
    readonly context: Context.Context<never>
  }): Effect.Effect<Session> {
    const { context, id, server, shared, subject } = options
    return Effect.gen(function*() {
      const scope = yield* Scope.make()
      const session = new Session(id, subject, shared, scope)
      const inside = Context.add(context, Scope.Scope, scope)
      // Not in the context of the request that opens it.
      session.connection = yield* Effect.updateContext(
        server.connect(session.aside),
        (_: Context.Context<never>) => inside
      )
      return session
    })
  }

  get server(): ServerConnection {
    if (this.connection === undefined) throw new Error("A session is connected before it is used")
    return this.connection
  }

  /** Whether nothing is going on in it. */
  get idle(): boolean {
    return this.posts === 0 && this.listening === 0
  }

  /** Messages that have come in one POST. */
  post(messages: Incomings, batch: boolean): Responds {
    return Effect.withFiber((route) => {
      const requests = messages.filter(({ _tag }) => _tag === "Request" || (batch && _tag === "Invalid")).length
      if (requests === 0) {
        return Effect.as(Effect.forEach(messages, (message) => this.take(message), { discard: true }), Reply.accepted)
      }
      const post = new Post(this, route, { requests, batch })
      const context = Context.add(route.context, CurrentStream, post)
      this.posts++
      const handler: Peer = {
        request: (request, back) => Effect.updateContext(this.server.request(request, back), () => context),
        notify: this.server.notify
      }
      const received = Effect.forEach(messages, (message) => {
        if (message._tag === "Request") {
          return Effect.sync(() => this.inFlight.receive(message, handler, post.back, post.reply))
        }
        if (message._tag !== "Invalid") return this.take(message)
        return Effect.sync(() =>
          post.reply(JsonRpc.failure(message.id, { code: message.code, message: message.reason }))
        )
      }, { discard: true })
      return Effect.andThen(received, Effect.suspend(() => post.response))
    })
  }

  /** A stream for what is said outside of requests, or the rest of one whose connection was lost. */
  listen(lastEventId: string | undefined): Responds {
    const place = lastEventId === undefined ? undefined : MessageStream.parse(lastEventId)
    if (lastEventId !== undefined && place === undefined) return Effect.succeed(unknownEvent)
    const mine = place === undefined || place.stream === this.standalone?.id
      ? this.outside
      : this.streams?.get(place.stream)
    if (mine !== undefined) return this.read(mine, place?.sequence)
    // Sound: `mine` is there if there is no place.
    const { sequence, stream } = place as { readonly stream: string; readonly sequence: number }
    return Effect.flatMap(this.shared.events.read(this.id, stream, sequence), (events) => {
      const texts = events.map((event) => MessageStream.frameOf(stream, event.sequence, event.data)).join("")
      // What was said outside of requests in another process goes on here.
      if (stream.endsWith(OUTSIDE)) return this.read(this.outside, undefined, texts)
      return Effect.succeed(texts === "" ? unknownEvent : Reply.events(texts))
    })
  }

  /** A message that could not be read: if it answers a request of ours, nothing else will. */
  malformed(message: JsonRpc.Invalid): Effect.Effect<void> {
    return Effect.suspend(() => {
      const error = new TransportError({ reason: "malformed", processed: "unknown", message: message.reason })
      const known = message.kind === "response" && message.id !== undefined &&
        this.requests?.fail(message.id, error) === true
      return known ? Effect.void : Effect.logWarning(`Not a message. ${message.reason}`)
    })
  }

  /** How many messages may be in one batch. */
  get maxBatch(): number {
    return this.shared.limits.batch
  }

  /** Ends the session, with all that is going on in it. */
  close(reason: string): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      this.requests?.close(new TransportError({ reason: "closed", processed: "unknown", message: reason }))
      if (this.incoming !== undefined) yield* this.incoming.close(reason)
      yield* Scope.close(this.scope, Exit.void)
      this.endStreams()
      yield* this.shared.events.remove(this.id)
    })
  }

  /** Ends the streams for what is said outside of requests. */
  endOutside(): void {
    this.standalone?.finish()
  }

  private endStreams(): void {
    this.endOutside()
    for (const stream of this.streams?.values() ?? []) stream.finish()
  }

  stream(): MessageStream.MessageStream {
    const stream = this.newStream(this.nextStream++)
    this.streams ??= new Map()
    this.streams.set(stream.id, stream)
    return stream
  }

  ended(stream: MessageStream.MessageStream | undefined): void {
    this.posts--
    if (stream !== undefined) this.streams?.delete(stream.id)
  }

  /** An event without data was not to be expected before, and some clients of then cannot read it. */
  primes(): boolean {
    return (this.server.revision()?.name ?? "") >= "2025-11-25"
  }

  outgoing(): Outgoing.Outgoing {
    const { limits, wire } = this.shared
    const nowhere: Outgoing.Sender = { offer: () => Effect.fail(unheard), push: () => {} }
    return this.requests ??= Outgoing.make(wire.run, nowhere, limits)
  }

  private get inFlight(): Incoming.Incoming {
    return this.incoming ??= Incoming.make(this.wire.run, this.shared.limits)
  }

  private get outside(): MessageStream.MessageStream {
    return this.standalone ??= this.newStream(0)
  }

  private newStream(n: number): MessageStream.MessageStream {
    return new MessageStream.MessageStream(`${this.shared.instance}.${n}`, this.id, this.shared.events)
  }

  /** The way back that belongs to no request. */
  private readonly aside: Peer = {
    notify: (notification) =>
      Effect.flatMap(Text.ofNotification(notification), (text) => {
        const { stale } = notification
        return this.outside.send(text, stale === undefined ? {} : { stale })
      }),
    request: (request, back) =>
      Effect.suspend(() =>
        this.listening === 0 ? Effect.fail(unheard) : this.outgoing().over(this.outsideSender)(request, back)
      )
  }

  private readonly outsideSender: Outgoing.Sender = {
    offer: (text, taken) => Effect.map(this.outside.send(text), () => taken?.()),
    push: (text) => void this.wire.run(this.outside.send(text))
  }

  /** A message that has no reply. */
  private take(message: JsonRpc.Message | JsonRpc.Invalid): Effect.Effect<void> {
    switch (message._tag) {
      case "Notification":
        return this.notified(message)
      case "Success":
      case "Failure":
        return this.requests?.respond(message) === true
          ? Effect.void
          : Effect.logWarning(`Dropped a response to ${message.id ?? "a message without id"}: nobody waits for it`)
      default:
        return Effect.void
    }
  }

  private notified(notification: JsonRpc.Notification): Effect.Effect<void> {
    if (notification.method === "notifications/cancelled") {
      const id = notification.params?.requestId
      const reason = notification.params?.reason
      const cancelled = JsonRpc.isId(id) && this.incoming?.cancel(
        id,
        typeof reason === "string" ? reason : "The caller cancelled the request"
      )
      return cancelled === true ? Effect.void : Effect.logDebug("Ignored a cancellation: no such request is in flight")
    }
    if (this.requests?.notify(notification) === true) return Effect.void
    return Effect.ignore(this.server.notify(notification))
  }

  private read(
    stream: MessageStream.MessageStream,
    after: number | undefined,
    first = ""
  ): Responds {
    if (this.listening >= this.shared.streams) {
      return Effect.succeed(Reply.refused(429, `A session may have ${this.shared.streams} streams open`))
    }
    return Effect.withFiber((route) => {
      const reader = EventStream.make({ ...this.wire, drop: () => route.interruptUnsafe() })
      this.listening++
      reader.push(
        this.primes() && after === undefined
          ? EventStream.frame({ id: stream.position(), data: "" })
          : EventStream.comment
      )
      if (first !== "") reader.push(first)
      const left = Effect.sync(() => {
        this.listening--
        reader.gone()
        stream.detach(reader)
      })
      return Effect.as(Effect.andThen(Effect.addFinalizer(() => left), stream.attach(reader, after)), reader.response)
    })
  }
}

/** How the ids of streams end that are for what is said outside of requests. */
const OUTSIDE = ".0"

const unknownEvent = Reply.refused(400, "Last-Event-ID must be the id of an event of this session")

const unheard = new TransportError({
  reason: "closed",
  processed: "no",
  message: "The client has no stream open on which it could be asked"
})
