import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Peer from "@mcp-effect/protocol/Peer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { hasEnded, logs, lost, open, peer, progressOf, recorder, settle } from "./channel.ts"
import { bounded, call, notification, progress, reply, withToken } from "./wire.ts"

describe("what is tied to a request", () => {
  it.effect("a progress token MUST always be sent, with whatever else is in _meta", () =>
    Effect.gen(function*() {
      const { duplex, sent } = yield* open()
      yield* Effect.forkChild(duplex.request(call(1), Peer.closed))
      yield* Effect.forkChild(duplex.request(call(2, { a: 1, _meta: { b: 2, progressToken: "mine" } }), Peer.closed))
      const [one, two] = yield* sent
      assert.deepStrictEqual(one?.params, { _meta: { progressToken: one?.id } })
      assert.deepStrictEqual(two?.params, { a: 1, _meta: { b: 2, progressToken: two?.id } })
    }))

  it.effect("progress MUST go to `back` with the caller's own token, and not to the connection", () =>
    Effect.gen(function*() {
      const local = recorder()
      const { duplex, receive } = yield* open({ local })
      const back = recorder()
      yield* Effect.forkChild(duplex.request(call(1, withToken("mine")), back))
      yield* settle
      yield* receive(progress(0, 0.5))
      assert.deepStrictEqual(back.got, [
        JsonRpc.notification("notifications/progress", { progressToken: "mine", progress: 0.5 })
      ])
      assert.deepStrictEqual(local.got, [])
    }))

  it.effect("a caller that gave no token MUST get no progress", () =>
    Effect.gen(function*() {
      const local = recorder()
      const { duplex, receive } = yield* open({ local })
      const back = recorder()
      yield* Effect.forkChild(duplex.request(call(1), back))
      yield* settle
      yield* receive(progress(0, 0.5), progress("unknown", 1))
      assert.deepStrictEqual([back.got, local.got], [[], []])
    }))

  it.effect("the result of a subscription MUST say the caller's own id in its `_meta` too", () =>
    Effect.gen(function*() {
      const { duplex, receive } = yield* open()
      const listening = yield* Effect.forkChild(
        duplex.request(JsonRpc.request("sub", "subscriptions/listen"), Peer.closed)
      )
      const bare = yield* Effect.forkChild(duplex.request(JsonRpc.request("bare", "subscriptions/listen"), Peer.closed))
      yield* settle
      const result = (id: unknown) => ({ resultType: "complete", _meta: { kept: true, [Meta.SUBSCRIPTION_ID]: id } })
      yield* receive(reply(0, result(0)))
      yield* receive(reply(1))
      assert.deepStrictEqual(yield* Fiber.join(listening), JsonRpc.success("sub", result("sub")))
      assert.deepStrictEqual(yield* Fiber.join(bare), JsonRpc.success("bare", {}))
    }))

  it.effect("subscription messages MUST go to `back` with the caller's own id", () =>
    Effect.gen(function*() {
      const local = recorder()
      const { duplex, receive } = yield* open({ local })
      const back = recorder()
      yield* Effect.forkChild(duplex.request(JsonRpc.request("sub", "subscriptions/listen"), back))
      yield* settle
      const params = (id: unknown) => ({ uri: "a:b", _meta: { [Meta.SUBSCRIPTION_ID]: id, kept: true } })
      yield* receive(notification("notifications/resources/updated", params(0)))
      yield* receive(notification("notifications/resources/updated", params(99)))
      assert.deepStrictEqual(back.got, [JsonRpc.notification("notifications/resources/updated", params("sub"))])
      assert.deepStrictEqual(local.got, [])
    }))

  it.effect("what is tied to no request MUST go to the connection's own peer", () =>
    Effect.gen(function*() {
      const local = recorder()
      const { duplex, receive } = yield* open({ local })
      const back = recorder()
      yield* Effect.forkChild(duplex.request(call(1, withToken(1)), back))
      yield* settle
      const message = { level: "info", data: "a" }
      yield* receive(notification("notifications/message", message))
      assert.deepStrictEqual(local.got, [JsonRpc.notification("notifications/message", message)])
      assert.deepStrictEqual(back.got, [])
    }))
})

describe("a slow consumer", () => {
  // Holds up its first notification until the gate opens.
  const slow = Effect.map(Deferred.make<void>(), (gate) => {
    const { got, notify } = recorder()
    let first = true
    return {
      got,
      release: Deferred.succeed(gate, undefined),
      ...peer({
        notify: (notification) => {
          const held = first ? Deferred.await(gate) : Effect.void
          first = false
          return Effect.andThen(held, notify(notification))
        }
      })
    }
  })

  it.effect("MUST NOT hold up the reader, and gets the response after what came before it", () =>
    Effect.gen(function*() {
      const { duplex, receive } = yield* open()
      const back = yield* slow
      const held = yield* Effect.forkChild(duplex.request(call(1, withToken("a")), back))
      const other = yield* Effect.forkChild(duplex.request(call(2), Peer.closed))
      yield* settle
      yield* receive(progress(0, 1), progress(0, 2), reply(0), reply(1))
      assert.deepStrictEqual(yield* Fiber.join(other), JsonRpc.success(2, {}))
      assert.deepStrictEqual([hasEnded(held), back.got.length], [false, 0])
      yield* back.release
      assert.deepStrictEqual(yield* Fiber.join(held), JsonRpc.success(1, {}))
      assert.deepStrictEqual(progressOf(back.got), [1, 2])
    }))

  it.effect("past the bound, queued progress MUST collapse to the latest", () =>
    Effect.gen(function*() {
      const { duplex, receive } = yield* open()
      const back = yield* slow
      const fiber = yield* Effect.forkChild(duplex.request(call(1, withToken("a")), back))
      yield* settle
      yield* receive(...[1, 2, 3, 4, 5, 6].map((n) => progress(0, n)), reply(0))
      yield* back.release
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(progressOf(back.got), [1, 2, 6])
    }).pipe(bounded({ mailbox: 2 })))

  it.effect("past the bound, partial content MUST be dropped with a line in the log, and be missed by its index", () => {
    const { layer, lines } = logs()
    return Effect.gen(function*() {
      const { duplex, receive } = yield* open()
      const back = yield* slow
      const fiber = yield* Effect.forkChild(duplex.request(call(1, withToken("a")), back))
      yield* settle
      const part = (index: number) => notification("notifications/tools/progress", { progressToken: 0, index })
      yield* receive(...[0, 1, 2, 3].map(part), progress(0, 4), reply(0))
      yield* back.release
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(back.got.map(({ params }) => params?.index ?? params?.progress), [0, 1, 2, 4])
      assert.deepStrictEqual(lines, [
        "Warn: Dropped notifications/tools/progress: its consumer is 2 messages behind"
      ])
    }).pipe(bounded({ mailbox: 2 }), Effect.provide(layer))
  })

  it.effect("MUST NOT hold up the failure of its request when the connection is lost", () =>
    Effect.gen(function*() {
      const { duplex, receive } = yield* open()
      const back = yield* slow
      const fiber = yield* Effect.forkChild(duplex.request(call(1, withToken("a")), back))
      yield* settle
      yield* receive(progress(0, 1))
      yield* duplex.close(lost)
      assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), lost)
      yield* back.release
    }))

  it.effect("a caller that leaves while its response waits MUST NOT cancel what has ended", () =>
    Effect.gen(function*() {
      const { duplex, receive, sent } = yield* open()
      const back = yield* slow
      const fiber = yield* Effect.forkChild(duplex.request(call(1, withToken("a")), back))
      yield* sent
      yield* receive(progress(0, 1), reply(0))
      assert.isFalse(hasEnded(fiber))
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* sent, [])
      yield* back.release
    }))

  it.effect("of the connection's own peer MUST NOT hold up the reader either", () =>
    Effect.gen(function*() {
      const local = yield* slow
      const { duplex, receive } = yield* open({ local })
      const fiber = yield* Effect.forkChild(duplex.request(call(1), Peer.closed))
      yield* settle
      yield* receive(notification("a", {}), notification("b", {}), reply(0))
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(local.got, [])
      yield* local.release
      yield* settle
      assert.deepStrictEqual(local.got.map(({ method }) => method), ["a", "b"])
    }))

  it.effect("MUST hear nothing more once its request was given up or has failed", () =>
    Effect.gen(function*() {
      const { duplex, receive } = yield* open()
      const got: Array<unknown> = []
      let interrupted = 0
      const back = peer({
        notify: ({ params }) =>
          Effect.onInterrupt(
            Effect.andThen(Effect.sync(() => void got.push(params?.progress)), Effect.never),
            () => Effect.sync(() => interrupted++)
          )
      })
      const given = yield* Effect.forkChild(duplex.request(call(1, withToken("a")), back))
      yield* Effect.forkChild(Effect.ignore(duplex.request(call(2, withToken("b")), back)))
      yield* settle
      yield* receive(progress(0, 1), progress(0, 2), progress(1, 10), progress(1, 20))
      assert.deepStrictEqual(got, [1, 10])
      yield* Fiber.interrupt(given)
      assert.strictEqual(interrupted, 1)
      yield* duplex.close(lost)
      yield* settle
      assert.deepStrictEqual([got, interrupted], [[1, 10], 2])
    }))
})
