/** Requests that last until they are ended, and a wait for their replies. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

export interface Lasting {
  readonly counted: <A, E>(request: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Waits until all have replied, for no longer than whoever ends would notice. */
  readonly over: Effect.Effect<void>
}

export const make = (): Lasting => {
  const open = new Set<Deferred.Deferred<void>>()
  const all = Effect.suspend(() => Effect.forEach([...open], Deferred.await, { discard: true }))
  return {
    counted: (request) =>
      Effect.suspend(() => {
        const done = Deferred.makeUnsafe<void>()
        open.add(done)
        return Effect.ensuring(
          request,
          Effect.sync(() => {
            open.delete(done)
            Deferred.doneUnsafe(done, Effect.void)
          })
        )
      }),
    // A turn for the last of them to be sent.
    over: Effect.andThen(Effect.timeoutOption(all, "250 millis"), Effect.yieldNow)
  }
}
