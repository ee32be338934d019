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
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { EventStore } from "../EventStore.ts"
import { CurrentStream } from "./currentStream.ts"
import type { Responds } from "./era.ts"
import type { Wire } from "./exchange.ts"
import type * as MessageStream from "./messageStream.ts"
import { type Host, Post } from "./post.ts"
import * as Reply from "./reply.ts"
import { Streams } from "./streams.ts"
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

/** `prefix`: of the ids of its streams. */
export interface Options {
  readonly id: string
  readonly subject: string | null
  readonly shared: Shared
  readonly prefix: string
  readonly server: McpServer["Service"]
  readonly context: Context.Context<never>
}

export type Route = Fiber.Fiber<unknown, unknown>

export type Incomings = ReadonlyArray<JsonRpc.Message | JsonRpc.Invalid>

export class Session implements Host {
  readonly id: string
  readonly subject: string | null
  readonly wire: Wire
  private readonly shared: Shared
  private readonly scope: Scope.Closeable
  private readonly streams: Streams
  private connection: ServerConnection | undefined
  private incoming: Incoming.Incoming | undefined
  private requests: Outgoing.Outgoing | undefined
  private posts: Set<Post> | undefined
  private notified: Set<Fiber.Fiber<void>> | undefined
  private closing: Fiber.Fiber<void> | undefined

  private constructor({ id, prefix, shared, subject }: Options, scope: Scope.Closeable) {
    this.id = id
    this.subject = subject
    this.wire = shared.wire
    this.shared = shared
    this.scope = scope
    this.streams = new Streams(this, shared, prefix)
  }

  /** A session with a connection to the server, for which nothing was said yet. */
  static connect(options: Options): Effect.Effect<Session> {
    return Effect.suspend(() => {
      const scope = Scope.makeUnsafe()
      const session = new Session(options, scope)
      const inside = Context.add(options.context, Scope.Scope, scope)
      // Not in the context of the request that opens it.
      const connected = Effect.updateContext(
        options.server.connect(session.aside),
        (_: Context.Context<never>) => inside
      )
      return Effect.map(connected, (connection) => {
        session.connection = connection
        return session
      })
    })
  }

  get server(): ServerConnection {
    if (this.connection === undefined) throw new Error("A session is connected before it is used")
    return this.connection
  }

  /** Whether nothing is going on in it, other than to wait for a client that is not there. */
  get idle(): boolean {
    if (this.streams.isListenedTo) return false
    for (const post of this.posts ?? []) if (!post.waitsInVain) return false
    return true
  }

  /** Messages that have come in one POST: takes them when it is called, by the fiber of its route. */
  post(messages: Incomings, batch: boolean, route: Route): Responds {
    if (this.closing !== undefined) return Effect.succeed(unknown)
    const requests = messages.filter((message) => isAnswered(message, batch)).length
    if (requests === 0) return Effect.as(this.takeAll(messages, route.context), Reply.accepted)
    const post = new Post(this, route, { requests, batch })
    const context = Context.add(route.context, CurrentStream, post)
    this.posts ??= new Set()
    this.posts.add(post)
    const handler: Peer = {
      request: (request, back) => Effect.updateContext(this.server.request(request, back), () => context),
      notify: this.server.notify
    }
    for (const message of messages) {
      if (message._tag === "Request") this.inFlight.receive(message, handler, post.back, post.reply)
      else if (message._tag === "Invalid" && isAnswered(message, batch)) {
        post.reply(JsonRpc.failure(message.id, { code: message.code, message: message.reason }))
      } else this.wire.run(this.take(message, route.context))
    }
    return post.response
  }

  /** A stream for what is said outside of requests, or the rest of one whose connection was lost. */
  listen(lastEventId: string | undefined): Responds {
    return Effect.suspend(() => this.closing === undefined ? this.streams.listen(lastEventId) : Effect.succeed(unknown))
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

  /** Ends the session, with all that is going on in it, and waits for that. It ends although nobody waits. */
  close(reason: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.closing ??= this.wire.run(this.end(reason))
      return Effect.asVoid(Fiber.await(this.closing))
    })
  }

  private end(reason: string): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      // Before what they ask fails: they are not to make something of it.
      if (this.incoming !== undefined) yield* this.incoming.close(reason)
      this.requests?.close(new TransportError({ reason: "closed", processed: "unknown", message: reason }))
      if (this.notified !== undefined && this.notified.size > 0) {
        yield* Effect.timeoutOption(Fiber.interruptAll([...this.notified]), this.shared.limits.closing)
      }
      // Those whose handlers ignore their interruption.
      for (const post of [...this.posts ?? []]) post.end()
      this.streams.end()
      yield* Scope.close(this.scope, Exit.void)
    })
  }

  /** Ends the streams for what is said outside of requests. */
  endOutside(): void {
    this.streams.endOutside()
  }

  stream(): MessageStream.MessageStream {
    return this.streams.open()
  }

  ended(post: Post, stream: MessageStream.MessageStream | undefined): void {
    this.posts?.delete(post)
    if (stream !== undefined) this.streams.forget(stream)
    if (this.closing !== undefined || this.posts?.size !== 0) return
    // A session at rest holds nothing for its requests: there may be thousands of them.
    this.posts = undefined
    this.incoming = undefined
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

  /** The way back that belongs to no request. */
  private readonly aside: Peer = {
    notify: (notification) =>
      Text.withNotification(notification, (text, stale) => this.streams.outside.send(text, stale)),
    request: (request, back) =>
      Effect.suspend(() => {
        const { outside } = this.streams
        if (!outside.isRead()) return Effect.fail(unheard)
        return this.outgoing().over({
          offer: (text, taken) => Effect.map(Effect.suspend(() => outside.send(text)), () => taken?.()),
          push: (text) => outside.push(text)
        })(request, back)
      })
  }

  private takeAll(messages: Incomings, context: Context.Context<never>): Effect.Effect<void> {
    const [first] = messages
    return messages.length === 1 && first !== undefined
      ? this.take(first, context)
      : Effect.forEach(messages, (message) => this.take(message, context), { discard: true })
  }

  /** A message that has no reply. */
  private take(message: JsonRpc.Message | JsonRpc.Invalid, context: Context.Context<never>): Effect.Effect<void> {
    switch (message._tag) {
      case "Notification":
        return this.heard(message, context)
      case "Success":
      case "Failure":
        return this.requests?.respond(message) === true
          ? Effect.void
          : Effect.logWarning(`Dropped a response to ${message.id ?? "a message without id"}: nobody waits for it`)
      case "Invalid":
        return this.malformed(message)
      default:
        return Effect.void
    }
  }

  private heard(notification: JsonRpc.Notification, context: Context.Context<never>): Effect.Effect<void> {
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
    return this.handled(Effect.updateContext(Effect.ignore(this.server.notify(notification)), () => context))
  }

  // Goes on when the client does not wait for it, as a request does.
  private handled(notification: Effect.Effect<void>): Effect.Effect<void> {
    const { limits: { inFlight }, wire } = this.shared
    if (this.notified !== undefined && this.notified.size >= inFlight) {
      return Effect.logWarning(`Dropped a notification: ${inFlight} are being handled, which is the limit`)
    }
    const fiber = wire.run(notification)
    if (fiber.pollUnsafe() !== undefined) return Effect.void
    const notified = this.notified ??= new Set()
    notified.add(fiber)
    fiber.addObserver(() => void notified.delete(fiber))
    return Effect.asVoid(Fiber.await(fiber))
  }
}

const isAnswered = (message: JsonRpc.Message | JsonRpc.Invalid, batch: boolean): boolean =>
  message._tag === "Request" || (batch && message._tag === "Invalid" && message.kind !== "response")

/** To whoever names a session that is none, or not theirs. */
export const unknown = Reply.refused(404, "There is no such session: it has ended, or was never opened")

const unheard = new TransportError({
  reason: "closed",
  processed: "no",
  message: "The client has no stream open on which it could be asked"
})
