/**
 * The rules that every `SessionStore` and every `EventStore` must pass, as suites of tests: run them over a layer of yours.
 *
 * Needs vitest. The layer is built anew for each test, and what it makes is empty.
 *
 * @since 0.1.0
 */
import { describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { EventStore } from "./EventStore.ts"
import * as EventRules from "./internal/eventRules.ts"
import * as SessionRules from "./internal/sessionRules.ts"
import type { SessionStore } from "./SessionStore.ts"

/**
 * - `shared`: whether other processes read it too, so that what one of them releases is kept (default `false`).
 * - `idle`: for how long the tests keep a session (default one minute).
 * - `pass`: how time passes for the store; by default it is the test clock's.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionOptions {
  readonly shared?: boolean
  readonly idle?: Duration.Input
  readonly pass?: (time: Duration.Duration) => Effect.Effect<void>
}

/**
 * Registers the rules of a `SessionStore`.
 *
 * @since 0.1.0
 * @category suites
 */
export const sessions = <E>(name: string, store: Layer.Layer<SessionStore, E>, options: SessionOptions = {}): void => {
  const { idle = "1 minute", pass = TestClock.adjust, shared = false } = options
  const setting: SessionRules.Setting = { shared, idle: Duration.fromInputUnsafe(idle), pass }
  describe(`${name}, as a store of sessions`, () => {
    for (const rule of SessionRules.rules) {
      it.effect(rule.name, () => Effect.provide(rule.test(setting), store))
    }
  })
}

/**
 * Registers the rules of an `EventStore`. `many` is a number of events of which it forgets some, if it ever does (default
 * 2000).
 *
 * @since 0.1.0
 * @category suites
 */
export const events = <E>(
  name: string,
  store: Layer.Layer<EventStore, E>,
  options: { readonly many?: number } = {}
): void => {
  const { many = 2000 } = options
  describe(`${name}, as a store of events`, () => {
    for (const rule of EventRules.rules) it.effect(rule.name, () => Effect.provide(rule.test(many), store))
  })
}
