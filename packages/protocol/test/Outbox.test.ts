import { assert, describe, it } from "@effect/vitest"
import * as Outbox from "@mcp-effect/protocol/Outbox"
import { TransportError } from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { hasEnded, lost, settle } from "./channel.ts"

describe("taking", () => {
  it.effect("everything that one turn produces MUST go out together", () =>
    Effect.gen(function*() {
      const outbox = Outbox.make()
      const taken = yield* Effect.forkChild(outbox.take)
      yield* settle
      outbox.push("a")
      outbox.push("b")
      assert.isFalse(hasEnded(taken))
      yield* outbox.offer("c")
      assert.deepStrictEqual(yield* Fiber.join(taken), ["a", "b", "c"])
    }))

  it.effect("texts that wait MUST be taken at once, in order, and once", () =>
    Effect.gen(function*() {
      const outbox = Outbox.make()
      outbox.push("a")
      yield* outbox.offer("b")
      assert.deepStrictEqual(yield* outbox.take, ["a", "b"])
      const next = yield* Effect.forkChild(outbox.take)
      yield* settle
      assert.isFalse(hasEnded(next))
      outbox.push("c")
      assert.deepStrictEqual(yield* Fiber.join(next), ["c"])
    }))

  it.effect("an interrupted taker MUST NOT lose texts", () =>
    Effect.gen(function*() {
      const outbox = Outbox.make()
      const gone = yield* Effect.forkChild(outbox.take)
      yield* settle
      outbox.push("a")
      yield* Fiber.interrupt(gone)
      assert.deepStrictEqual(yield* outbox.take, ["a"])
      const again = yield* Effect.forkChild(outbox.take)
      yield* settle
      yield* Fiber.interrupt(again)
      const last = yield* Effect.forkChild(outbox.take)
      yield* settle
      outbox.push("b")
      assert.deepStrictEqual(yield* Fiber.join(last), ["b"])
    }))
})

describe("the bound", () => {
  it.effect("an offer MUST suspend while the buffer is full, and resume when it was taken", () =>
    Effect.gen(function*() {
      const outbox = Outbox.make({ capacity: 3 })
      yield* outbox.offer("ab")
      yield* outbox.offer("cd")
      const waiting = yield* Effect.forkChild(outbox.offer("e"))
      yield* settle
      assert.isFalse(hasEnded(waiting))
      assert.deepStrictEqual(yield* outbox.take, ["ab", "cd"])
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(yield* outbox.take, ["e"])
    }))

  it.effect("offers that wait MUST NOT pass the bound together", () =>
    Effect.gen(function*() {
      const outbox = Outbox.make({ capacity: 1 })
      outbox.push("0")
      const fibers = yield* Effect.forEach(["a", "b", "c"], (text) => Effect.forkChild(outbox.offer(text)))
      yield* settle
      const taken: Array<ReadonlyArray<string>> = []
      for (let i = 0; i < 4; i++) {
        taken.push(yield* outbox.take)
        yield* settle
      }
      assert.deepStrictEqual(taken, [["0"], ["a"], ["b"], ["c"]])
      assert.isTrue(fibers.every(hasEnded))
    }))

  it.effect("a push MUST be taken even when the buffer is full", () =>
    Effect.gen(function*() {
      const outbox = Outbox.make({ capacity: 1 })
      outbox.push("a")
      outbox.push("b")
      assert.deepStrictEqual(yield* outbox.take, ["a", "b"])
    }))

  it.effect("an interrupted offer MUST NOT be taken", () =>
    Effect.gen(function*() {
      const outbox = Outbox.make({ capacity: 1 })
      outbox.push("a")
      const gone = yield* Effect.forkChild(outbox.offer("gone"))
      const stays = yield* Effect.forkChild(outbox.offer("stays"))
      yield* settle
      yield* Fiber.interrupt(gone)
      assert.deepStrictEqual(yield* outbox.take, ["a"])
      yield* Fiber.join(stays)
      assert.deepStrictEqual(yield* outbox.take, ["stays"])
    }))

  it.effect("room MUST be there below so many times the capacity", () =>
    Effect.gen(function*() {
      const outbox = Outbox.make({ capacity: 2 })
      outbox.push("abc")
      const one = yield* Effect.forkChild(outbox.room())
      yield* outbox.room(2)
      outbox.push("d")
      const two = yield* Effect.forkChild(outbox.room(2))
      yield* settle
      assert.deepStrictEqual([one, two].map(hasEnded), [false, false])
      yield* outbox.take
      yield* Fiber.join(one)
      yield* Fiber.join(two)
    }))
})

describe("the end", () => {
  it.effect("what was taken in before MUST be handed over, then Done", () =>
    Effect.gen(function*() {
      const outbox = Outbox.make()
      outbox.push("a")
      outbox.end(lost)
      outbox.push("too late")
      assert.deepStrictEqual(yield* outbox.take, ["a"])
      assert.isTrue(Cause.isDone(yield* Effect.flip(outbox.take)))
      assert.isTrue(Cause.isDone(yield* Effect.flip(outbox.take)))
    }))

  it.effect("a taker that waits MUST be done", () =>
    Effect.gen(function*() {
      const outbox = Outbox.make()
      const taken = yield* Effect.forkChild(outbox.take)
      yield* settle
      outbox.end(lost)
      assert.isTrue(Cause.isDone(yield* Effect.flip(Fiber.join(taken))))
    }))

  it.effect("waiting and later offers MUST fail with the reason, the first one given", () =>
    Effect.gen(function*() {
      const outbox = Outbox.make({ capacity: 1 })
      outbox.push("a")
      const waiting = yield* Effect.forkChild(outbox.offer("b"))
      const room = yield* Effect.forkChild(outbox.room())
      yield* settle
      outbox.end(lost)
      outbox.end(new TransportError({ reason: "closed", processed: "no", message: "again" }))
      assert.strictEqual(yield* Effect.flip(Fiber.join(waiting)), lost)
      assert.strictEqual(yield* Effect.flip(Fiber.join(room)), lost)
      assert.strictEqual(yield* Effect.flip(outbox.offer("c")), lost)
      assert.strictEqual(yield* Effect.flip(outbox.room()), lost)
      assert.deepStrictEqual(yield* outbox.take, ["a"])
    }))
})
