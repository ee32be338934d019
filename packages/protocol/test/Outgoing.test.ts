import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Peer from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import * as Schema from "effect/Schema"
import { hasEnded, logs, lost, open, peer, progressOf, recorder, settle } from "./channel.ts"
import { bounded, call, notification, progress, reply, withToken } from "./wire.ts"

describe("a request", () => {
  it.effect("MUST end with its response, under the caller's own id", () =>
    Effect.gen(function*() {
      const { duplex, receive, sent } = yield* open()
      const fiber = yield* Effect.forkChild(duplex.request(call("mine", { name: "a" }), Peer.closed))
      const [wire] = yield* sent
      assert.strictEqual(wire?.method, "tools/call")
      assert.notStrictEqual(wire?.id, "mine")
      yield* receive(reply(wire?.id, { a: 1 }))
      assert.deepStrictEqual(yield* Fiber.join(fiber), JsonRpc.success("mine", { a: 1 }))
    }))

  it.effect("an error reply MUST be a response, not a failure", () =>
    Effect.gen(function*() {
      const { duplex, receive } = yield* open()
      const fiber = yield* Effect.forkChild(duplex.request(call(), Peer.closed))
      const error = { code: -32603, message: "no" }
      yield* settle
      yield* receive({ jsonrpc: "2.0", id: 0, error })
      assert.deepStrictEqual(yield* Fiber.join(fiber), JsonRpc.failure("mine", error))
    }))

  it.effect("responses MUST reach their own requests, in any order", () =>
    Effect.gen(function*() {
      const { duplex, receive, sent } = yield* open()
      const fibers = yield* Effect.forEach([1, 2, 3], (n) =>
        Effect.forkChild(duplex.request(call(n, { n }), Peer.closed)))
      const wires = yield* sent
      assert.strictEqual(
        new Set(wires.map((wire) =>
          wire.id
        )).size,
        3
      )
      for (const wire of wires.toReversed()) yield* receive(reply(wire.id, { n: (wire.params as JsonRpc.Params).n }))
      assert.deepStrictEqual(yield* Fiber.joinAll(fibers), [1, 2, 3].map((n) => JsonRpc.success(n, { n })))
    }))

  it.effect("two callers with equal ids and tokens MUST NOT cross", () =>
    Effect.gen(function*() {
      const { duplex, receive, sent } = yield* open()
      const [one, two] = [recorder(), recorder()]
      const params = withToken("token")
      const first = yield* Effect.forkChild(duplex.request(call(1, params), one))
      const second = yield* Effect.forkChild(duplex.request(call(1, params), two))
      const [a, b] = yield* sent
      yield* receive(progress(Meta.progressToken(a?.params as JsonRpc.Params), 1))
      yield* receive(progress(Meta.progressToken(b?.params as JsonRpc.Params), 2))
      yield* receive(reply(b?.id, { of: "second" }), reply(a?.id, { of: "first" }))
      assert.deepStrictEqual(yield* Fiber.join(first), JsonRpc.success(1, { of: "first" }))
      assert.deepStrictEqual(yield* Fiber.join(second), JsonRpc.success(1, { of: "second" }))
      assert.deepStrictEqual([one.got, two.got].map(progressOf), [[1], [2]])
    }))

  it.effect.prop(
    "whatever the order of the responses, each caller MUST get its own",
    [Schema.Array(Schema.Int)],
    ([order]) =>
      Effect.gen(function*() {
        const { duplex, receive, sent } = yield* open()
        const callers = order.map((n) => duplex.request(call("same", { n }), Peer.closed))
        const fibers = yield* Effect.forEach(callers, (caller) => Effect.forkChild(caller))
        const wires = yield* sent
        const shuffled = wires.map((wire, i) => ({ wire, key: order[i] })).toSorted((a, b) => a.key! - b.key!)
        yield* receive(...shuffled.map(({ wire }) => reply(wire.id, { n: (wire.params as JsonRpc.Params).n })))
        const expected = order.map((n) => JsonRpc.success("same", { n: n + 0 }))
        assert.deepStrictEqual(yield* Fiber.joinAll(fibers), expected)
      }).pipe(Effect.scoped)
  )

  it.effect("params that JSON cannot hold MUST refuse the request, which never left", () =>
    Effect.gen(function*() {
      const { duplex, sent } = yield* open()
      const cycle: Record<string, unknown> = {}
      cycle.self = cycle
      for (const params of [{ n: 1n }, cycle]) {
        const error = yield* Effect.flip(duplex.request(call("a", params), Peer.closed))
        assert.deepStrictEqual([error.reason, error.processed], ["refused", "no"])
        assert.include(error.message, "tools/call")
      }
      assert.deepStrictEqual(yield* sent, [])
    }))

  it.effect("a consumer that dies MUST NOT harm its request", () =>
    Effect.gen(function*() {
      const { duplex, receive } = yield* open()
      const back = peer({
        notify: () => {
          throw new Error("no")
        }
      })
      const fiber = yield* Effect.forkChild(duplex.request(call(1, withToken(1)), back))
      yield* settle
      yield* receive(progress(0, 1), progress(0, 2), reply(0))
      assert.deepStrictEqual(yield* Fiber.join(fiber), JsonRpc.success(1, {}))
    }))

  it.effect("a malformed response MUST fail its own request only, as malformed", () =>
    Effect.gen(function*() {
      const { duplex, receive, sent } = yield* open()
      const bad = yield* Effect.forkChild(duplex.request(call(1), Peer.closed))
      const good = yield* Effect.forkChild(duplex.request(call(2), Peer.closed))
      yield* sent
      yield* receive(reply(0, "no object"))
      const error = yield* Effect.flip(Fiber.join(bad))
      assert.deepStrictEqual([error.reason, error.processed], ["malformed", "unknown"])
      yield* receive(reply(1))
      assert.deepStrictEqual(yield* Fiber.join(good), JsonRpc.success(2, {}))
      assert.deepStrictEqual(yield* sent, [])
    }))

  it.effect("an error without an id MUST answer the only request in flight, and none of several", () =>
    Effect.gen(function*() {
      const { duplex, receive } = yield* open()
      const error = { code: -32700, message: "Parse error" }
      const one = yield* Effect.forkChild(duplex.request(call(1), Peer.closed))
      const two = yield* Effect.forkChild(duplex.request(call(2), Peer.closed))
      yield* settle
      yield* receive({ jsonrpc: "2.0", id: null, error })
      assert.deepStrictEqual([one, two].map(hasEnded), [false, false])
      yield* receive(reply(0))
      yield* receive({ jsonrpc: "2.0", error })
      assert.deepStrictEqual(yield* Fiber.join(two), JsonRpc.failure(2, error))
    }))
})

describe("the limit of requests in flight", () => {
  const start = (duplex: Peer.Peer, id: JsonRpc.Id, params?: JsonRpc.Params) =>
    Effect.forkChild(duplex.request(call(id, params), Peer.closed))

  it.effect("one more MUST wait, in order, and be sent when another ends in whatever way", () =>
    Effect.gen(function*() {
      const { duplex, receive, sent } = yield* open()
      const [one, two, ...waiting] = yield* Effect.forEach([1, 2, 3, 4, 5], (id) => start(duplex, id, { id }))
      const ids = Effect.map(
        sent,
        (wires) => wires.map(({ method, params }) => method === "tools/call" ? (params as JsonRpc.Params).id : method)
      )
      assert.deepStrictEqual(yield* ids, [1, 2])
      yield* receive(reply(0))
      yield* Fiber.join(one!)
      assert.deepStrictEqual(yield* ids, [3])
      yield* Fiber.interrupt(two!)
      assert.deepStrictEqual(yield* ids, ["notifications/cancelled", 4])
      yield* receive(reply(2, "malformed"))
      assert.deepStrictEqual(yield* ids, [5])
      yield* receive(reply(3), reply(4))
      assert.isTrue(waiting.every(hasEnded))
    }).pipe(bounded({ inFlight: 2 })))

  it.effect("one that leaves while it waits MUST send nothing, and not keep the next from its turn", () =>
    Effect.gen(function*() {
      const { duplex, receive, sent } = yield* open()
      yield* start(duplex, 1)
      const gone = yield* start(duplex, 2)
      const next = yield* start(duplex, 3)
      yield* sent
      yield* Fiber.interrupt(gone)
      assert.deepStrictEqual(yield* sent, [])
      yield* receive(reply(0))
      assert.strictEqual((yield* sent).length, 1)
      yield* receive(reply(1, { a: 1 }))
      assert.deepStrictEqual(yield* Fiber.join(next), JsonRpc.success(3, { a: 1 }))
    }).pipe(bounded({ inFlight: 1 })))

  it.effect("one that turns out not to be JSON MUST NOT keep the next from its turn", () =>
    Effect.gen(function*() {
      const { duplex, receive, sent } = yield* open()
      yield* start(duplex, 1)
      const bad = yield* start(duplex, 2, { n: 1n })
      yield* start(duplex, 3)
      yield* sent
      yield* receive(reply(0))
      assert.strictEqual((yield* Effect.flip(Fiber.join(bad))).reason, "refused")
      assert.strictEqual((yield* sent).length, 1)
    }).pipe(bounded({ inFlight: 1 })))

  it.effect("the end of the connection MUST fail those that wait, as not processed", () =>
    Effect.gen(function*() {
      const { duplex } = yield* open()
      yield* start(duplex, 1)
      const waiting = yield* start(duplex, 2)
      yield* settle
      yield* duplex.close(lost)
      const error = yield* Effect.flip(Fiber.join(waiting))
      assert.deepStrictEqual([error.reason, error.processed], ["closed", "no"])
    }).pipe(bounded({ inFlight: 1 })))
})

describe("interrupting a request", () => {
  it.effect("at any of its steps, MUST cancel it exactly if it was sent, and MUST leave nothing behind", () =>
    Effect.gen(function*() {
      const outcomes = new Set<number>()
      for (
        const [ops, steps] of [3, 4, 5].flatMap((ops) =>
          Array.from({ length: 30 }, (_, steps) => [ops, steps] as const)
        )
      ) {
        const { duplex, sent } = yield* open()
        const request = duplex.request(call(1), Peer.closed)
        // Yields after every few operations, so that there is a gap wherever one can be.
        const fiber = yield* Effect.forkChild(Effect.provideService(request, Scheduler.MaxOpsBeforeYield, ops))
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        const methods = (yield* sent).map((message) => message?.method)
        assert.deepStrictEqual(methods, methods.length === 0 ? [] : ["tools/call", "notifications/cancelled"])
        outcomes.add(methods.length)
        yield* Effect.forkChild(duplex.request(call(2), Peer.closed))
        assert.strictEqual((yield* sent).length, 1, `after ${steps} steps of ${ops} a slot is lost`)
      }
      assert.deepStrictEqual([...outcomes], [0, 2])
    }).pipe(bounded({ inFlight: 1 })))

  it.effect("MUST cancel it by the id on the wire, with the reason, and return at once", () =>
    Effect.gen(function*() {
      const { duplex, sent } = yield* open()
      const fiber = yield* Effect.forkChild(duplex.request(call(), Peer.closed))
      const [wire] = yield* sent
      yield* Fiber.interruptAs(fiber, undefined, Peer.cancelReason("no longer needed"))
      assert.deepStrictEqual(yield* sent, [
        notification("notifications/cancelled", { requestId: wire?.id, reason: "no longer needed" })
      ])
    }))

  it.effect("without a reason, MUST say none", () =>
    Effect.gen(function*() {
      const { duplex, sent } = yield* open()
      const fiber = yield* Effect.forkChild(duplex.request(call(), Peer.closed))
      yield* sent
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* sent, [notification("notifications/cancelled", { requestId: 0 })])
    }))

  it.effect("MUST NOT cancel the handshake", () =>
    Effect.gen(function*() {
      const { duplex, sent } = yield* open()
      const fiber = yield* Effect.forkChild(duplex.request(JsonRpc.request(1, "initialize"), Peer.closed))
      assert.strictEqual((yield* sent).length, 1)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* sent, [])
    }))

  it.effect("MUST send nothing at all if the request has not left yet", () =>
    Effect.gen(function*() {
      const { duplex, outbox, read, sent } = yield* open({ capacity: 1 })
      outbox.push("{}")
      const fiber = yield* Effect.forkChild(duplex.request(call(), Peer.closed))
      yield* settle
      yield* Fiber.interrupt(fiber)
      yield* read
      outbox.push(`{"last":true}`)
      yield* read
      assert.deepStrictEqual(yield* sent, [{}, { last: true }])
    }))

  it.effect("a response or progress that comes after MUST be dropped without a warning", () => {
    const { layer, lines } = logs()
    return Effect.gen(function*() {
      const { duplex, receive } = yield* open()
      const back = recorder()
      const fiber = yield* Effect.forkChild(duplex.request(call(1, withToken(1)), back))
      yield* settle
      yield* Fiber.interrupt(fiber)
      yield* receive(progress(0, 1), reply(0))
      assert.deepStrictEqual(back.got, [])
      assert.deepStrictEqual(lines, [])
    }).pipe(Effect.provide(layer))
  })
})

describe("the end of the connection", () => {
  it.effect("MUST fail what is in flight as possibly processed, and what comes later as not", () =>
    Effect.gen(function*() {
      const { duplex } = yield* open()
      const fibers = yield* Effect.forEach([1, 2], (n) => Effect.forkChild(duplex.request(call(n), Peer.closed)))
      yield* settle
      yield* duplex.close(lost)
      for (const fiber of fibers) assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), lost)
      const late = yield* Effect.flip(duplex.request(call(3), Peer.closed))
      assert.deepStrictEqual([late.reason, late.processed, late.message], ["closed", "no", lost.message])
    }))

  it.effect("MUST fail a request that still waits for room, as not processed", () =>
    Effect.gen(function*() {
      const { duplex, outbox } = yield* open({ capacity: 1 })
      outbox.push("full")
      const fiber = yield* Effect.forkChild(duplex.request(call(), Peer.closed))
      yield* settle
      assert.isFalse(hasEnded(fiber))
      yield* duplex.close(lost)
      const error = yield* Effect.flip(Fiber.join(fiber))
      assert.deepStrictEqual([error.reason, error.processed], ["closed", "no"])
    }))
})
