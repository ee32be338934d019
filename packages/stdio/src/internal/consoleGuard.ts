/**
 * Keeps standard output for messages: while the scope is open, what `console` would print there goes to standard error.
 * Effect's loggers print through `console` too.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const methods = [
  "log",
  "info",
  "debug",
  "dir",
  "dirxml",
  "table",
  "group",
  "groupCollapsed",
  "timeEnd",
  "timeLog"
] as const

let guards = 0
let restore = (): void => {}

const install = (): void => {
  const console = globalThis.console
  const originals = methods.map((method) => [method, console[method]] as const)
  for (const method of methods) {
    // `error` of a copy: a method of `console` may call another, which must not come back here.
    console[method] = (...args: Array<unknown>): void => console.error(...args)
  }
  restore = () => {
    for (const [method, original] of originals) Object.assign(console, { [method]: original })
  }
}

export const guard: Effect.Effect<void, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    if (guards++ === 0) install()
  }),
  () =>
    Effect.sync(() => {
      if (--guards === 0) restore()
    })
)
