/**
 * Tells one client of changes. A burst of equal changes is one notification, and one that has not been taken yet tells of
 * this change too. What waits for a slow client is bounded: past the bound it hears of coarser changes, or that it
 * missed some.
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { Peer } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Interest } from "../Call.ts"
import type { Change } from "../Changes.ts"

export interface Announcer {
  /** Nothing is told before; what has changed till then is told now. */
  readonly start: () => void
  readonly push: (change: Change, interest: Interest) => void
  readonly end: () => void
}

export interface Options {
  readonly run: <A>(effect: Effect.Effect<A>) => Fiber.Fiber<A>
  readonly back: Peer
  /** How many different changes may wait. */
  readonly bound: number
  /** The parameters that tell of a change. */
  readonly write: (change: Change) => JsonRpc.Params | undefined
  /** Whether the client may be told now. */
  readonly ready: () => boolean
  /** A change could not be told, not even coarsely. */
  readonly missed: () => void
}

export const make = ({ back, bound, missed, ready, run, write }: Options): Announcer => {
  const due = new Map<string, Change>()
  const sending = new Set<string>()
  let open = true
  let started = false
  const stale = (): boolean => !open

  const flush = (): void => {
    for (const [key, change] of [...due]) {
      // Not of a change while the one before it is being taken.
      if (sending.has(key)) continue
      due.delete(key)
      if (!ready()) continue
      sending.add(key)
      const sent = back.notify({ ...JsonRpc.notification(change.method, write(change)), stale })
      run(Effect.ignore(sent)).addObserver(() => {
        sending.delete(key)
        if (due.size > 0) queueMicrotask(flush)
      })
    }
  }
  const add = (key: string, change: Change): void => {
    if (started && due.size === 0) queueMicrotask(flush)
    due.set(key, change)
  }
  return {
    start: () => {
      started = true
      if (due.size > 0) queueMicrotask(flush)
    },
    push: (change, { coarse }) => {
      const key = keyOf(change)
      if (!open || due.has(key)) return
      if (due.size < bound) return add(key, change)
      const instead = coarse?.(change)
      if (instead === undefined) return missed()
      if (!due.has(keyOf(instead))) add(keyOf(instead), instead)
    },
    end: () => {
      open = false
      due.clear()
    }
  }
}

const keyOf = ({ method, params }: Change): string =>
  params === undefined ? method : `${method} ${JSON.stringify(params)}`
