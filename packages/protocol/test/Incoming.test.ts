import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Peer from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { hasEnded, logs, lost, open, settle } from "./channel.ts"
import { bounded, notification } from "./wire.ts"

class Name extends Context.Service<Name, string>()("test/Name") {}

const request = (id: unknown, method = "m", params?: unknown) => ({ jsonrpc: "2.0", id, method, params })

const cancel = (requestId: unknown, reason?: string) => notification("notifications/cancelled", { requestId, reason })

const echo: Peer.Peer["request"] = ({ id, params }) => Effect.succeed(JsonRpc.success(id, { ...params }))

const handler = (request: Peer.Peer["request"]) => ({ local: { request } })

// Handlers by method: "wait" never ends, "echo" answers at once.
const waitOrEcho: Peer.Peer["request"] = (request, back) =>
  request.method === "wait" ? Effect.never : echo(request, back)

const internal = (id: unknown, message = "Internal error") => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32603, message }
})

describe("a reply", () => {
  it.effect("MUST have the id of its request, whatever the handler wrote", () =>
    Effect.gen(function*() {
      const { receive, sent } = yield* open(handler(() => Effect.succeed(JsonRpc.success("wrong", { a: 1 }))))
      yield* receive(request("right"), request(0))
      assert.deepStrictEqual(yield* sent, [
        { jsonrpc: "2.0", id: "right", result: { a: 1 } },
        { jsonrpc: "2.0", id: 0, result: { a: 1 } }
      ])
    }))

  it.effect("replies of handlers that complete at once MUST be one write", () =>
    Effect.gen(function*() {
      const { duplex, outbox } = yield* open({ ...handler(echo), capacity: 1000 })
      for (const id of [1, 2, 3]) duplex.receive(JSON.stringify(request(id)))
      assert.strictEqual((yield* outbox.take).length, 3)
    }))

  it.effect("a slow handler MUST NOT hold up another", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { receive, sent } = yield* open(
        handler((request, back) =>
          request.method === "slow"
            ? Deferred.await(gate).pipe(Effect.andThen(echo(request, back)))
            : echo(request, back)
        )
      )
      yield* receive(request(1, "slow"), request(2))
      assert.deepStrictEqual((yield* sent).map(({ id }) => id), [2])
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual((yield* sent).map(({ id }) => id), [1])
    }))

  it.effect("a defect MUST be an internal error without its cause, which is logged", () => {
    const { layer, lines } = logs()
    return Effect.gen(function*() {
      const { receive, sent } = yield* open(handler(({ method }) => {
        if (method === "throw") throw new Error("secret")
        return Effect.die(new Error("secret"))
      }))
      yield* receive(request(1, "throw"), request(2, "die"))
      assert.deepStrictEqual(yield* sent, [internal(1), internal(2)])
      assert.strictEqual(lines.length, 2)
      assert.match(lines[1] ?? "", /^Error: The handler of die failed .*secret/s)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a transport error of a proxied request MUST be an error reply that says so", () =>
    Effect.gen(function*() {
      const { receive, sent } = yield* open(handler(() => Effect.fail(lost)))
      yield* receive(request(1))
      assert.deepStrictEqual(yield* sent, [internal(1, "The request could not be passed on: the line was cut")])
    }))

  it.effect("a result that JSON cannot hold MUST be an internal error", () =>
    Effect.gen(function*() {
      const { receive, sent } = yield* open(handler(({ id }) => Effect.succeed(JsonRpc.success(id, { n: 1n }))))
      yield* receive(request(1))
      assert.deepStrictEqual(yield* sent, [internal(1)])
    }))

  it.effect("an interruption that starts inside a handler MUST get an error reply", () =>
    Effect.gen(function*() {
      const interrupted = yield* Effect.forkChild(Effect.never)
      yield* Fiber.interrupt(interrupted)
      const { receive, sent } = yield* open(handler(({ method }) => {
        const joined = method === "join" ? Fiber.join(interrupted) : Effect.interrupt
        return method === "late" ? Effect.andThen(Effect.yieldNow, joined) : joined
      }))
      yield* receive(request(1, "join"), request(2, "interrupt"), request(3, "late"))
      assert.deepStrictEqual(yield* sent, [internal(1), internal(2), internal(3)])
    }))
})

describe("a handler", () => {
  it.effect("MUST have the services of the connection, and not the scope or the span that it was made in", () =>
    Effect.gen(function*() {
      const { receive, sent } = yield* open(handler(({ id }) =>
        Effect.gen(function*() {
          const name = yield* Effect.serviceOption(Name)
          const scope = yield* Effect.serviceOption(Scope.Scope)
          const span = yield* Effect.serviceOption(Tracer.ParentSpan)
          return JsonRpc.success(id, { seen: [name._tag, scope._tag, span._tag] })
        })
      )).pipe(Effect.withSpan("connect"), Effect.provideService(Name, "me"))
      yield* receive(request(1))
      assert.deepStrictEqual((yield* sent).map(({ result }) => result), [{ seen: ["Some", "None", "None"] }])
    }))
})

describe("ids and limits", () => {
  it.effect("a duplicate of an id in flight MUST be refused, and the first goes on", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { receive, sent } = yield* open(
        handler((request, back) => Effect.andThen(Deferred.await(gate), echo(request, back)))
      )
      yield* receive(
        request(1, "m", { first: true }),
        request(1, "m", { first: false }),
        request("1", "m", { other: true })
      )
      const [refused] = yield* sent
      assert.strictEqual(refused?.id, 1)
      assert.deepInclude(refused?.error, { code: -32600 })
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual((yield* sent).map(({ id, result }) => [id, result]), [[1, { first: true }], ["1", {
        other: true
      }]])
    }))

  it.effect("an id MUST be free again after its reply, and after its cancellation", () =>
    Effect.gen(function*() {
      const { receive, sent } = yield* open(handler(waitOrEcho))
      yield* receive(request(1, "echo"), request(1, "wait"), cancel(1), request(1, "echo"))
      assert.deepStrictEqual((yield* sent).map(({ error, id }) => [id, error]), [[1, undefined], [1, undefined]])
    }))

  it.effect("one request more than the limit MUST be refused, until another ends", () => {
    const { layer, lines } = logs()
    return Effect.gen(function*() {
      const { receive, sent } = yield* open(handler(waitOrEcho))
      yield* receive(request(1, "wait"), request(2, "wait"), request(3, "echo"))
      assert.deepStrictEqual(yield* sent, [internal(3, "Too many requests in flight: the limit is 2")])
      assert.deepStrictEqual(lines, ["Warn: Refused echo: 2 requests are in flight"])
      yield* receive(cancel(1), request(4, "echo"))
      assert.deepStrictEqual((yield* sent).map(({ id, result }) => [id, result]), [[4, {}]])
    }).pipe(bounded({ inFlight: 2 }), Effect.provide(layer))
  })
})

const Step = Schema.Struct({
  does: Schema.Literals(["request", "cancel", "complete"]),
  id: Schema.Literals([0, 1, "0"])
})

describe("any sequence of requests, cancellations and completions", () => {
  it.effect.prop(
    "MUST give every request one reply, under its own id, unless it was cancelled",
    [Schema.Array(Step)],
    ([steps]) =>
      Effect.gen(function*() {
        // What is in flight: the number of the request, and how to complete it.
        const running = new Map<JsonRpc.Id, readonly [number, Deferred.Deferred<void>]>()
        let started = 0
        const { receive, sent } = yield* open(handler(({ id }) => {
          const [number, gate] = [started++, Deferred.makeUnsafe<void>()]
          running.set(id, [number, gate])
          return Effect.as(Deferred.await(gate), JsonRpc.success(id, { number }))
        }))
        const expected: Array<Array<unknown>> = []
        for (const { does, id } of steps) {
          const [number, gate] = running.get(id) ?? []
          if (does === "request") {
            if (gate !== undefined) expected.push([id, "refused"])
            yield* receive(request(id))
          } else if (does === "cancel") {
            running.delete(id)
            yield* receive(cancel(id))
          } else if (gate !== undefined) {
            running.delete(id)
            expected.push([id, number])
            yield* Deferred.succeed(gate, undefined)
            yield* settle
          }
        }
        const replies = (yield* sent).map((
          { error, id, result }
        ) => [id, error === undefined ? (result as JsonRpc.Params).number : "refused"])
        assert.deepStrictEqual(replies, expected)
      }).pipe(Effect.scoped)
  )
})

describe("a cancelled request", () => {
  it.effect("MUST be interrupted with the reason, with all its children, and get no reply", () =>
    Effect.gen(function*() {
      const ended: Array<unknown> = []
      const note = (who: string) => <A, E>(exit: Exit.Exit<A, E>) =>
        Effect.sync(() => {
          const reason = Exit.isFailure(exit) ? Peer.cancelReasonOf(exit.cause) : "no failure"
          ended.push([who, reason, Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)])
        })
      const { receive, sent } = yield* open(
        handler(() =>
          Effect.forkChild(Effect.onExit(Effect.never, note("child"))).pipe(
            Effect.andThen(Effect.yieldNow),
            Effect.andThen(Effect.never),
            Effect.onExit(note("handler"))
          )
        )
      )
      yield* receive(request(1))
      yield* receive(cancel(1, "no longer needed"))
      assert.sameDeepMembers(ended.map((row) => (row as ReadonlyArray<unknown>)[0]), ["handler", "child"])
      assert.deepStrictEqual(ended.find((row) => (row as ReadonlyArray<unknown>)[0] === "handler"), [
        "handler",
        "no longer needed",
        true
      ])
      assert.deepStrictEqual(yield* sent, [])
    }))

  it.effect("MUST get no reply even if its handler ends with a result", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { receive, sent } = yield* open(
        handler((request, back) => Effect.uninterruptible(Effect.andThen(Deferred.await(gate), echo(request, back))))
      )
      yield* receive(request(1), cancel(1))
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* sent, [])
    }))

  it.effect("a request under the same id MUST NOT be touched by the end of the one before it", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { receive, sent } = yield* open(handler((request) =>
        request.method === "old"
          ? Effect.ensuring(Effect.never, Deferred.await(gate))
          : Effect.never
      ))
      yield* receive(request(1, "old"), cancel(1), request(1, "new"))
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      yield* receive(request(1, "again"))
      assert.deepStrictEqual((yield* sent).map(({ id }) => id), [1])
    }))

  it.effect("a cancellation of what is not in flight MUST do nothing", () => {
    const { layer, lines } = logs()
    return Effect.gen(function*() {
      const { receive, sent } = yield* open(handler(waitOrEcho))
      yield* receive(request(1, "wait"), cancel(2), cancel("1"), notification("notifications/cancelled", {}))
      yield* receive(notification("notifications/cancelled", { requestId: 1.5 }), request(1, "echo"))
      assert.deepInclude((yield* sent)[0]?.error, { code: -32600 })
      const missing = "Warn: Dropped notifications/cancelled: its \"requestId\" is missing"
      assert.deepStrictEqual(lines, [missing, missing])
    }).pipe(Effect.provide(layer))
  })
})

describe("a cancelled request in its finalizers", () => {
  it.effect("MUST count against the limit, and MUST be waited for by close", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { duplex, receive, sent } = yield* open(
        handler(() => Effect.onInterrupt(Effect.never, () => Deferred.await(gate)))
      )
      yield* receive(request(1), cancel(1), request(2), cancel(2), request(3))
      const refused = "Too many requests in flight: the limit is 2"
      assert.deepStrictEqual(yield* sent, [internal(3, refused)])
      const closing = yield* Effect.forkChild(duplex.close(lost))
      yield* settle
      assert.isFalse(hasEnded(closing))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(closing)
    }).pipe(bounded({ inFlight: 2 })))
})

describe("the end of the connection", () => {
  it.effect("MUST interrupt all handlers without replies, and wait for their finalizers", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const reasons: Array<string | undefined> = []
      const { duplex, receive, sent } = yield* open(handler(() =>
        Effect.onExit(Effect.never, (exit) => {
          reasons.push(Exit.isFailure(exit) ? Peer.cancelReasonOf(exit.cause) : undefined)
          return Deferred.await(gate)
        })
      ))
      yield* receive(request(1), request(2))
      const closing = yield* Effect.forkChild(duplex.close(lost))
      yield* settle
      assert.deepStrictEqual(reasons, [lost.message, lost.message])
      assert.isFalse(hasEnded(closing))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(closing)
      assert.deepStrictEqual(yield* sent, [])
    }))

  it.effect("a request that comes after it MUST NOT be started", () =>
    Effect.gen(function*() {
      let started = 0
      const { duplex, receive, sent } = yield* open(handler(() => {
        started++
        return Effect.never
      }))
      yield* duplex.close(lost)
      yield* receive(request(1))
      assert.deepStrictEqual([started, yield* sent], [0, []])
    }))
})
