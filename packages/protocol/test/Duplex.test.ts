import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Peer from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { hasEnded, logs, lost, open, recorder, settle } from "./channel.ts"
import { bounded, call, notification, reply } from "./wire.ts"

const base = { jsonrpc: "2.0" }

const excerpt = (json: unknown) => JSON.stringify(JSON.stringify(json))

describe("what is no message", () => {
  it.effect("MUST be answered by a server, under its id if it has one", () => {
    const { layer, lines } = logs()
    return Effect.gen(function*() {
      const { duplex, receive, sent } = yield* open()
      duplex.receive("{")
      yield* receive(1, { ...base, id: "a", method: 1 }, { ...base, id: 1, method: "m", params: [] })
      const answers = (yield* sent).map(({ error, id }) => [id, (error as JsonRpc.ErrorObject).code])
      assert.deepStrictEqual(answers, [[undefined, -32700], [undefined, -32600], ["a", -32600], [1, -32602]])
      assert.strictEqual(lines.length, 4)
      assert.strictEqual(
        lines[0],
        `Warn: Not a message. Parse error: the text is not valid JSON: ${JSON.stringify("{")}`
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("MUST only be logged by a client", () => {
    const { layer, lines } = logs()
    return Effect.gen(function*() {
      const { duplex, receive, sent } = yield* open({ answerInvalid: false })
      duplex.receive("Listening on port 3000")
      yield* receive({ ...base, id: 1, method: 1 }, [])
      assert.deepStrictEqual(yield* sent, [])
      assert.strictEqual(lines.length, 3)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a response that is malformed, or to what was never sent, MUST be logged, and never answered", () => {
    const { layer, lines } = logs()
    return Effect.gen(function*() {
      const { receive, sent } = yield* open()
      const error = { code: -1, message: "no" }
      yield* receive(reply(99), { ...base, id: "a", error }, { ...base, error }, reply(99, "no object"), reply(null))
      assert.deepStrictEqual(yield* sent, [])
      assert.deepStrictEqual(lines, [
        "Warn: Dropped a response to 99, which was never sent: a result",
        "Warn: Dropped a response to a, which was never sent: -1 no",
        "Warn: Dropped a response to a message without id, which was never sent: -1 no",
        `Warn: Dropped a response. Invalid response: "result" must be an object: ${excerpt(reply(99, "no object"))}`,
        `Warn: Dropped a response. Invalid response: "id" must be a string or an integer: ${excerpt(reply(null))}`
      ])
    }).pipe(Effect.provide(layer))
  })
})

describe("a message that was too large to read", () => {
  it.effect("MUST fail the request that it answers", () =>
    Effect.gen(function*() {
      const { duplex, sent } = yield* open()
      const fiber = yield* Effect.forkChild(duplex.request(call(), Peer.closed))
      yield* sent
      duplex.tooLarge({ id: 0, kind: "response" }, 1000)
      const error = yield* Effect.flip(Fiber.join(fiber))
      assert.deepStrictEqual([error.reason, error.processed], ["too large", "unknown"])
      assert.include(error.message, "1000 bytes")
      assert.deepStrictEqual(yield* sent, [])
    }))

  it.effect("MUST NOT settle a request of ours if it is one of theirs, and MUST then be answered by either side", () =>
    Effect.gen(function*() {
      const { duplex, sent } = yield* open({ answerInvalid: false })
      const fiber = yield* Effect.forkChild(duplex.request(call(), Peer.closed))
      yield* sent
      duplex.tooLarge({ id: 0, kind: "request" }, 1000)
      const error = { code: -32600, message: "The message is larger than 1000 bytes" }
      assert.deepStrictEqual(yield* sent, [{ ...base, id: 0, error }])
      assert.strictEqual(fiber.pollUnsafe(), undefined)
    }))

  it.effect("MUST NOT be answered if it is a response", () =>
    Effect.gen(function*() {
      const { duplex, sent } = yield* open()
      duplex.tooLarge({ id: 7, kind: "response" }, 1000)
      assert.deepStrictEqual(yield* sent, [])
    }))

  it.effect("MUST be answered by a server otherwise, and logged by both", () => {
    const { layer, lines } = logs()
    return Effect.gen(function*() {
      const server = yield* open()
      const client = yield* open({ answerInvalid: false })
      for (const { duplex } of [server, client]) {
        duplex.tooLarge({ id: "a", kind: "unknown" }, 1000)
        duplex.tooLarge({ id: undefined, kind: "unknown" }, 1000)
      }
      const error = { code: -32600, message: "The message is larger than 1000 bytes" }
      assert.deepStrictEqual(yield* server.sent, [{ ...base, id: "a", error }, { ...base, error }])
      assert.deepStrictEqual(yield* client.sent, [])
      assert.strictEqual(lines.length, 4)
    }).pipe(Effect.provide(layer))
  })
})

describe("a batch", () => {
  const request = (id: unknown, method = "echo") => ({ ...base, id, method })
  const gated = Effect.map(Deferred.make<void>(), (gate) => ({
    release: Deferred.succeed(gate, undefined),
    local: {
      request: ({ id, method }: JsonRpc.Request) =>
        Effect.as(method === "wait" ? Deferred.await(gate) : Effect.void, JsonRpc.success(id, {}))
    }
  }))

  it.effect("MUST be answered as one array, when the last reply is there", () =>
    Effect.gen(function*() {
      const { local, release } = yield* gated
      const { receive, sent } = yield* open({ local, batches: true })
      yield* receive([request(1, "wait"), request(2), 3, { ...base, method: "n" }])
      assert.deepStrictEqual(yield* sent, [])
      yield* release
      const [array, ...more] = yield* sent
      assert.deepStrictEqual(more, [])
      const replies = array as unknown as ReadonlyArray<Record<string, unknown>>
      assert.sameDeepMembers([...replies], [
        { ...base, id: 2, result: {} },
        { ...base, error: { code: -32600, message: "Invalid request: a message must be a JSON object" } },
        { ...base, id: 1, result: {} }
      ])
    }))

  it.effect("MUST omit members that were abandoned", () =>
    Effect.gen(function*() {
      const { local } = yield* gated
      const { receive, sent } = yield* open({ local, batches: true })
      yield* receive([request(1, "wait"), request(2)])
      yield* receive(notification("notifications/cancelled", { requestId: 1 }))
      assert.deepStrictEqual(yield* sent, [[reply(2)]] as unknown as Array<Record<string, unknown>>)
    }))

  it.effect("MUST NOT be answered where no member has a reply", () =>
    Effect.gen(function*() {
      const { local } = yield* gated
      const got = recorder()
      const { receive, sent } = yield* open({ local: { ...local, notify: got.notify }, batches: true })
      yield* receive([{ ...base, method: "n" }, reply(99), { ...base, id: 99, result: 1 }])
      yield* receive([request(1, "wait")], notification("notifications/cancelled", { requestId: 1 }))
      assert.deepStrictEqual(yield* sent, [])
      assert.deepStrictEqual(got.got.map(({ method }) => method), ["n"])
    }))

  it.effect("MUST settle the requests that its responses answer", () =>
    Effect.gen(function*() {
      const { duplex, receive } = yield* open({ batches: true })
      const fibers = yield* Effect.forEach([1, 2], (id) => Effect.forkChild(duplex.request(call(id), Peer.closed)))
      yield* settle
      yield* receive([reply(1), reply(0)])
      assert.deepStrictEqual(yield* Fiber.joinAll(fibers), [JsonRpc.success(1, {}), JsonRpc.success(2, {})])
    }))

  it.effect("larger than the limit MUST be refused as a whole", () =>
    Effect.gen(function*() {
      const { local } = yield* gated
      const { receive, sent } = yield* open({ local, batches: true })
      yield* receive([request(1), request(2), request(3)], [request(4), request(5)])
      const [refused, replies] = yield* sent
      assert.deepStrictEqual(refused, {
        ...base,
        error: { code: -32600, message: "Invalid request: a batch may hold 2 messages" }
      })
      assert.strictEqual((replies as unknown as ReadonlyArray<unknown>).length, 2)
    }).pipe(bounded({ batch: 2 })))

  it.effect("MUST be refused while the revision in use has none", () =>
    Effect.gen(function*() {
      const { local } = yield* gated
      const { receive, sent } = yield* open({ local })
      yield* receive([request(1)])
      assert.deepStrictEqual((yield* sent).map(({ error, id }) => [id, (error as JsonRpc.ErrorObject).code]), [
        [undefined, -32600]
      ])
    }))
})

describe("notifying", () => {
  it.effect("MUST refuse parameters that JSON cannot hold", () =>
    Effect.gen(function*() {
      const { duplex, sent } = yield* open()
      const error = yield* Effect.flip(duplex.notify(JsonRpc.notification("n", { large: 1n })))
      assert.deepStrictEqual([error.reason, error.processed], ["refused", "no"])
      assert.deepStrictEqual(yield* sent, [])
    }))

  it.effect("MUST suspend while the buffer is full, and complete once it was taken", () =>
    Effect.gen(function*() {
      const { duplex, read, sent } = yield* open({ capacity: 1 })
      yield* duplex.notify(JsonRpc.notification("a"))
      const waiting = yield* Effect.forkChild(duplex.notify(JsonRpc.notification("b")))
      yield* settle
      assert.isFalse(hasEnded(waiting))
      yield* read
      yield* Fiber.join(waiting)
      yield* read
      assert.deepStrictEqual((yield* sent).map(({ method }) => method), ["a", "b"])
    }))

  it.effect("MUST fail once the connection has ended", () =>
    Effect.gen(function*() {
      const { duplex } = yield* open()
      yield* duplex.close(lost)
      assert.strictEqual(yield* Effect.flip(duplex.notify(JsonRpc.notification("a"))), lost)
    }))
})

describe("a cancellation from the receiver", () => {
  it.effect("MUST end a subscription, and nothing else", () =>
    Effect.gen(function*() {
      const { duplex, receive, sent } = yield* open()
      const listen = JsonRpc.request(1, "subscriptions/listen")
      const subscription = yield* Effect.forkChild(duplex.request(listen, Peer.closed))
      const other = yield* Effect.forkChild(duplex.request(call(2), Peer.closed))
      yield* sent
      yield* receive(
        notification("notifications/cancelled", { requestId: 0, reason: "shutting down" }),
        notification("notifications/cancelled", { requestId: 1 })
      )
      const error = yield* Effect.flip(Fiber.join(subscription))
      assert.strictEqual(error.reason, "closed")
      assert.include(error.message, "shutting down")
      assert.isFalse(hasEnded(other))
      assert.deepStrictEqual(yield* sent, [])
    }))
})

describe("closing", () => {
  it.effect("MUST fail requests in flight at once, whatever the handlers' finalizers do", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const local = { request: () => Effect.ensuring(Effect.never, Deferred.await(gate)) }
      const { duplex, outbox, receive } = yield* open({ local, capacity: 1000 })
      const fiber = yield* Effect.forkChild(duplex.request(call(), Peer.closed))
      yield* receive({ ...base, id: 1, method: "m" })
      const closing = yield* Effect.forkChild(duplex.close(lost))
      assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), lost)
      assert.strictEqual(yield* duplex.closed, lost)
      assert.isFalse(hasEnded(closing))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(closing)
      assert.strictEqual((yield* outbox.take).length, 1)
      assert.isTrue(Cause.isDone(yield* Effect.flip(outbox.take)))
    }))

  it.effect("`closed` MUST wait for the end, and keep the first reason", () =>
    Effect.gen(function*() {
      const { duplex } = yield* open()
      const closed = yield* Effect.forkChild(duplex.closed)
      yield* settle
      assert.isFalse(hasEnded(closed))
      yield* duplex.close(lost)
      yield* duplex.close(new Peer.TransportError({ reason: "refused", processed: "no", message: "again" }))
      assert.strictEqual(yield* Fiber.join(closed), lost)
    }))

  it.effect("the scope of the connection MUST close it", () =>
    Effect.gen(function*() {
      let interrupted = false
      const local = {
        request: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (interrupted = true)))
      }
      const { duplex } = yield* Effect.scoped(
        Effect.tap(open({ local }), ({ receive }) => receive({ ...base, id: 1, method: "m" }))
      )
      assert.isTrue(interrupted)
      assert.strictEqual((yield* duplex.closed).reason, "closed")
    }))
})
