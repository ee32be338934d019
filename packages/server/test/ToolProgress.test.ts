import { assert, describe, it } from "@effect/vitest"
import * as Duplex from "@mcp-effect/protocol/Duplex"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Outbox from "@mcp-effect/protocol/Outbox"
import { TransportError } from "@mcp-effect/protocol/Peer"
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { type Client, meta, recorder, serve, speak, texts } from "./client.ts"

const Work = Tool.make("work", {})

const working = (body: Effect.Effect<unknown>) => McpServer.tool(Work, () => Effect.as(body, "done"))

const reporting = (...steps: ReadonlyArray<Progress.Progress>) => working(Effect.forEach(steps, Progress.report))

const reported = (client: Client) => client.tied.map(({ params }) => params?.progress)

const token = { progressToken: 7 }

describe("progress", () => {
  it.effect("MUST carry the token of its request, and what the handler reports", () =>
    Effect.gen(function*() {
      const tools = reporting({ progress: 1 }, { progress: 2, total: 3 }, { progress: 3, message: "m" })
      const client = yield* speak(yield* serve(tools), "2025-11-25")
      yield* client.call("work", {}, token)
      assert.deepStrictEqual(client.tied, [
        JsonRpc.notification("notifications/progress", { progressToken: 7, progress: 1 }),
        JsonRpc.notification("notifications/progress", { progressToken: 7, progress: 2, total: 3 }),
        JsonRpc.notification("notifications/progress", { progressToken: 7, progress: 3, message: "m" })
      ])
      assert.deepStrictEqual(client.heard, [])
    }))

  it.effect("MUST NOT have a message in 2024-11-05", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(reporting({ progress: 1, total: 2, message: "m" })), "2024-11-05")
      yield* client.call("work", {}, token)
      assert.deepStrictEqual(client.tied.map(({ params }) => params), [{ progressToken: 7, progress: 1, total: 2 }])
    }))

  it.effect("MUST increase strictly; what does not, and what is no finite number, is dropped", () =>
    Effect.gen(function*() {
      const steps = [-5, -5, 0, Number.NaN, 0, 1, 0.5, 1, Number.POSITIVE_INFINITY, 1.25, Number.NEGATIVE_INFINITY, 2]
      const client = yield* speak(yield* serve(reporting(...steps.map((progress) => ({ progress })))), "2026-07-28")
      yield* client.call("work", {}, token)
      assert.deepStrictEqual(reported(client), [-5, 0, 1, 1.25, 2])
    }))

  it.effect("of a stream MUST obey the same rules", () =>
    Effect.gen(function*() {
      const steps = [1, Number.NaN, 1, 3, 2]
      const tools = McpServer.tool(
        Work,
        () => Stream.fromIterable(steps.map((progress) => Tool.progress({ progress })))
      )
      const client = yield* speak(yield* serve(tools), "2026-07-28")
      yield* client.call("work", {}, token)
      assert.deepStrictEqual(reported(client), [1, 3])
    }))

  it.effect("of a stream and of Progress.report inside it MUST be one sequence", () =>
    Effect.gen(function*() {
      const tools = McpServer.tool(Work, () =>
        Stream.fromEffect(Effect.as(Progress.report({ progress: 2 }), Tool.progress({ progress: 1 }))).pipe(
          Stream.concat(Stream.succeed(Tool.progress({ progress: 3 })))
        ))
      const client = yield* speak(yield* serve(tools), "2026-07-28")
      yield* client.call("work", {}, token)
      assert.deepStrictEqual(reported(client), [2, 3])
    }))

  it.effect.each([undefined, {}, { progressToken: null }, { progressToken: 1.5 }, { progressToken: {} }])(
    "MUST NOT be sent without a token: _meta is %j",
    (_meta) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(reporting({ progress: 1 })), "2025-11-25")
        assert.deepStrictEqual(texts(yield* client.call("work", {}, _meta)), ["done"])
        assert.deepStrictEqual([client.tied, client.heard], [[], []])
      })
  )

  it.effect.each([0, "", "text", -1])("MUST be sent for the token %j", (progressToken) =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(reporting({ progress: 1 })), "2025-11-25")
      yield* client.call("work", {}, { progressToken })
      assert.deepStrictEqual(client.tied.map(({ params }) => params?.progressToken), [progressToken])
    }))

  it.effect("MUST reach the caller from a child fiber, and from a child's child", () =>
    Effect.gen(function*() {
      const child = Effect.flatMap(Effect.forkChild(Progress.report({ progress: 1 })), Fiber.join)
      const tools = working(Effect.flatMap(Effect.forkChild(child), Fiber.join))
      const client = yield* speak(yield* serve(tools), "2025-11-25")
      yield* client.call("work", {}, token)
      assert.deepStrictEqual(reported(client), [1])
    }))

  it.effect.each([
    { how: "succeeds", end: Effect.void },
    { how: "fails", end: Effect.die("x") }
  ])(
    "MUST NOT be sent after the result of a call that $how, by whatever outlives it",
    ({ end }) =>
      Effect.gen(function*() {
        const ended = yield* Deferred.make<void>()
        const late = yield* Deferred.make<void>()
        const outliving = Effect.gen(function*() {
          yield* Progress.report({ progress: 1 })
          yield* Deferred.await(ended)
          yield* Progress.report({ progress: 2 })
          yield* Deferred.succeed(late, undefined)
        })
        const tools = working(Effect.andThen(Effect.forkDetach(outliving, { startImmediately: true }), end))
        const client = yield* speak(yield* serve(tools), "2025-11-25")
        yield* client.call("work", {}, token)
        yield* Deferred.succeed(ended, undefined)
        yield* Deferred.await(late)
        assert.deepStrictEqual(reported(client), [1])
      })
  )

  it.effect("MUST do nothing outside of a call", () => Progress.report({ progress: 1 }))

  it.effect("MUST NOT fail the call when it cannot be delivered", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(reporting({ progress: 1 })), "2025-11-25")
      const lost = new TransportError({ reason: "closed", processed: "unknown", message: "lost" })
      const response = yield* client.connection.request(
        JsonRpc.request(1, "tools/call", { name: "work", _meta: token }),
        { ...recorder([]), notify: () => Effect.fail(lost) }
      )
      assert.ok(response._tag === "Success" && response.result.isError === undefined)
    }))

  it.effect("MUST make the handler wait while the way back is full", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const passed = yield* Deferred.make<void>()
      const tools = working(Effect.andThen(Progress.report({ progress: 1 }), Deferred.succeed(passed, undefined)))
      const client = yield* speak(yield* serve(tools), "2026-07-28")
      const call = yield* Effect.forkChild(
        client.connection.request(
          JsonRpc.request(1, "tools/call", { name: "work", _meta: { ...meta(), ...token } }),
          { ...recorder([]), notify: () => Deferred.await(gate) }
        ),
        { startImmediately: true }
      )
      yield* Effect.repeat(Effect.yieldNow, { times: 10 })
      assert.deepStrictEqual([call.pollUnsafe(), Deferred.isDoneUnsafe(passed)], [undefined, false])
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(call))._tag, "Success")
    }))
})

describe("progress that has to wait for a slow client", () => {
  it.effect("MUST be dropped once the result is there", () =>
    Effect.gen(function*() {
      const late = McpServer.tool(Work, () =>
        Effect.gen(function*() {
          yield* Progress.report({ progress: 1 })
          // Waits for room, beyond the end of the call.
          yield* Effect.forkDetach(Progress.report({ progress: 2 }), { startImmediately: true })
          return "done"
        }))
      const server = yield* serve(late)
      const outbox = Outbox.make({ capacity: 1 })
      const duplex = yield* Duplex.make({ outbox, local: server.connect, answerInvalid: true })
      const params = { name: "work", _meta: { ...meta(), progressToken: 1 } }
      duplex.receive(JsonRpc.encode(JsonRpc.request(1, "tools/call", params)))
      const tags = Effect.map(outbox.take, (texts) => texts.map((text) => JsonRpc.decode(text)._tag))
      assert.deepStrictEqual(yield* tags, ["Notification", "Success"])
      yield* Effect.repeat(Effect.yieldNow, { times: 5 })
      duplex.receive(JsonRpc.encode(JsonRpc.request(2, "tools/list", params)))
      assert.deepStrictEqual(yield* tags, ["Success"])
    }))
})
