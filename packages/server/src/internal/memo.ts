/** Effects that run once for each key, and what they have yielded. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Call } from "../Call.ts"

export interface Memo {
  /** Runs an effect whose key has no value yet; who comes while it runs waits for it. A failure is not kept. */
  readonly once: <E, R>(call: Call, key: string, effect: Effect.Effect<unknown, E, R>) => Effect.Effect<unknown, E, R>
  /** What there is, by key. */
  readonly values: () => { readonly [key: string]: unknown }
  /** Waits until nothing is running. */
  readonly idle: Effect.Effect<void>
}

interface Inside {
  readonly call: Call
  readonly key: string
}

/** What is being run once around a fiber, the outermost first. */
export const InsideOnce: Context.Reference<ReadonlyArray<Inside>> = Context.Reference(
  "@mcp-effect/server/InsideOnce",
  { defaultValue: (): ReadonlyArray<Inside> => [] }
)

/** The keys that a fiber is inside of. What handles another call in the same fiber is inside of none. */
export const keysAround = (fiber: Fiber.Fiber<unknown, unknown>, call: Call): ReadonlyArray<string> => {
  const inside = fiber.getRef(InsideOnce)
  return inside.length === 0 ? [] : inside.filter((one) => one.call === call).map(({ key }) => key)
}

/** What is run under the keys `inside` waits for what is run under `key`. */
interface Wait {
  readonly inside: ReadonlyArray<string>
  readonly key: string
}

export const make = (known: { readonly [key: string]: unknown }): Memo => {
  const values = new Map(Object.entries(known))
  const running = new Map<string, Deferred.Deferred<void>>()
  const waits = new Set<Wait>()

  // Ends, as no wait is begun that would close a circle.
  const needs = (key: string, one: ReadonlyArray<string>): boolean =>
    one.includes(key) || [...waits].some((wait) => wait.inside.includes(key) && needs(wait.key, one))

  const wait = (wait: Wait, other: Deferred.Deferred<void>): Effect.Effect<void> => {
    if (needs(wait.key, wait.inside)) {
      return Effect.die(
        new TypeError(`ClientInput.once: ${JSON.stringify(wait.key)} waits for itself, as it is used inside itself`)
      )
    }
    waits.add(wait)
    return Effect.ensuring(Deferred.await(other), Effect.sync(() => waits.delete(wait)))
  }

  const once: Memo["once"] = (call, key, effect) =>
    Effect.withFiber((fiber) => {
      if (values.has(key)) return Effect.succeed(values.get(key))
      const inside = keysAround(fiber, call)
      const other = running.get(key)
      if (other !== undefined) return Effect.flatMap(wait({ inside, key }, other), () => once(call, key, effect))
      const done = Deferred.makeUnsafe<void>()
      running.set(key, done)
      return Effect.onExit(
        Effect.provideService(effect, InsideOnce, [...fiber.getRef(InsideOnce), { call, key }]),
        (exit) => {
          if (Exit.isSuccess(exit)) values.set(key, exit.value)
          running.delete(key)
          return Effect.asVoid(Deferred.succeed(done, undefined))
        }
      )
    })
  const idle: Memo["idle"] = Effect.suspend(() => {
    const [first] = running.values()
    return first === undefined ? Effect.void : Effect.flatMap(Deferred.await(first), () => idle)
  })
  return { once, idle, values: () => Object.fromEntries(values) }
}
