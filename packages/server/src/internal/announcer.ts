/**
 * Tells one client of changes, one after the other. A burst of equal changes is one notification, and one that waits
 * tells of this change too. What waits for a slow client is bounded: past the bound it hears of coarser changes, or that
 * it missed some.
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Interest } from "../Call.ts"
import type { Change } from "../Changes.ts"

export interface Announcer {
  /** Nothing is told before; what has changed till then is told now. */
  readonly start: () => void
  /** Tells of the change, if there is interest in it. */
  readonly push: (change: Change, interest: Interest) => void
  readonly end: () => void
}

export interface Options {
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly back: Peer
  /** How many different changes may wait. */
  readonly bound: number
  /** The parameters that tell of a change. */
  readonly write: (change: Change) => JsonRpc.Params | undefined
  /** Whether the client may be told now. */
  readonly ready: () => boolean
  /** A change could not be told, not even coarsely. Once, until the client has caught up. */
  readonly missed: () => void
  /** The client has gone. */
  readonly lost: () => void
}

export const make = ({ back, bound, lost, missed, ready, run, write }: Options): Announcer => {
  const due = new Map<string, Change>()
  let sending: Fiber.Fiber<void, TransportError> | undefined
  let scheduled = false
  let behind = false
  let open = true
  let started = false
  const stale = (): boolean => !open

  const taken = ({ method }: Change, exit: Exit.Exit<void, TransportError>): void => {
    if (!open || !Exit.isFailure(exit)) return
    if (isClosed(exit.cause)) return lost()
    run(Effect.logWarning(`A client was not told of a change by ${method}: it could not be sent`, exit.cause))
  }
  // Nothing else is sent while one is being taken: what waits for its reader is bounded, and stays in order.
  const flush = (): void => {
    scheduled = false
    for (const [key, change] of due) {
      if (sending !== undefined) return
      due.delete(key)
      if (!ready()) continue
      const fiber = run(back.notify({ ...JsonRpc.notification(change.method, write(change)), stale }))
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) {
        taken(change, exit)
        continue
      }
      sending = fiber
      fiber.addObserver((exit) => {
        sending = undefined
        taken(change, exit)
        flush()
      })
    }
    behind = false
  }
  const schedule = (): void => {
    if (scheduled || !started || sending !== undefined) return
    scheduled = true
    queueMicrotask(flush)
  }
  const add = (change: Change): void => {
    due.set(keyOf(change), change)
    schedule()
  }
  const miss = (): void => {
    if (!behind) missed()
    behind = true
  }
  return {
    start: () => {
      started = true
      if (due.size > 0) schedule()
    },
    push: (change, interest) => {
      if (!open || !interest.matches(change) || due.has(keyOf(change))) return
      if (due.size < bound) return add(change)
      const instead = interest.coarse?.(change)
      if (instead !== undefined && due.has(keyOf(instead))) return
      // Coarse ones are few, but that is for a feature to keep.
      return instead === undefined || due.size >= 2 * bound ? miss() : add(instead)
    },
    end: () => {
      open = false
      due.clear()
      sending?.interruptUnsafe()
    }
  }
}

const isClosed = (cause: Cause.Cause<TransportError>): boolean => {
  const error = Cause.findErrorOption(cause)
  return error._tag === "Some" && error.value.reason === "closed"
}

const keyOf = ({ method, params }: Change): string =>
  params === undefined ? method : `${method} ${JSON.stringify(params)}`
