/**
 * A connection over one channel that carries texts both ways: a pipe, a socket, a pair of queues in memory.
 *
 * Joins `Outgoing` and `Incoming`. Knows nothing of bytes or framing: it is given texts, and hands texts to an outbox.
 *
 * @since 0.1.0
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Incoming from "./Incoming.ts"
import * as Mailbox from "./internal/mailbox.ts"
import * as Run from "./internal/run.ts"
import * as JsonRpc from "./JsonRpc.ts"
import * as Limits from "./Limits.ts"
import type * as Outbox from "./Outbox.ts"
import * as Outgoing from "./Outgoing.ts"
import { type Connection, type Local, type Peer, TransportError } from "./Peer.ts"
import * as Problem from "./Problem.ts"

/**
 * The other side of a channel as a `Peer`, with the channel's end of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Duplex extends Connection {
  /** A text has arrived. */
  readonly receive: (text: string) => void
  /** A message has arrived that was too large to read; what is known of it is a guess. */
  readonly tooLarge: (message: JsonRpc.Peeked, limit: number) => void
  /** Runs what this side has to do before it closes the connection by itself. The end of the scope does. */
  readonly ending: Effect.Effect<void>
  /** The channel has ended: requests in flight fail at once, handlers are interrupted and waited for. */
  readonly close: (error: TransportError) => Effect.Effect<void>
}

/**
 * Joins both halves over an outbox.
 *
 * `local` handles what arrives. `batches` says, for each text, whether the revision in use has batches.
 * `answerInvalid` is for servers: a client that reads noise logs it, since it may not send a server replies.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly outbox: Outbox.Outbox
  readonly local: (remote: Peer) => Effect.Effect<Local, never, Scope.Scope>
  readonly batches?: () => boolean
  readonly answerInvalid: boolean
}): Effect.Effect<Duplex, never, Scope.Scope> =>
  Effect.gen(function*() {
    const limits = yield* Limits.Limits
    const run = yield* Run.make
    const ended = yield* Deferred.make<TransportError>()
    const { outbox } = options
    const outgoing = Outgoing.make(run, outbox, limits)
    const incoming = Incoming.make(run, limits)
    const remote: Peer = {
      request: outgoing.request,
      notify: (notification) =>
        Effect.suspend(() => {
          const text = encode(notification)
          if (typeof text !== "string") return Effect.fail(text)
          return outbox.tryOffer(text) ? Effect.void : offerLater(outbox, text, notification.stale)
        })
    }
    const local = yield* options.local(remote)
    const reader = new Reader({ ...options, run, limits, outgoing, incoming, remote, local })
    const close = (error: TransportError): Effect.Effect<void> =>
      Effect.suspend(() => {
        Deferred.doneUnsafe(ended, Effect.succeed(error))
        outgoing.close(error)
        reader.end()
        return Effect.ensuring(incoming.close(error.message), Effect.sync(() => outbox.end(error)))
      })
    const closed = new TransportError({ reason: "closed", processed: "unknown", message: "The connection was closed" })
    const { ending = Effect.void } = local
    yield* Effect.addFinalizer(() => Effect.andThen(ending, close(closed)))
    return {
      ...remote,
      ending,
      close,
      closed: Deferred.await(ended),
      receive: (text) => reader.receive(text),
      tooLarge: (message, limit) => reader.tooLarge(message, limit)
    }
  })

const encode = (notification: JsonRpc.Notification): string | TransportError => {
  try {
    return JsonRpc.encode(notification)
  } catch (cause) {
    const message = `The parameters of ${notification.method} cannot be written as JSON`
    return new TransportError({ reason: "refused", processed: "no", message, cause })
  }
}

const offerLater = (
  outbox: Outbox.Outbox,
  text: string,
  stale: (() => boolean) | undefined
): Effect.Effect<void, TransportError> =>
  Effect.flatMap(
    outbox.room(),
    () => stale?.() === true || outbox.tryOffer(text) ? Effect.void : offerLater(outbox, text, stale)
  )

const excerpt = (text: string): string => JSON.stringify(Problem.cut(text, 100))

type Reply = (response: JsonRpc.Response | undefined) => void

interface Parts {
  readonly run: Run.Run
  readonly limits: Limits.Limits
  readonly outbox: Outbox.Outbox
  readonly outgoing: Outgoing.Outgoing
  readonly incoming: Incoming.Incoming
  readonly remote: Peer
  readonly local: Peer
  readonly batches?: () => boolean
  readonly answerInvalid: boolean
}

/** What has arrived, and where it goes. */
class Reader {
  private readonly parts: Parts
  private readonly mailbox: Mailbox.Mailbox

  constructor(parts: Parts) {
    this.parts = parts
    this.mailbox = Mailbox.make(parts.run, parts.local.notify, parts.limits.mailbox)
  }

  receive(text: string): void {
    const { batches, limits } = this.parts
    const message = JsonRpc.decode(text, { batches: /^\s*\[/.test(text) && batches?.() === true })
    if (message._tag === "Invalid") return this.reply(this.invalid(message, text))
    if (message._tag !== "Batch") return this.dispatch(message, this.reply)
    if (message.messages.length <= limits.batch) return this.batch(message.messages)
    this.reply(this.invalid({
      _tag: "Invalid",
      code: JsonRpc.INVALID_REQUEST,
      reason: `Invalid request: a batch may hold ${limits.batch} messages`,
      id: undefined,
      kind: "unknown"
    }))
  }

  end(): void {
    this.mailbox.end()
  }

  tooLarge({ id, kind }: JsonRpc.Peeked, limit: number): void {
    const reason = `The message is larger than ${limit} bytes`
    const error = new TransportError({ reason: "too large", processed: "unknown", message: reason })
    // Each direction has ids of its own: a request must not settle one of ours that has the same.
    if (kind !== "request" && id !== undefined && this.parts.outgoing.fail(id, error)) return
    this.log(reason)
    const answerable = this.parts.answerInvalid || (kind === "request" && id !== undefined)
    if (kind === "response" || !answerable) return
    this.reply(JsonRpc.failure(id, { code: JsonRpc.INVALID_REQUEST, message: reason }))
  }

  private readonly reply: Reply = (response) => {
    if (response !== undefined) this.parts.outbox.push(this.encode(response))
  }

  private log(what: string): void {
    this.parts.run(Effect.logWarning(what))
  }

  private encode(response: JsonRpc.Response): string {
    try {
      return JsonRpc.encode(response)
    } catch (cause) {
      this.parts.run(Effect.logError("A result could not be written as JSON", cause))
      return JsonRpc.encode(JsonRpc.failure(response.id, { code: JsonRpc.INTERNAL_ERROR, message: "Internal error" }))
    }
  }

  private dispatch(message: JsonRpc.Message | JsonRpc.Invalid, reply: Reply): void {
    const { incoming, local, remote } = this.parts
    switch (message._tag) {
      case "Request":
        return incoming.receive(message, local, remote, reply)
      case "Notification":
        return this.notified(message)
      case "Invalid":
        return reply(this.invalid(message))
      default:
        return this.responded(message)
    }
  }

  // The replies of a batch are one array, sent when the last of them is there. No reply at all sends nothing.
  private batch(messages: JsonRpc.Batch["messages"]): void {
    const replies: Array<string> = []
    let open = messages.filter((message) => message._tag === "Request" || message._tag === "Invalid").length
    for (const message of messages) {
      this.dispatch(message, (response) => {
        if (response !== undefined) replies.push(this.encode(response))
        if (--open === 0 && replies.length > 0) this.parts.outbox.push(`[${replies.join(",")}]`)
      })
    }
  }

  private notified(notification: JsonRpc.Notification): void {
    if (notification.method === "notifications/cancelled") return this.cancelled(notification)
    if (!this.parts.outgoing.notify(notification)) this.mailbox.push(notification)
  }

  private cancelled({ params }: JsonRpc.Notification): void {
    const { incoming, outgoing, run } = this.parts
    const id = params?.requestId
    if (!JsonRpc.isId(id)) return this.log("Dropped notifications/cancelled: its \"requestId\" is missing")
    const reason = typeof params?.reason === "string" ? params.reason : "The caller cancelled the request"
    if (incoming.cancel(id, reason)) return void run(Effect.logDebug(`Request ${id} was cancelled: ${reason}`))
    // From 2026-07-28 a server ends a subscription this way; nothing else may be cancelled by its receiver.
    const error = new TransportError({
      reason: "closed",
      processed: "unknown",
      message: `The other side ended the request: ${reason}`
    })
    if (outgoing.fail(id, error, "subscriptions/listen")) return
    run(Effect.logDebug(`Ignored a cancellation: request ${id} is not in flight`))
  }

  private invalid(message: JsonRpc.Invalid, text?: string): JsonRpc.Response | undefined {
    const what = text === undefined ? message.reason : `${message.reason}: ${excerpt(text)}`
    if (message.kind === "response") {
      const error = new TransportError({ reason: "malformed", processed: "unknown", message: message.reason })
      const known = message.id !== undefined && this.parts.outgoing.fail(message.id, error)
      if (!known) this.log(`Dropped a response. ${what}`)
      return undefined
    }
    this.log(`Not a message. ${what}`)
    if (!this.parts.answerInvalid) return undefined
    return JsonRpc.failure(message.id, { code: message.code, message: message.reason })
  }

  private responded(response: JsonRpc.Response): void {
    const { outgoing, run } = this.parts
    if (outgoing.respond(response)) return
    if (outgoing.sent(response.id)) return void run(Effect.logDebug(`Ignored a late response to ${response.id}`))
    const what = response._tag === "Failure" ? `${response.error.code} ${response.error.message}` : "a result"
    this.log(`Dropped a response to ${response.id ?? "a message without id"}, which was never sent: ${what}`)
  }
}
