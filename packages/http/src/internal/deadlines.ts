/** Ends what takes too long, by one timer for all of it: a timer of its own for each request would cost more than the rest. */
import { Clock } from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Wire } from "./exchange.ts"

export interface Deadlines {
  /** Calls back when the time is over, or up to a quarter of it later, unless what it returns is called before. */
  readonly watch: (late: () => void) => () => void
}

interface Open {
  readonly since: number
  readonly late: () => void
}

export const make = (run: Wire["run"], time: Duration.Duration): Effect.Effect<Deadlines, never, Scope.Scope> =>
  Effect.gen(function*() {
    const clock = yield* Clock
    const open = new Set<Open>()
    let watching: Fiber.Fiber<void> | undefined
    const rounds = Effect.gen(function*() {
      while (open.size > 0) {
        yield* Effect.sleep(Duration.divideUnsafe(time, 4))
        const before = clock.currentTimeMillisUnsafe() - Duration.toMillis(time)
        for (const entry of open) {
          if (entry.since > before) break
          open.delete(entry)
          entry.late()
        }
      }
      watching = undefined
    })
    yield* Effect.addFinalizer(() => watching === undefined ? Effect.void : Fiber.interrupt(watching))
    return {
      watch: (late) => {
        const entry: Open = { since: clock.currentTimeMillisUnsafe(), late }
        open.add(entry)
        watching ??= run(rounds)
        return () => void open.delete(entry)
      }
    }
  })
