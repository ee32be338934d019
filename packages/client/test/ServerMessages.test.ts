/** What a server sends of itself, and what becomes of it. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { logged } from "./log.ts"
import { begin, ready, type Server, settle, stateful } from "./wire.ts"

describe("a request of the server", () => {
  it.effect.each([1, "one", 0])("MUST be answered if it is a ping, with its id %j", (id) =>
    Effect.gen(function*() {
      const { server } = yield* ready({}, stateful("2025-11-25"))
      yield* server.request(id, "ping")
      assert.deepStrictEqual(yield* server.answer, { jsonrpc: "2.0", id, result: {} } as never)
    }))

  it.effect("MUST be answered before the session is ready, if it is a ping", () =>
    Effect.gen(function*() {
      const playing = yield* Deferred.make<Server>()
      const mcp = yield* begin((server) => Deferred.succeed(playing, server))
      const server = yield* Deferred.await(playing)
      yield* server.expect("server/discover")
      yield* server.request(1, "ping")
      assert.deepStrictEqual((yield* server.answer).result, {})
      assert.strictEqual((yield* mcp.session.state)._tag, "initializing")
    }))

  it.effect.each(["sampling/createMessage", "roots/list", "elicitation/create", "nothing/at-all"])(
    "MUST be refused with -32601: %s",
    (method) =>
      Effect.gen(function*() {
        const { server } = yield* ready({}, stateful("2025-11-25"))
        yield* server.request("r", method, {})
        const { error, id } = yield* server.answer
        assert.deepStrictEqual([id, error?.code], ["r", JsonRpc.METHOD_NOT_FOUND])
        assert.include(error?.message, method)
      })
  )
})

describe("notifications", () => {
  it.effect("MUST be what the server sends that belongs to no request, to each subscriber", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const listen = mcp.notifications.pipe(
        Stream.take(2),
        Stream.runCollect,
        Effect.forkChild({ startImmediately: true })
      )
      const one = yield* listen
      const two = yield* listen
      const call = yield* Effect.forkChild(mcp.callTool("t"))
      const sent = yield* server.expect("tools/call")
      yield* server.notify("notifications/message", { level: "info", data: "a" })
      yield* server.progress(sent, 1)
      yield* server.notify("notifications/unheard-of")
      yield* server.reply(sent, { content: [] })
      yield* Fiber.join(call)
      const expected = [
        JsonRpc.notification("notifications/message", { level: "info", data: "a" }),
        JsonRpc.notification("notifications/unheard-of")
      ]
      assert.deepStrictEqual(yield* Fiber.join(one), expected)
      assert.deepStrictEqual(yield* Fiber.join(two), expected)
    }))

  it.effect("MUST be the last 256 for a subscriber that is slow", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const gate = yield* Deferred.make<void>()
      const seen: Array<unknown> = []
      const listening = yield* mcp.notifications.pipe(
        Stream.rechunk(1),
        Stream.takeUntil(({ params }) => params?.n === 1000),
        Stream.runForEach(({ params }) =>
          Effect.andThen(Deferred.await(gate), Effect.sync(() => seen.push(params?.n)))
        ),
        Effect.forkChild({ startImmediately: true })
      )
      for (let n = 0; n <= 1000; n++) yield* server.notify("notifications/message", { n })
      yield* settle
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(listening)
      assert.strictEqual(seen.at(-1), 1000)
      assert.isAtLeast(seen.length, 256)
      assert.isBelow(seen.length, 600)
      assert.deepStrictEqual(seen.slice(-256), Array.from({ length: 256 }, (_, index) => 745 + index))
    }))
})

describe("onProgress", () => {
  it.effect("MUST be given each report of its request, with what is there of it", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const seen: Array<unknown> = []
      const onProgress = (progress: unknown) => Effect.sync(() => void seen.push(progress))
      const call = yield* Effect.forkChild(mcp.callTool("t", {}, { onProgress }))
      const sent = yield* server.expect("tools/call")
      yield* server.progress(sent, 1)
      yield* server.progress(sent, 2, { total: 3, message: "m", more: 1 })
      yield* server.progress(sent, 3, { total: "3", message: 7 })
      yield* server.reply(sent, { content: [] })
      yield* Fiber.join(call)
      assert.deepStrictEqual(seen, [{ progress: 1 }, { progress: 2, total: 3, message: "m" }, { progress: 3 }])
    }))

  it.effect("MUST be given them whatever token the caller has put into the request's meta", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const seen: Array<number> = []
      const call = yield* Effect.forkChild(
        mcp.callTool("t", {}, {
          meta: { progressToken: null },
          onProgress: ({ progress }) => Effect.sync(() => seen.push(progress))
        })
      )
      const sent = yield* server.expect("tools/call")
      yield* server.progress(sent, 1)
      yield* server.reply(sent, { content: [] })
      yield* Fiber.join(call)
      assert.deepStrictEqual(seen, [1])
    }))

  it.effect("MUST NOT be given what reports no number, which is logged", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { mcp, server } = yield* ready()
        const seen: Array<unknown> = []
        const call = yield* Effect.forkChild(
          mcp.callTool("t", {}, { onProgress: (progress) => Effect.sync(() => seen.push(progress)) })
        )
        const sent = yield* server.expect("tools/call")
        yield* server.progress(sent, Number.NaN)
        yield* server.reply(sent, { content: [] })
        yield* Fiber.join(call)
        assert.deepStrictEqual(seen, [])
        assert.match(lines.join("\n"), /Warn Dropped a progress notification/)
      })
    ))

  it.effect("MAY be slow: other requests go on, reports collapse to the latest, and the result waits for it", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const gate = yield* Deferred.make<void>()
      const seen: Array<number> = []
      const call = yield* Effect.forkChild(
        mcp.callTool("slow", {}, {
          onProgress: ({ progress }) => Effect.andThen(Deferred.await(gate), Effect.sync(() => seen.push(progress)))
        })
      )
      const sent = yield* server.expect("tools/call")
      for (let progress = 1; progress <= 1000; progress++) yield* server.progress(sent, progress)
      yield* server.reply(sent, { content: [] })
      const other = yield* Effect.forkChild(mcp.callTool("other"))
      yield* server.reply(yield* server.expect("tools/call"), { content: [] })
      yield* Fiber.join(other)
      assert.strictEqual(call.pollUnsafe(), undefined)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(call)
      assert.strictEqual(seen[0], 1)
      assert.strictEqual(seen.at(-1), 1000)
      assert.isBelow(seen.length, 300)
    }))
})
