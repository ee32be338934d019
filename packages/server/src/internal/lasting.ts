/** Requests that last until the connection is ended: how to end them, and a wait for their replies. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Link } from "../Call.ts"

/** Most connections have none, and hold nothing for them. */
export class Lasting implements Link {
  private endings: Set<() => void> | undefined
  private open: Set<Deferred.Deferred<void>> | undefined

  onEnding(f: () => void): () => void {
    this.endings ??= new Set()
    this.endings.add(f)
    return () => void this.endings?.delete(f)
  }

  counted<A, E>(request: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const done = Deferred.makeUnsafe<void>()
      this.open ??= new Set()
      this.open.add(done)
      return Effect.ensuring(
        request,
        Effect.sync(() => {
          this.open?.delete(done)
          Deferred.doneUnsafe(done, Effect.void)
        })
      )
    })
  }

  /** Ends them, and waits until all have replied, for no longer than whoever ends would notice. */
  get ending(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.endings === undefined || this.endings.size === 0) return Effect.void
      for (const end of [...this.endings]) end()
      const all = Effect.forEach([...this.open ?? []], Deferred.await, { discard: true })
      // A turn for the last of them to be sent.
      return Effect.andThen(Effect.timeoutOption(all, "250 millis"), Effect.yieldNow)
    })
  }
}
