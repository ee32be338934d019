/**
 * Half of a connection's bookkeeping: the requests that the other side has sent, by id, each a fiber.
 *
 * Every request gets exactly one reply, unless it was abandoned: cancelled by its caller, or cut off with the
 * connection. Knows nothing of channels.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { Run } from "./internal/run.ts"
import * as JsonRpc from "./JsonRpc.ts"
import { cancelReason, type Peer, type TransportError } from "./Peer.ts"

/**
 * The requests in flight from the other side.
 *
 * @since 0.1.0
 * @category models
 */
export interface Incoming {
  /** Starts a request. `reply` is called once with the response, or with `undefined` if the request was abandoned. */
  readonly receive: (
    request: JsonRpc.Request,
    handler: Peer,
    back: Peer,
    reply: (response: JsonRpc.Response | undefined) => void
  ) => void
  /** Interrupts a request by id, as `notifications/cancelled` asks. `false`: it is not in flight. */
  readonly cancel: (id: JsonRpc.Id, reason: string) => boolean
  /** Interrupts all requests, without replies, and waits for their finalizers, within a bound. */
  readonly close: (reason: string) => Effect.Effect<void>
}

interface Entry {
  readonly fiber: Fiber.Fiber<JsonRpc.Response, TransportError>
  abandoned: boolean
}

/**
 * Makes the bookkeeping. `inFlight` bounds the requests that may run at once; one more is answered with an error.
 * `closing` bounds, in milliseconds, how long `close` waits.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (run: Run, limits: { readonly inFlight: number; readonly closing: number }): Incoming => {
  const entries = new Map<JsonRpc.Id, Entry>()
  // Abandoned, but not done with their finalizers: they count until they are.
  const leaving = new Set<Entry["fiber"]>()
  let closed = false

  const toResponse = (
    request: JsonRpc.Request,
    exit: Exit.Exit<JsonRpc.Response, TransportError>
  ): JsonRpc.Response => {
    if (exit._tag === "Success") {
      return exit.value.id === request.id
        ? exit.value
        : JsonRpc.withId(exit.value, request.id)
    }
    const error = Cause.findErrorOption(exit.cause)
    if (error._tag === "Some") return internal(request.id, `The request could not be passed on: ${error.value.message}`)
    run(Effect.logError(`The handler of ${request.method} failed`, exit.cause))
    return internal(request.id, "Internal error")
  }

  const receive: Incoming["receive"] = (request, handler, back, reply) => {
    if (closed) return reply(undefined)
    if (entries.has(request.id)) {
      return reply(JsonRpc.failure(request.id, {
        code: JsonRpc.INVALID_REQUEST,
        message: "Invalid request: a request with this id is still in flight"
      }))
    }
    if (entries.size + leaving.size >= limits.inFlight) {
      run(Effect.logWarning(`Refused ${request.method}: ${limits.inFlight} requests are in flight`))
      return reply(internal(request.id, `Too many requests in flight: the limit is ${limits.inFlight}`))
    }
    const fiber = run(Effect.suspend(() => handler.request(request, back)))
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return reply(toResponse(request, exit))
    const entry: Entry = { fiber, abandoned: false }
    entries.set(request.id, entry)
    fiber.addObserver((exit) => {
      // An abandoned request has left the map already, and its id may be in use again.
      if (entry.abandoned) {
        leaving.delete(fiber)
        return reply(undefined)
      }
      entries.delete(request.id)
      reply(toResponse(request, exit))
    })
  }

  const abandon = (id: JsonRpc.Id, entry: Entry, reason: string): void => {
    entry.abandoned = true
    entries.delete(id)
    leaving.add(entry.fiber)
    entry.fiber.interruptUnsafe(undefined, cancelReason(reason))
  }

  return {
    receive,
    cancel: (id, reason) => {
      const entry = entries.get(id)
      if (entry === undefined) return false
      abandon(id, entry, reason)
      return true
    },
    close: (reason) =>
      Effect.suspend(() => {
        closed = true
        if (entries.size > 0) run(Effect.logInfo(`Interrupted ${entries.size} requests in flight: ${reason}`))
        for (const [id, entry] of [...entries]) abandon(id, entry, reason)
        return leaving.size === 0 ? Effect.void : awaitBounded(run, leaving, limits.closing)
      })
  }
}

// By hand, since it runs where nothing can be interrupted, a race included.
const awaitBounded = (run: Run, leaving: Set<Entry["fiber"]>, millis: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const timer = run(Effect.gen(function*() {
      yield* Effect.sleep(millis)
      yield* Effect.logWarning(`${leaving.size} handlers ignore their interruption; they are not waited for any longer`)
      leaving.clear()
      resume(Effect.void)
    }))
    run(Fiber.awaitAll([...leaving])).addObserver(() => {
      timer.interruptUnsafe()
      resume(Effect.void)
    })
  })

const internal = (id: JsonRpc.Id, message: string): JsonRpc.Failure =>
  JsonRpc.failure(id, { code: JsonRpc.INTERNAL_ERROR, message })
