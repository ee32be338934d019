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
  /** Settles the request that a response answers. `false`: nobody waits for it. */
  readonly respond: (response: JsonRpc.Response) => boolean
  /** Hands a notification to the request that it is tied to. `false`: it is tied to none. */
  readonly notify: (notification: JsonRpc.Notification) => boolean
  /** Fails one request, by the id that it has on the wire. `false`: nobody waits for it, or it is of another method. */
  readonly fail: (id: JsonRpc.Id, error: TransportError, method?: string) => boolean
  /** Fails all requests, and every later one. */
  readonly close: (error: TransportError) => void
}

/**
 * How to send: `offer` may wait for room, `push` may not.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sender {
  readonly offer: (text: string) => Effect.Effect<void, TransportError>
  readonly push: (text: string) => void
}

interface Pending {
  readonly id: JsonRpc.Id
  readonly token: JsonRpc.Id | undefined
  readonly method: string
  readonly back: Peer
  mailbox: Mailbox.Mailbox | undefined
  exit: Exit.Exit<JsonRpc.Response, TransportError> | undefined
  resume: ((exit: Exit.Exit<JsonRpc.Response, TransportError>) => void) | undefined
}

/**
 * Makes the bookkeeping. `inFlight` bounds the requests that may wait at once, `mailbox` the notifications that one of
 * them may be behind.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  run: Run,
  sender: Sender,
  limits: { readonly inFlight: number; readonly mailbox: number }
): Outgoing => {
  const pending = new Map<JsonRpc.Id, Pending>()
  let nextId = 0
  let closed: TransportError | undefined

  const settle = (id: JsonRpc.Id, exit: Exit.Exit<JsonRpc.Response, TransportError>): boolean => {
    const entry = pending.get(id)
    if (entry === undefined) return false
    pending.delete(id)
    const finish = (): void => {
      entry.exit = exit
      entry.resume?.(exit)
    }
    if (entry.mailbox === undefined) finish()
    else entry.mailbox.whenIdle(finish)
    return true
  }

  const abandon = (id: JsonRpc.Id, entry: Pending, cause: Cause.Cause<TransportError>): void => {
    if (!pending.delete(id) || closed !== undefined) return
    // The specification forbids cancelling the handshake.
    if (entry.method === "initialize") return
    const reason = cancelReasonOf(cause)
    sender.push(JsonRpc.encode(JsonRpc.notification(
      "notifications/cancelled",
      reason === undefined ? { requestId: id } : { requestId: id, reason }
    )))
  }

  const request: Peer["request"] = (request, back) =>
    Effect.suspend(() => {
      if (closed !== undefined) return Effect.fail(notSent(closed))
      if (pending.size >= limits.inFlight) {
        return Effect.fail(refused(`There are already ${limits.inFlight} requests in flight on this connection`))
      }
      const id = nextId++
      const encoded = encodeRequest(request, id)
      if (typeof encoded !== "string") return Effect.fail(encoded)
      const entry: Pending = {
        id: request.id,
        token: Meta.progressToken(request.params),
        method: request.method,
        back,
        mailbox: undefined,
        exit: undefined,
        resume: undefined
      }
      pending.set(id, entry)
      let sent = false
      const response = Effect.callback<JsonRpc.Response, TransportError>((resume) => {
        sent = true
        if (entry.exit !== undefined) resume(entry.exit)
        else entry.resume = resume
      })
      return Effect.onExit(Effect.flatMap(sender.offer(encoded), () => response), (exit) => {
        if (exit._tag === "Success") return Effect.void
        if (sent && Cause.hasInterrupts(exit.cause)) abandon(id, entry, exit.cause)
        else pending.delete(id)
        return Effect.void
      })
    })

  const notify = (notification: JsonRpc.Notification): boolean => {
    const params = notification.params
    const token = params?.progressToken
    const tied = JsonRpc.isId(token) ? token : Meta.of(params)?.[Meta.SUBSCRIPTION_ID]
    if (!JsonRpc.isId(tied)) return false
    const entry = pending.get(tied)
    if (entry === undefined) {
      run(Effect.logDebug(`Dropped ${notification.method}: the request it belongs to is not in flight`))
      return true
    }
    const restored = tied === token
      ? entry.token === undefined ? undefined : { ...params, progressToken: entry.token }
      : Meta.assign(params, { [Meta.SUBSCRIPTION_ID]: entry.id })
    if (restored === undefined) return true
    entry.mailbox ??= Mailbox.make(run, entry.back.notify, limits.mailbox)
    entry.mailbox.push(JsonRpc.notification(notification.method, restored))
    return true
  }

  const respond = (response: JsonRpc.Response): boolean => {
    let id = response.id
    // An error without an id answers the only request in flight, if there is just one: it could not be read.
    if (id === undefined && pending.size === 1) id = pending.keys().next().value
    const entry = id === undefined ? undefined : pending.get(id)
    return id !== undefined && entry !== undefined && settle(id, Exit.succeed(JsonRpc.withId(response, entry.id)))
  }

  return {
    request,
    respond,
    notify,
    fail: (id, error, method) =>
      (method === undefined || pending.get(id)?.method === method) && settle(id, Exit.fail(error)),
    close: (error) => {
      if (closed !== undefined) return
      closed = error
      for (const id of [...pending.keys()]) settle(id, Exit.fail(error))
    }
  }
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
