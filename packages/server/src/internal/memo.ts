/** Effects that run once for each key, and what they have yielded. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

export interface Memo {
  /** Runs an effect whose key has no value yet; who comes while it runs waits for it. A failure is not kept. */
  readonly once: <E, R>(key: string, effect: Effect.Effect<unknown, E, R>) => Effect.Effect<unknown, E, R>
  /** What there is, by key. */
  readonly values: () => { readonly [key: string]: unknown }
  /** Waits until nothing is running. */
  readonly idle: Effect.Effect<void>
}

export const make = (known: { readonly [key: string]: unknown }): Memo => {
  const values = new Map(Object.entries(known))
  const running = new Map<string, Deferred.Deferred<void>>()

  const once: Memo["once"] = (key, effect) =>
    Effect.suspend(() => {
      if (values.has(key)) return Effect.succeed(values.get(key))
      const other = running.get(key)
      if (other !== undefined) return Effect.flatMap(Deferred.await(other), () => once(key, effect))
      const done = Deferred.makeUnsafe<void>()
      running.set(key, done)
      return Effect.onExit(effect, (exit) => {
        if (Exit.isSuccess(exit)) values.set(key, exit.value)
        running.delete(key)
        return Effect.asVoid(Deferred.succeed(done, undefined))
      })
    })
  const idle: Memo["idle"] = Effect.suspend(() => {
    const [first] = running.values()
    return first === undefined ? Effect.void : Effect.flatMap(Deferred.await(first), () => idle)
  })
  return { once, idle, values: () => Object.fromEntries(values) }
}
