/** What is logged while a test runs, and its causes. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"

/** Runs a test with the lines that are logged in it, each with its level. */
export const logged = <A, E, R>(
  test: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make(({ cause, logLevel, message }) => {
      const text = Array.isArray(message) ? message.map(String).join(" ") : String(message)
      lines.push(`${logLevel} ${text} ${cause.reasons.length === 0 ? "" : Cause.pretty(cause)}`)
    })
    return Effect.provide(test(lines), Logger.layer([logger]))
  })
