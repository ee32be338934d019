import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { hasEnded, logs, lost, open, settle } from "./channel.ts"

describe("a handler that ignores its interruption", () => {
  it.effect("MUST NOT be waited for by close longer than the limit, which is said in the log", () => {
    const { layer, lines } = logs()
    return Effect.gen(function*() {
      const { duplex, receive } = yield* open({
        local: { request: () => Effect.uninterruptible(Effect.never) }
      })
      yield* receive({ jsonrpc: "2.0", id: 1, method: "m" })
      const closing = yield* Effect.forkChild(duplex.close(lost))
      yield* settle
      yield* TestClock.adjust("4999 millis")
      assert.isFalse(hasEnded(closing))
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(closing)
      assert.include(lines.join(), "1 handlers ignore their interruption")
    }).pipe(Effect.provide(layer))
  })
})
