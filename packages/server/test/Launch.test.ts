import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@mcp-effect/server/McpServer"
import { Transports } from "@mcp-effect/server/Transports"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"

/** A transport that ends when it is told to, and notes when its layer is closed. */
const transport = (name: string, events: Array<string>) => {
  const end = Deferred.makeUnsafe<void>()
  return {
    end: Deferred.succeed(end, undefined),
    layer: Layer.effectDiscard(Effect.gen(function*() {
      const { started } = yield* Transports
      const ended = started()
      yield* Effect.addFinalizer(() => Effect.sync(() => events.push(`${name} closed`)))
      yield* Effect.forkScoped(Effect.map(Deferred.await(end), () => {
        events.push(`${name} ended`)
        ended()
        // Ending twice is ending once.
        ended()
      }))
    }))
  }
}

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("McpServer.launch", () => {
  it.effect("MUST end when its transport has ended, and not before, and close its layer", () =>
    Effect.gen(function*() {
      const events: Array<string> = []
      const one = transport("one", events)
      const running = yield* Effect.forkChild(McpServer.launch(one.layer))
      yield* settle
      assert.strictEqual(running.pollUnsafe(), undefined)
      yield* one.end
      yield* Fiber.join(running)
      assert.deepStrictEqual(events, ["one ended", "one closed"])
    }))

  it.effect("MUST NOT end while one of its transports is open", () =>
    Effect.gen(function*() {
      const events: Array<string> = []
      const one = transport("one", events)
      const two = transport("two", events)
      const running = yield* Effect.forkChild(McpServer.launch(Layer.merge(one.layer, two.layer)))
      yield* settle
      yield* two.end
      yield* settle
      assert.strictEqual(running.pollUnsafe(), undefined)
      assert.deepStrictEqual(events, ["two ended"])
      yield* one.end
      yield* Fiber.join(running)
      assert.deepStrictEqual(events.slice(0, 2), ["two ended", "one ended"])
      assert.sameMembers(events.slice(2), ["one closed", "two closed"])
    }))

  it.effect("MUST wait for a transport that is built after another has ended", () =>
    Effect.gen(function*() {
      const events: Array<string> = []
      const one = transport("one", events)
      const two = transport("two", events)
      const gate = yield* Deferred.make<void>()
      const late = Layer.unwrap(Effect.as(Deferred.await(gate), two.layer))
      const running = yield* Effect.forkChild(McpServer.launch(Layer.merge(one.layer, late)))
      yield* one.end
      yield* settle
      assert.deepStrictEqual([events, running.pollUnsafe()], [["one ended"], undefined])
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.strictEqual(running.pollUnsafe(), undefined)
      yield* two.end
      yield* Fiber.join(running)
    }))

  it.effect("MUST end when every transport has ended before the layer was built", () =>
    Effect.gen(function*() {
      const events: Array<string> = []
      const one = transport("one", events)
      yield* one.end
      yield* McpServer.launch(one.layer)
      assert.deepStrictEqual(events, ["one ended", "one closed"])
    }))

  it.effect("MUST NOT end by itself with a transport that never does, nor without any", () =>
    Effect.gen(function*() {
      const never = transport("never", [])
      const running = yield* Effect.forkChild(McpServer.launch(never.layer))
      const empty = yield* Effect.forkChild(McpServer.launch(Layer.empty))
      yield* settle
      assert.deepStrictEqual([running.pollUnsafe(), empty.pollUnsafe()], [undefined, undefined])
    }))

  it.effect("MUST fail when its layer fails, and close what was built of it", () =>
    Effect.gen(function*() {
      const events: Array<string> = []
      const one = transport("one", events)
      const failing = Layer.provideMerge(Layer.effectDiscard(Effect.fail("no port")), one.layer)
      assert.strictEqual(yield* Effect.flip(McpServer.launch(failing)), "no port")
      assert.deepStrictEqual(events, ["one closed"])
    }))

  it.effect("MUST close its transports when it is interrupted", () =>
    Effect.gen(function*() {
      const events: Array<string> = []
      const running = yield* Effect.forkChild(McpServer.launch(transport("one", events).layer))
      yield* settle
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual(events, ["one closed"])
    }))
})
