/**
 * Hands notifications to one consumer in order, so that the reader never waits for it: past its bound, queued progress
 * collapses to the latest, and everything else is dropped with a log line. A dropped part shows as a gap in `index`.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Notification } from "../JsonRpc.ts"
import type { Run } from "./run.ts"

export interface Mailbox {
  readonly push: (notification: Notification) => void
  /** Runs `f` once all that was pushed is delivered. */
  readonly whenIdle: (f: () => void) => void
  /** Nobody listens any more: what is being delivered is interrupted, and the rest is dropped. */
  readonly end: () => void
}

export const make = (
  run: Run,
  deliver: (notification: Notification) => Effect.Effect<void, unknown>,
  bound: number
): Mailbox => {
  const queue: Array<Notification> = []
  let busy: Fiber.Fiber<void, unknown> | undefined
  let ended = false
  let idle: Array<() => void> = []

  const finished = (exit: Exit.Exit<void, unknown>): void => {
    if (exit._tag === "Failure" && !ended) run(Effect.logDebug("A notification could not be delivered", exit.cause))
  }
  const start = (notification: Notification): boolean => {
    const fiber = run(Effect.suspend(() => deliver(notification)))
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) {
      finished(exit)
      return true
    }
    busy = fiber
    fiber.addObserver((exit) => {
      finished(exit)
      busy = undefined
      drain()
    })
    return false
  }
  const drain = (): void => {
    while (queue.length > 0) {
      const next = queue.shift()
      if (next !== undefined && !start(next)) return
    }
    const waiting = idle
    idle = []
    for (const f of waiting) f()
  }
  return {
    push: (notification) => {
      if (ended) return
      if (busy === undefined) {
        start(notification)
      } else if (queue.length < bound) {
        queue.push(notification)
      } else if (notification.method === "notifications/progress") {
        const last = queue.findLastIndex((queued) => queued.method === "notifications/progress")
        if (last >= 0) queue.splice(last, 1)
        queue.push(notification)
      } else {
        run(Effect.logWarning(`Dropped ${notification.method}: its consumer is ${bound} messages behind`))
      }
    },
    whenIdle: (f) => {
      if (busy === undefined) f()
      else idle.push(f)
    },
    end: () => {
      ended = true
      queue.length = 0
      busy?.interruptUnsafe()
    }
  }
}
