/** How long a request waits, and what the server is told when it does not any longer. */
import { assert, describe, it } from "@effect/vitest"
import * as Peer from "@mcp-effect/protocol/Peer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { logged } from "./log.ts"
import { begin, ready, type Server, settle, stateless } from "./wire.ts"

const advance = (millis: number) => Effect.andThen(TestClock.adjust(millis), settle)

describe("a request without a reply", () => {
  it.effect("MUST time out after 60 seconds, and be cancelled with the reason", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const call = yield* Effect.forkChild(Effect.flip(mcp.callTool("t")))
      const sent = yield* server.expect("tools/call")
      yield* advance(59_999)
      assert.strictEqual(call.pollUnsafe(), undefined)
      yield* advance(1)
      const error = yield* Fiber.join(call)
      assert.ok(error._tag === "RequestTimeout")
      assert.deepStrictEqual([error.method, error.millis, error.kind], ["tools/call", 60_000, "timeout"])
      const cancelled = yield* server.expect("notifications/cancelled")
      assert.deepStrictEqual(cancelled.params, { requestId: sent.id, reason: "No reply in time (timeout)" })
    }))

  it.effect("MUST time out as the client was told, or the request itself", () =>
    Effect.gen(function*() {
      const { mcp } = yield* ready({ timeout: "2 seconds" })
      const usual = yield* Effect.forkChild(Effect.flip(mcp.callTool("t")))
      const quick = yield* Effect.forkChild(Effect.flip(mcp.callTool("t", {}, { timeout: "500 millis" })))
      const patient = yield* Effect.forkChild(Effect.flip(mcp.callTool("t", {}, { timeout: "3 seconds" })))
      yield* settle
      const ended = () => [quick, usual, patient].map((fiber) => fiber.pollUnsafe() !== undefined)
      yield* advance(499)
      assert.deepStrictEqual(ended(), [false, false, false])
      yield* advance(1)
      assert.deepStrictEqual(ended(), [true, false, false])
      yield* advance(1499)
      assert.deepStrictEqual(ended(), [true, false, false])
      yield* advance(1)
      assert.deepStrictEqual(ended(), [true, true, false])
      yield* advance(1000)
      assert.deepStrictEqual(ended(), [true, true, true])
    }))

  it.effect("MUST wait anew from each progress, of any kind, but not beyond the maximum", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const call = yield* Effect.forkChild(
        Effect.flip(mcp.callTool("t", {}, { timeout: "2 seconds", maxTimeout: "5 seconds" }))
      )
      const sent = yield* server.expect("tools/call")
      for (const progress of [1, 2, 3]) {
        yield* advance(1500)
        assert.strictEqual(call.pollUnsafe(), undefined)
        yield* server.progress(sent, progress)
      }
      yield* advance(499)
      assert.strictEqual(call.pollUnsafe(), undefined)
      yield* advance(1)
      const error = yield* Fiber.join(call)
      assert.ok(error._tag === "RequestTimeout" && error.kind === "maximum" && error.millis === 5000)
    }))

  it.effect("MUST time out when progress stops", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const call = yield* Effect.forkChild(Effect.flip(mcp.callTool("t", {}, { timeout: "2 seconds" })))
      const sent = yield* server.expect("tools/call")
      yield* advance(1000)
      yield* server.progress(sent, 1)
      yield* advance(1999)
      assert.strictEqual(call.pollUnsafe(), undefined)
      yield* advance(1)
      const error = yield* Fiber.join(call)
      assert.ok(error._tag === "RequestTimeout" && error.kind === "timeout" && error.millis === 2000)
    }))

  it.effect("MUST NOT be held to its timeout while its own consumer is busy, but to its maximum; then it waits anew", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const gate = yield* Deferred.make<void>()
      const onProgress = () => Deferred.await(gate)
      const options = { timeout: "2 seconds", onProgress } as const
      const patient = yield* Effect.forkChild(Effect.flip(mcp.callTool("t", {}, options)))
      const first = yield* server.expect("tools/call")
      const bounded = yield* Effect.forkChild(
        Effect.flip(mcp.callTool("t", {}, { ...options, maxTimeout: "5 seconds" }))
      )
      const second = yield* server.expect("tools/call")
      yield* server.progress(first, 1)
      yield* server.progress(second, 1)
      yield* advance(5000)
      const error = yield* Fiber.join(bounded)
      assert.ok(error._tag === "RequestTimeout" && error.kind === "maximum")
      yield* advance(5000)
      assert.strictEqual(patient.pollUnsafe(), undefined)
      yield* Deferred.succeed(gate, undefined)
      yield* advance(1999)
      assert.strictEqual(patient.pollUnsafe(), undefined)
      yield* advance(1)
      assert.strictEqual((yield* Fiber.join(patient))._tag, "RequestTimeout")
    }))

  it.effect("MUST NOT be kept alive by the progress of another", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready({ timeout: "2 seconds" })
      const one = yield* Effect.forkChild(Effect.flip(mcp.callTool("one")))
      yield* server.expect("tools/call")
      const two = yield* Effect.forkChild(Effect.flip(mcp.callTool("two")))
      const other = yield* server.expect("tools/call")
      yield* advance(1500)
      yield* server.progress(other, 1)
      yield* advance(500)
      assert.deepStrictEqual([one, two].map((fiber) => fiber.pollUnsafe() !== undefined), [true, false])
    }))

  it.effect("MAY wait forever", () =>
    Effect.gen(function*() {
      const { mcp } = yield* ready()
      const call = yield* Effect.forkChild(mcp.callTool("t", {}, { timeout: "Infinity", maxTimeout: "Infinity" }))
      yield* settle
      yield* advance(1000 * 60 * 60 * 24 * 365)
      assert.strictEqual(call.pollUnsafe(), undefined)
    }))

  it.effect("that was answered MUST NOT time out, and its deadline is nobody else's", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready({ timeout: "2 seconds" })
      const first = yield* Effect.forkChild(mcp.callTool("t"))
      yield* server.reply(yield* server.expect("tools/call"), { content: [] })
      yield* Fiber.join(first)
      yield* advance(1900)
      const second = yield* Effect.forkChild(mcp.callTool("t"))
      const sent = yield* server.expect("tools/call")
      yield* advance(1900)
      yield* server.reply(sent, { content: [] })
      assert.deepStrictEqual(yield* Fiber.join(second), { content: [] })
      yield* advance(10_000)
      assert.notInclude(server.received.map(({ method }) => method), "notifications/cancelled")
    }))
})

describe("a reply that comes too late", () => {
  it.effect("MUST be ignored, without a warning, and harm nobody", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { mcp, server } = yield* ready({ timeout: "2 seconds" })
        const call = yield* Effect.forkChild(Effect.flip(mcp.callTool("slow")))
        const slow = yield* server.expect("tools/call")
        yield* advance(2000)
        assert.strictEqual((yield* Fiber.join(call))._tag, "RequestTimeout")
        yield* server.expect("notifications/cancelled")
        yield* server.progress(slow, 1)
        yield* server.reply(slow, { content: [{ type: "text", text: "late" }] })
        const next = yield* Effect.forkChild(mcp.callTool("next"))
        yield* server.reply(yield* server.expect("tools/call"), { content: [{ type: "text", text: "next" }] })
        assert.deepStrictEqual((yield* Fiber.join(next)).content, [{ type: "text", text: "next" }])
        assert.deepStrictEqual(lines.filter((line) => /^(Warn|Error)/.test(line)), [])
      })
    ))
})

describe("a caller that is interrupted", () => {
  it.effect("MUST have its request cancelled with its reason, and end without waiting for the server", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const call = yield* Effect.forkChild(mcp.callTool("t"))
      const sent = yield* server.expect("tools/call")
      yield* Fiber.interruptAs(call, undefined, Peer.cancelReason("The user pressed stop"))
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(call)))
      const cancelled = yield* server.expect("notifications/cancelled")
      assert.deepStrictEqual(cancelled.params, { requestId: sent.id, reason: "The user pressed stop" })
    }))

  it.effect("without a reason MUST have it cancelled without one", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const call = yield* Effect.forkChild(mcp.callTool("t"))
      const sent = yield* server.expect("tools/call")
      yield* Fiber.interrupt(call)
      assert.deepStrictEqual((yield* server.expect("notifications/cancelled")).params, { requestId: sent.id })
    }))

  it.effect("by a race or a timeout of its own MUST have it cancelled too", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const call = yield* Effect.forkChild(Effect.timeoutOption(mcp.callTool("t"), "1 second"))
      const sent = yield* server.expect("tools/call")
      yield* advance(1000)
      assert.strictEqual((yield* Fiber.join(call))._tag, "None")
      assert.strictEqual((yield* server.expect("notifications/cancelled")).params?.requestId, sent.id)
    }))

  it.effect("while it waits for the handshake MUST leave nothing behind", () =>
    Effect.gen(function*() {
      const playing = yield* Deferred.make<Server>()
      const mcp = yield* begin((server) => Deferred.succeed(playing, server))
      const server = yield* Deferred.await(playing)
      const call = yield* Effect.forkChild(mcp.callTool("t"))
      yield* settle
      yield* Fiber.interrupt(call)
      yield* stateless(server, 0)
      yield* Effect.forkChild(mcp.callTool("other"))
      assert.strictEqual((yield* server.expect("tools/call")).params?.name, "other")
    }))
})

describe("a timeout that is no time", () => {
  it.effect.each([0, -1, Number.NEGATIVE_INFINITY, Number.NaN])(
    "MUST end its request at once, and no other: %s",
    (timeout) =>
      Effect.gen(function*() {
        const { mcp } = yield* ready()
        const none = yield* Effect.forkChild(Effect.flip(mcp.callTool("t", {}, { timeout })))
        const usual = yield* Effect.forkChild(Effect.flip(mcp.callTool("t", {}, { timeout: 100 })))
        yield* settle
        yield* advance(0)
        assert.strictEqual((yield* Fiber.join(none))._tag, "RequestTimeout")
        assert.strictEqual(usual.pollUnsafe(), undefined)
        yield* advance(100)
        assert.strictEqual((yield* Fiber.join(usual))._tag, "RequestTimeout")
      })
  )
})
