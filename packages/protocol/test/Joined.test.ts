import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Peer from "@mcp-effect/protocol/Peer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { join, lost, progressOf, recorder, settle } from "./channel.ts"
import { call, withToken } from "./wire.ts"

describe("two ends", () => {
  it.effect("a message MUST pass the codec, and what is no JSON does not", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { client } = yield* join({
        server: () => ({
          request: ({ id, params }) => {
            seen.push(params)
            return Effect.succeed(JsonRpc.success(id, {}))
          }
        })
      })
      const params = { date: undefined, f: () => 1, kept: 1, _meta: {} }
      assert.deepStrictEqual(yield* client.request(call("a", params), Peer.closed), JsonRpc.success("a", {}))
      assert.deepStrictEqual(seen, [{ kept: 1, _meta: { progressToken: 0 } }])
    }))

  it.effect("a caller that leaves MUST NOT wait for the handler's finalizers", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const events: Array<unknown> = []
      const { client, said } = yield* join({
        server: () => ({
          request: () =>
            Effect.onExit(Effect.never, (exit) => {
              events.push(["interrupted", exit._tag === "Failure" ? Peer.cancelReasonOf(exit.cause) : undefined])
              return Effect.andThen(Deferred.await(gate), Effect.sync(() => events.push("finalized")))
            })
        })
      })
      const fiber = yield* Effect.forkChild(client.request(call(), Peer.closed))
      yield* settle
      yield* Fiber.interruptAs(fiber, undefined, Peer.cancelReason("no longer needed"))
      yield* settle
      assert.deepStrictEqual(events, [["interrupted", "no longer needed"]])
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.deepStrictEqual(events.slice(1), ["finalized"])
      assert.deepStrictEqual(said.server, [])
    }))

  it.effect("a handler MUST reach back: by progress on the request, and by a request of its own", () =>
    Effect.gen(function*() {
      const { client } = yield* join({
        client: { request: ({ id, params }) => Effect.succeed(JsonRpc.success(id, { answer: params?.question })) },
        server: (remote) => ({
          request: Effect.fnUntraced(function*({ id, params }, back) {
            assert.strictEqual(back.request, remote.request)
            const { progressToken } = (params?._meta ?? {}) as JsonRpc.Params
            yield* back.notify(JsonRpc.notification("notifications/progress", { progressToken, progress: 1 }))
            const answer = yield* back.request(JsonRpc.request(id, "roots/list", { question: "where" }), Peer.closed)
            return JsonRpc.success(id, answer._tag === "Success" ? answer.result : {})
          })
        })
      })
      const back = recorder()
      const response = yield* client.request(call("a", withToken("t")), back)
      assert.deepStrictEqual(response, JsonRpc.success("a", { answer: "where" }))
      assert.deepStrictEqual(progressOf(back.got), [1])
    }))

  it.effect("a proxy MUST be a peer around a peer: ids, tokens and reasons travel hop by hop", () =>
    Effect.gen(function*() {
      const reasons: Array<unknown> = []
      const far = yield* join({
        server: () => ({
          request: ({ id, method, params }, back) => {
            const { progressToken } = (params?._meta ?? {}) as JsonRpc.Params
            const report = back.notify(JsonRpc.notification("notifications/progress", { progressToken, progress: 1 }))
            return method === "wait"
              ? Effect.onExit(
                Effect.never,
                (exit) => Effect.sync(() => reasons.push(exit._tag === "Failure" && Peer.cancelReasonOf(exit.cause)))
              )
              : Effect.as(report, JsonRpc.success(id, { id }))
          }
        })
      })
      // Takes up an id on the far hop, so that the ids of the two hops differ.
      yield* far.client.request(call(), Peer.closed)
      const near = yield* join({ server: () => far.client })
      const back = recorder()
      const response = yield* near.client.request(call("mine", withToken("token")), back)
      assert.deepStrictEqual(response, JsonRpc.success("mine", { id: 1 }))
      assert.deepStrictEqual(back.got.map(({ params }) => params), [{ progressToken: "token", progress: 1 }])
      const fiber = yield* Effect.forkChild(near.client.request(JsonRpc.request(1, "wait"), back))
      yield* settle
      yield* Fiber.interruptAs(fiber, undefined, Peer.cancelReason("enough"))
      yield* settle
      assert.deepStrictEqual(reasons, ["enough"])
    }))

  it.effect("the end of one MUST be the end of the other", () =>
    Effect.gen(function*() {
      const { client, server } = yield* join({ server: () => ({ request: () => Effect.never }) })
      const fiber = yield* Effect.forkChild(client.request(call(), Peer.closed))
      yield* settle
      yield* server.close(lost)
      const error = yield* Effect.flip(Fiber.join(fiber))
      assert.deepStrictEqual([error.reason, error.processed], ["closed", "unknown"])
      assert.strictEqual(yield* server.closed, lost)
      assert.strictEqual((yield* client.closed).message, "The other side has closed")
    }))
})
