/** Thousands of sessions that say nothing, and what is left of them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

// What is held, once nothing is collected any more.
const heap = Effect.gen(function*() {
  let before = Number.POSITIVE_INFINITY
  for (;;) {
    yield* H.settle
    collect()
    const { heapUsed } = process.memoryUsage()
    if (heapUsed > before - 1024) return heapUsed
    before = heapUsed
  }
})

const MIB = 1024 * 1024

describe("2,000 sessions that are idle", () => {
  it.effect("MUST expire, and leave the heap as it was", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.now, { http: { sessions: { idle: "10 minutes" } } })
      const open = (count: number) =>
        Effect.map(
          Effect.forEach(Array.from({ length: count }), () => server.open(), { concurrency: 20 }),
          (clients) => clients.at(-1)
        )
      const expired = Effect.gen(function*() {
        for (let minutes = 0; minutes < 25; minutes++) yield* H.pass("1 minute")
      })
      // What is made once is made before.
      yield* open(500)
      yield* expired
      const before = yield* heap
      const last = yield* open(2000)
      assert.isDefined(last)
      const held = (yield* heap) - before
      assert.strictEqual(yield* last.text("now"), "now")
      yield* expired
      assert.strictEqual((yield* last.call("now")).status, 404)
      const left = (yield* heap) - before
      // They were there.
      assert.isAbove(held, 2 * MIB)
      assert.isBelow(left, 0.5 * MIB)
    }), 60_000)
})
