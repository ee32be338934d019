/**
 * Half of a connection's bookkeeping: the requests that this side has sent. Ids, progress tokens and subscription ids
 * are this connection's own on the wire, and the caller's again on the way back, so that two callers cannot cross.
 *
 * Knows nothing of channels: it is given how to send.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Mailbox from "./internal/mailbox.ts"
import type { Run } from "./internal/run.ts"
import * as JsonRpc from "./JsonRpc.ts"
import * as Meta from "./Meta.ts"
import { cancelReasonOf, type Peer, TransportError } from "./Peer.ts"

/**
 * The requests in flight from this side.
 *
 * @since 0.1.0
 * @category models
 */
export interface Outgoing {
  /** Sends a request and waits for its response; interruption sends `notifications/cancelled` and returns at once. */
  readonly request: Peer["request"]
  /** The same by another way out, for a connection of several streams. */
  readonly over: (sender: Sender) => Peer["request"]
  /** Settles the request that a response answers. `false`: nobody waits for it. */
  readonly respond: (response: JsonRpc.Response) => boolean
  /** Whether a request with this id was ever sent: a response to it that nobody waits for is merely late. */
  readonly sent: (id: JsonRpc.Id | undefined) => boolean
  /**
   * Hands a notification to the request that it is tied to. One that came on a stream of `request`, by its id on the
   * wire, is that one's, if it is tied to no other. `false`: it is tied to none.
   */
  readonly notify: (notification: JsonRpc.Notification, request?: JsonRpc.Id) => boolean
  /** Fails one request, by the id that it has on the wire. `false`: nobody waits for it, or it is of another method. */
  readonly fail: (id: JsonRpc.Id, error: TransportError, method?: string) => boolean
  /** Fails all requests, and every later one. */
  readonly close: (error: TransportError) => void
}

/**
 * How to send: `offer` may wait for room, and calls `taken` in the moment it has found some; `push` does not wait. `id` is
 * that of the request on the wire.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sender {
  readonly offer: (text: string, taken: () => void, id: number) => Effect.Effect<void, TransportError>
  readonly push: (text: string) => void
}

type Settled = Exit.Exit<JsonRpc.Response, TransportError>

/**
 * Makes the bookkeeping. While `inFlight` requests wait for their responses, the next one waits to be sent; `mailbox`
 * bounds the notifications that one of them may be behind.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  run: Run,
  sender: Sender,
  limits: { readonly inFlight: number; readonly mailbox: number }
): Outgoing => new Requests(run, sender, limits)

class Pending {
  readonly request: JsonRpc.Request
  readonly back: Peer
  readonly sender: Sender
  mailbox: Mailbox.Mailbox | undefined
  /** The id on the wire, once it has one. */
  id: number | undefined
  private exit: Settled | undefined
  private resume: ((exit: Settled) => void) | undefined
  /** Whether the request has left: before, there is nothing to cancel. */
  sent = false

  constructor(request: JsonRpc.Request, back: Peer, sender: Sender) {
    this.request = request
    this.back = back
    this.sender = sender
  }

  readonly response = Effect.callback<JsonRpc.Response, TransportError>((resume) => {
    if (this.exit !== undefined) resume(this.exit)
    else this.resume = resume
  })

  settle(exit: Settled): void {
    this.exit = exit
    this.resume?.(exit)
  }
}

class Requests implements Outgoing {
  private readonly pending = new Map<JsonRpc.Id, Pending>()
  private readonly run: Run
  private readonly sender: Sender
  private readonly limits: { readonly inFlight: number; readonly mailbox: number }
  private readonly waiting = new Set<() => void>()
  private nextId = 0
  private closed: TransportError | undefined

  constructor(run: Run, sender: Sender, limits: { readonly inFlight: number; readonly mailbox: number }) {
    this.run = run
    this.sender = sender
    this.limits = limits
  }

  readonly request: Peer["request"] = (request, back) => this.start(request, back, this.sender)

  readonly over = (sender: Sender): Peer["request"] => (request, back) => this.start(request, back, sender)

  private start(
    request: JsonRpc.Request,
    back: Peer,
    sender: Sender
  ): Effect.Effect<JsonRpc.Response, TransportError> {
    return Effect.suspend(() => {
      if (this.closed !== undefined) return Effect.fail(notSent(this.closed))
      if (this.pending.size >= this.limits.inFlight) {
        return Effect.flatMap(this.slot, () => this.start(request, back, sender))
      }
      const entry = new Pending(request, back, sender)
      // Starts under the finalizer, so that no interruption finds an entry without it.
      return Effect.onExit(Effect.suspend(() => this.send(entry)), (exit) => {
        if (exit._tag === "Failure") this.abandon(entry, exit.cause)
        return Effect.void
      })
    })
  }

  private send(entry: Pending): Effect.Effect<JsonRpc.Response, TransportError> {
    const id = this.nextId++
    const encoded = encodeRequest(entry.request, id)
    if (typeof encoded !== "string") return Effect.fail(encoded)
    entry.id = id
    this.pending.set(id, entry)
    const taken = (): void => {
      entry.sent = true
    }
    const sent = entry.sender.offer(encoded, taken, id)
    return Effect.flatMap(Effect.mapError(sent, notSent), () => entry.response)
  }

  // A turn among those who wait for one request less in flight.
  private readonly slot = Effect.callback<void>((resume) => {
    const free = (): void => resume(Effect.void)
    this.waiting.add(free)
    return Effect.sync(() => this.waiting.delete(free))
  })

  private remove(id: JsonRpc.Id): void {
    this.pending.delete(id)
    // More than one: whoever gets a turn may not need it, since its params are not JSON.
    for (const next of this.waiting) {
      if (this.pending.size >= this.limits.inFlight) return
      this.waiting.delete(next)
      next()
    }
  }

  respond(response: JsonRpc.Response): boolean {
    // An error without an id answers the only request in flight, if there is just one: it could not be read.
    const id = response.id ?? (this.pending.size === 1 ? this.pending.keys().next().value : undefined)
    const entry = id === undefined ? undefined : this.pending.get(id)
    if (id === undefined || entry === undefined) return false
    this.remove(id)
    const exit = Exit.succeed(answered(entry.request, response))
    // What was sent ahead of the response is delivered ahead of it.
    if (entry.mailbox === undefined) entry.settle(exit)
    else entry.mailbox.whenIdle(() => entry.settle(exit))
    return true
  }

  sent(id: JsonRpc.Id | undefined): boolean {
    return typeof id === "number" && id >= 0 && id < this.nextId
  }

  notify(notification: JsonRpc.Notification, request?: JsonRpc.Id): boolean {
    const params = notification.params
    const token = params?.progressToken
    const tied = JsonRpc.isId(token) ? token : Meta.of(params)?.[Meta.SUBSCRIPTION_ID]
    if (!JsonRpc.isId(tied)) return this.pass(notification, request)
    const entry = this.pending.get(tied)
    const restored = entry === undefined ? undefined : restore(entry, params, tied === token)
    if (entry === undefined || restored === undefined) {
      const why = entry === undefined ? "the request it belongs to is not in flight" : "its request asked for none"
      this.run(Effect.logDebug(`Dropped ${notification.method}: ${why}`))
      return true
    }
    this.deliver(entry, JsonRpc.notification(notification.method, restored))
    return true
  }

  private pass(notification: JsonRpc.Notification, request: JsonRpc.Id | undefined): boolean {
    const entry = request === undefined ? undefined : this.pending.get(request)
    if (entry === undefined) return false
    this.deliver(entry, notification)
    return true
  }

  private deliver(entry: Pending, notification: JsonRpc.Notification): void {
    entry.mailbox ??= Mailbox.make(this.run, entry.back.notify, this.limits.mailbox)
    entry.mailbox.push(notification)
  }

  fail(id: JsonRpc.Id, error: TransportError, method?: string): boolean {
    const entry = this.pending.get(id)
    if (entry === undefined || (method !== undefined && entry.request.method !== method)) return false
    this.remove(id)
    entry.settle(Exit.fail(error))
    return true
  }

  close(error: TransportError): void {
    if (this.closed !== undefined) return
    this.closed = error
    for (const id of [...this.pending.keys()]) this.fail(id, error)
    for (const free of [...this.waiting]) free()
  }

  private abandon(entry: Pending, cause: Cause.Cause<TransportError>): void {
    const { id } = entry
    entry.mailbox?.end()
    if (id === undefined || this.pending.get(id) !== entry) return
    // The specification forbids cancelling the handshake.
    if (entry.sent && Cause.hasInterrupts(cause) && entry.request.method !== "initialize") {
      const reason = cancelReasonOf(cause)
      const params = reason === undefined ? { requestId: id } : { requestId: id, reason }
      // Before the next request, which takes its place on the other side too.
      entry.sender.push(JsonRpc.encode(JsonRpc.notification("notifications/cancelled", params)))
    }
    this.remove(id)
  }
}

// The caller's own id, in place of the one on the wire; the result of a subscription says it in its `_meta` too.
const answered = ({ id, method }: JsonRpc.Request, response: JsonRpc.Response): JsonRpc.Response =>
  method === "subscriptions/listen" && response._tag === "Success" &&
    Meta.of(response.result)?.[Meta.SUBSCRIPTION_ID] !== undefined
    ? JsonRpc.success(id, Meta.assign(response.result, { [Meta.SUBSCRIPTION_ID]: id }))
    : JsonRpc.withId(response, id)

// The caller's own token or id, in place of the one on the wire.
const restore = (entry: Pending, params: JsonRpc.Params | undefined, byToken: boolean): JsonRpc.Params | undefined => {
  if (!byToken) return Meta.assign(params, { [Meta.SUBSCRIPTION_ID]: entry.request.id })
  const progressToken = Meta.progressToken(entry.request.params)
  return progressToken === undefined ? undefined : { ...params, progressToken }
}

const refused = (message: string, cause?: unknown): TransportError =>
  new TransportError({ reason: "refused", processed: "no", message, cause })

const notSent = (error: TransportError): TransportError =>
  new TransportError({ reason: error.reason, processed: "no", message: error.message, cause: error.cause })

// The wire id doubles as the progress token: unique among the requests in flight, which is all a token must be.
const encodeRequest = (request: JsonRpc.Request, id: number): string | TransportError => {
  try {
    return JsonRpc.encode(JsonRpc.request(id, request.method, Meta.assign(request.params, { progressToken: id })))
  } catch (cause) {
    return refused(`The parameters of ${request.method} cannot be written as JSON`, cause)
  }
}
