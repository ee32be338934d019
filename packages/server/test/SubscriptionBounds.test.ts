/** Bursts of changes, and readers that are too slow for them. */
import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as Changes from "@mcp-effect/server/Changes"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { about, all, listen, settle, slow, told, withTools } from "./listening.ts"
import { logged } from "./log.ts"

// Effect itself gives way now and then.
const inOneTurn = (effects: ReadonlyArray<Effect.Effect<void>>) =>
  Effect.sync(() => effects.forEach((effect) => Effect.runSync(effect)))

describe("a burst of changes", () => {
  it.effect("MUST be one notification of each kind", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const { heard } = yield* told(server, { toolsListChanged: true, things: true })
      yield* inOneTurn(Array.from({ length: 1000 }, (_, n) =>
        Effect.andThen(server.changes.publish(Changes.tools), server.changes.publish(about(n % 2)))))
      yield* settle
      assert.deepStrictEqual(heard.slice(1).map(({ method, params }) => [method, params?.n]), [
        ["notifications/tools/list_changed", undefined],
        ["notifications/thing", 0],
        ["notifications/thing", 1]
      ])
    }))

  it.effect("MUST be told again for what comes while it is being taken", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const { back, most, open, taken } = slow()
      yield* listen(server, { toolsListChanged: true }, back)
      for (let n = 0; n < 100; n++) yield* Effect.andThen(server.changes.publish(Changes.tools), settle)
      assert.deepStrictEqual([taken, most.waiting], [[], 1])
      yield* open
      yield* settle
      assert.strictEqual(taken.length, 2)
    }))
})

describe("a subscription whose reader is slow", () => {
  const few = { ...Limits.defaults, inFlight: 10 }

  it.effect("MUST NOT have more than one notification waiting in the connection, whatever changes", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const { back, most, open, taken } = slow()
      yield* listen(server, { things: true }, back)
      for (let n = 0; n < 500; n++) {
        yield* server.changes.publish(about(n))
        if (n % 10 === 0) yield* settle
      }
      assert.strictEqual(most.waiting, 1)
      yield* open
      yield* settle
      assert.deepStrictEqual(taken.map(({ params }) => params?.n), Array.from({ length: 500 }, (_, n) => n))
    }))

  it.effect("MUST be told coarsely past its bound, and go on", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const { back, open, taken } = slow()
      const { listening } = yield* listen(server, { coarsely: true }, back)
      for (let n = 0; n < 1000; n++) {
        yield* server.changes.publish(about(n))
        if (n === 0) yield* settle
      }
      assert.isUndefined(listening.pollUnsafe())
      yield* open
      yield* settle
      assert.deepStrictEqual(
        taken.map(({ method, params }) => params?.n ?? method),
        [...Array.from({ length: 11 }, (_, n) => n), all.method]
      )
    }).pipe(Effect.provideService(Limits.Limits, few)))

  it.effect("MUST be ended with a complete result where there is nothing coarse, and be told nothing after", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const server = yield* withTools
        const { back, open, taken } = slow()
        const { listening } = yield* listen(server, { things: true }, back)
        for (let n = 0; n < 1000; n++) {
          yield* server.changes.publish(about(n))
          if (n === 0) yield* settle
        }
        const response = yield* Fiber.join(listening)
        assert.deepStrictEqual(response._tag === "Success" && response.result.resultType, "complete")
        yield* open
        yield* settle
        assert.deepStrictEqual(taken, [])
        assert.lengthOf(lines.filter((line) => line.startsWith("Warn A subscription was ended")), 1)
      }).pipe(Effect.provideService(Limits.Limits, few))
    ))
})
