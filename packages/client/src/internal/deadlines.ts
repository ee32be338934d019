/**
 * When requests must be over: one timer for all of them. Progress puts a request's deadline off, up to its maximum.
 */
import { cancelReason } from "@mcp-effect/protocol/Peer"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

export interface Deadline {
  readonly timeout: number
  readonly maximum: number
  /** Something was heard of the request: while it is consumed, only the maximum counts. Returns how to go on. */
  readonly hold: () => () => void
  readonly stop: () => void
  /** Which limit has passed, once the fiber was interrupted for it. */
  readonly expired: () => "timeout" | "maximum" | undefined
}

export interface Deadlines {
  readonly start: (fiber: Fiber.Fiber<unknown, unknown>, timeout: number, maximum: number) => Deadline
}

interface Entry {
  readonly fiber: Fiber.Fiber<unknown, unknown>
  readonly last: number
  due: number
  expired: "timeout" | "maximum" | undefined
}

export const make: Effect.Effect<Deadlines, never, Scope.Scope> = Effect.gen(function*() {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const entries = new Set<Entry>()
  let timer: Fiber.Fiber<void> | undefined
  let wakes = Number.POSITIVE_INFINITY
  yield* Effect.addFinalizer(() => Effect.sync(() => timer?.interruptUnsafe()))

  const check = (): void => {
    const now = clock.currentTimeMillisUnsafe()
    let next = Number.POSITIVE_INFINITY
    for (const entry of entries) {
      const due = Math.min(entry.due, entry.last)
      if (due > now) {
        next = Math.min(next, due)
        continue
      }
      entries.delete(entry)
      entry.expired = entry.last <= now ? "maximum" : "timeout"
      entry.fiber.interruptUnsafe(undefined, cancelReason(`No reply in time (${entry.expired})`))
    }
    sleepUntil(next, now)
  }
  const sleepUntil = (due: number, now: number): void => {
    wakes = due
    timer = Number.isFinite(due) ? run(Effect.andThen(Effect.sleep(due - now), Effect.sync(check))) : undefined
  }
  const wakeFor = (entry: Entry, now: number): void => {
    const due = Math.min(entry.due, entry.last)
    if (due >= wakes) return
    timer?.interruptUnsafe()
    sleepUntil(due, now)
  }
  return {
    start: (fiber, givenTimeout, givenMaximum) => {
      const [timeout, maximum] = [atLeastNow(givenTimeout), atLeastNow(givenMaximum)]
      const now = clock.currentTimeMillisUnsafe()
      const entry: Entry = { fiber, due: now + timeout, last: now + maximum, expired: undefined }
      entries.add(entry)
      wakeFor(entry, now)
      return {
        timeout,
        maximum,
        hold: () => {
          entry.due = Number.POSITIVE_INFINITY
          return () => {
            const now = clock.currentTimeMillisUnsafe()
            entry.due = now + timeout
            if (entries.has(entry)) wakeFor(entry, now)
          }
        },
        stop: () => void entries.delete(entry),
        expired: () => entry.expired
      }
    }
  }
})

// What is no time at all, or no number, is now.
const atLeastNow = (millis: number): number => millis > 0 ? millis : 0
