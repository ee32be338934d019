/**
 * The seam between the layers: each side of a conversation sees the other as a `Peer`.
 *
 * A server, a connection to one, a proxy, a recorder and a fault injector are all peers. A peer knows messages; it does
 * not know how they travel.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Notification, Request, Response } from "./JsonRpc.ts"

/**
 * The other side.
 *
 * - `request` ends with a `Response` or a `TransportError`. It never dies. Interrupting it abandons the request on the
 *   other side, without waiting for that side's finalizers, and the `CancelReason` travels along.
 * - Its id and progress token are the caller's own, unique among the requests that this caller has in flight. A
 *   connection that several callers share puts its own on the wire, and the caller's back on what returns; `Duplex` does.
 * - `back` receives what is tied to the request: progress and partial content by token, subscription messages by id.
 * - `notify` completes when a bounded buffer has taken the message, and suspends while that is full.
 *
 * @since 0.1.0
 * @category models
 */
export interface Peer {
  readonly request: (request: Request, back: Peer) => Effect.Effect<Response, TransportError>
  readonly notify: (notification: Notification) => Effect.Effect<void, TransportError>
}

/**
 * A peer at the other end of a transport. `closed` waits for its end and yields the reason.
 *
 * @since 0.1.0
 * @category models
 */
export interface Connection extends Peer {
  readonly closed: Effect.Effect<TransportError>
}

/**
 * This side of a connection, as the other side sees it. `ending` is run before this side closes the connection by itself:
 * it ends what would stay open, so that its replies are still sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Local extends Peer {
  readonly ending?: Effect.Effect<void>
}

/**
 * A message could not be carried.
 *
 * - `reason`: `closed` (the connection ended), `refused` (it could not be opened, or would not take the message),
 *   `malformed` (what came back is no reply), `too large` (a message over the limit).
 * - `processed`: `no` when the other side cannot have acted on the request, `unknown` otherwise. Only `no` is safe to
 *   send again blindly.
 *
 * @since 0.1.0
 * @category errors
 */
export class TransportError extends Data.TaggedError("TransportError")<{
  readonly reason: "closed" | "refused" | "malformed" | "too large"
  readonly processed: "no" | "unknown"
  readonly message: string
  readonly cause?: unknown
}> {}

class CancelReason extends Context.Service<CancelReason, string>()("@mcp-effect/protocol/Peer/CancelReason") {}

/**
 * Why a request is abandoned, as an annotation to interrupt its fiber with; the reason reaches the other side's log.
 *
 * `Fiber.interruptAs(fiber, undefined, Peer.cancelReason("no longer needed"))`
 *
 * @since 0.1.0
 * @category cancellation
 */
export const cancelReason = (reason: string): Context.Context<never> =>
  // Interruption takes its annotations without their types; `cancelReasonOf` is the only reader.
  Context.make(CancelReason, reason) as Context.Context<never>

/**
 * The reason that an interruption carries, if any.
 *
 * @since 0.1.0
 * @category cancellation
 */
export const cancelReasonOf = <E>(cause: Cause.Cause<E>): string | undefined => {
  const reason = Context.getOption(Cause.annotations(cause) as Context.Context<CancelReason>, CancelReason)
  return reason._tag === "Some" ? reason.value : undefined
}

/**
 * A peer that takes nothing: requests and notifications fail as closed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const closed: Peer = {
  request: () => Effect.fail(new TransportError({ reason: "closed", processed: "no", message: "Nobody is there" })),
  notify: () => Effect.fail(new TransportError({ reason: "closed", processed: "no", message: "Nobody is there" }))
}
