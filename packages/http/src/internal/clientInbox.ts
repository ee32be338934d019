/** What a server says, on whichever stream, and where it goes. */
import type * as Incoming from "@mcp-effect/protocol/Incoming"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { Limits } from "@mcp-effect/protocol/Limits"
import * as Mailbox from "@mcp-effect/protocol/Mailbox"
import type * as Outgoing from "@mcp-effect/protocol/Outgoing"
import { type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** The request whose stream a message has come on. `asks`: whether the server may ask something there. */
export interface Origin {
  readonly id: JsonRpc.Id
  readonly back: Peer
  readonly asks: boolean
  /** Takes the response. `false`: it had one. */
  readonly answer: (response: JsonRpc.Response) => boolean
}

export interface Parts {
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly limits: Limits
  readonly outgoing: Outgoing.Outgoing
  readonly incoming: Incoming.Incoming
  readonly local: Peer
  /** The server, for handlers of what it asks. */
  readonly remote: Peer
  /** Sends a response. */
  readonly reply: (response: JsonRpc.Response) => void
  /** Whether the revision in use has batches. */
  readonly batches: () => boolean
}

export class Inbox {
  private readonly parts: Parts
  private readonly mailbox: Mailbox.Mailbox

  constructor(parts: Parts) {
    this.parts = parts
    this.mailbox = Mailbox.make(parts.run, parts.local.notify, parts.limits.mailbox)
  }

  /** Takes what has come. Returns what is wrong with it as a whole, if anything is. */
  receive(text: string, from?: Origin): string | undefined {
    const message = JsonRpc.decode(text, { batches: this.parts.batches() })
    if (message._tag === "Invalid") {
      this.invalid(message, from, text)
      return message.reason
    }
    if (message._tag !== "Batch") {
      this.dispatch(message, from)
      return undefined
    }
    const { batch } = this.parts.limits
    if (message.messages.length > batch) return `a batch may hold ${batch} messages`
    for (const one of message.messages) this.dispatch(one, from)
    return undefined
  }

  end(): void {
    this.mailbox.end()
  }

  private log(what: string): void {
    this.parts.run(Effect.logWarning(what))
  }

  private dispatch(message: JsonRpc.Message | JsonRpc.Invalid, from: Origin | undefined): void {
    switch (message._tag) {
      case "Request":
        return this.asked(message, from)
      case "Notification":
        return this.notified(message, from)
      case "Invalid":
        return this.invalid(message, from)
      default:
        return this.responded(message, from)
    }
  }

  private asked(request: JsonRpc.Request, from: Origin | undefined): void {
    const { incoming, local, remote, reply } = this.parts
    // In the stateless era there is no way to answer.
    if (from?.asks === false) {
      return this.log(`Ignored ${request.method}: in this revision a server cannot send requests`)
    }
    incoming.receive(request, from?.back ?? local, remote, (response) => {
      if (response !== undefined) reply(response)
    })
  }

  private notified(notification: JsonRpc.Notification, from: Origin | undefined): void {
    if (notification.method === "notifications/cancelled") return this.cancelled(notification)
    if (!this.parts.outgoing.notify(notification, from?.id)) this.mailbox.push(notification)
  }

  private cancelled({ params }: JsonRpc.Notification): void {
    const { incoming, outgoing, run } = this.parts
    const id = params?.requestId
    if (!JsonRpc.isId(id)) return this.log("Dropped notifications/cancelled: its \"requestId\" is missing")
    const reason = typeof params?.reason === "string" ? params.reason : "The server cancelled the request"
    if (incoming.cancel(id, reason)) return void run(Effect.logDebug(`Request ${id} was cancelled: ${reason}`))
    // From 2026-07-28 a server ends a subscription this way; nothing else may be cancelled by its receiver.
    const error = new TransportError({
      reason: "closed",
      processed: "unknown",
      message: `The server ended the request: ${reason}`
    })
    if (outgoing.fail(id, error, "subscriptions/listen")) return
    run(Effect.logDebug(`Ignored a cancellation: request ${id} is not in flight`))
  }

  private responded(response: JsonRpc.Response, from: Origin | undefined): void {
    const { outgoing, run } = this.parts
    const isOurs = from !== undefined && (response.id === undefined || response.id === from.id)
    if (isOurs ? from.answer(response) : outgoing.respond(response)) return
    if (isOurs || outgoing.sent(response.id)) return void run(Effect.logDebug("Ignored a response that came too late"))
    const what = response._tag === "Failure" ? `${response.error.code} ${response.error.message}` : "a result"
    this.log(`Dropped a response to ${response.id ?? "a message without id"}, which was never sent: ${what}`)
  }

  private invalid(message: JsonRpc.Invalid, from: Origin | undefined, text?: string): void {
    const { outgoing } = this.parts
    const id = message.id ?? from?.id
    const error = new TransportError({ reason: "malformed", processed: "unknown", message: message.reason })
    if (message.kind === "response" && id !== undefined && outgoing.fail(id, error)) return
    const excerpt = text === undefined ? "" : `: ${JSON.stringify(Problem.cut(text, 100))}`
    this.log(`Not a message. ${message.reason}${excerpt}`)
  }
}
