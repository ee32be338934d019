/** Loops of a client whose calls are effects. */
import * as Effect from "effect/Effect"
import { type Run, serve } from "./driven.ts"

export const driven = <E, R>(call: Effect.Effect<unknown, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function*() {
    // Once, so that what is wrong shows before it is measured.
    yield* call
    const run = Effect.runPromiseWith(yield* Effect.context<R>())
    const loops: Run = (window, until) => {
      let calls = 0
      const counted = Effect.map(call, () => {
        calls++
      })
      const loop = Effect.whileLoop({ while: () => performance.now() < until, body: () => counted, step: () => {} })
      const all = Effect.forEach(Array.from({ length: window }), () => loop, {
        concurrency: "unbounded",
        discard: true
      })
      return run(Effect.map(all, () => calls))
    }
    yield* Effect.promise(() => serve(loops))
  })
