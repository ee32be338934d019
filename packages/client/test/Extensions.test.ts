import { assert, describe, it } from "@effect/vitest"
import type { ClientExtension } from "@mcp-effect/client/Extension"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { logged } from "./log.ts"
import { begin, ready, settle, stateful, stateless, text } from "./wire.ts"

const id = "com.example/tasks"

/** Polls until there is a result. */
const tasks: ClientExtension = {
  id,
  settings: { depth: 2 },
  resultTypes: {
    task: ({ pollIntervalMs, taskId }, { request }) => {
      const poll: Effect.Effect<JsonRpc.Params, McpError.McpError> = Effect.flatMap(
        request("tasks/get", { taskId }),
        (task) =>
          task.status === "working"
            ? Effect.andThen(Effect.sleep(Number(pollIntervalMs)), poll)
            : Effect.succeed(task.result as JsonRpc.Params)
      )
      return Effect.onInterrupt(poll, () => Effect.ignore(request("tasks/cancel", { taskId })))
    }
  }
}

const task = { resultType: "task", taskId: "t", pollIntervalMs: 1000 }

describe("the settings of an extension", () => {
  const own = { extensions: { "com.example/own": { a: 1 } }, experimental: { more: {} }, roots: {} }
  const all = { "com.example/own": { a: 1 }, [StreamingTools.ID]: {}, [id]: { depth: 2 } }

  it.effect("MUST be in `extensions` of every stateless request, beside the client's own", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready({ extensions: [tasks], capabilities: own })
      yield* Effect.forkChild(mcp.callTool("t"))
      const sent = [server.received[0], yield* server.expect("tools/call")]
      for (const message of sent) {
        assert.deepStrictEqual(Meta.of(message?.params)?.[Meta.CLIENT_CAPABILITIES], { ...own, extensions: all })
      }
    }))

  it.effect("MUST be in `extensions` and `experimental` of initialize", () =>
    Effect.gen(function*() {
      const { server } = yield* ready(
        { extensions: [tasks], capabilities: own, revisions: ["2025-11-25"] },
        stateful("2025-11-25")
      )
      assert.deepStrictEqual(server.received[0]?.params?.capabilities, {
        roots: {},
        extensions: all,
        experimental: { more: {}, ...all }
      })
    }))

  const nothing = () => Effect.succeed({})
  const wrong: ReadonlyArray<readonly [what: string, extensions: ReadonlyArray<ClientExtension>, names: string]> = [
    ["an ill-formed id", [{ id: "tasks" }], "\"tasks\""],
    ["an id twice", [tasks, { id }], id],
    ["the id of streaming tools", [{ id: StreamingTools.ID }], StreamingTools.ID],
    ["a result type twice", [tasks, { id: "a/b", resultTypes: { task: nothing } }], "\"task\""],
    ["the result type complete", [{ id, resultTypes: { complete: nothing } }], "\"complete\""],
    ["the result type input_required", [{ id, resultTypes: { input_required: nothing } }], "\"input_required\""],
    [
      "a request of the protocol",
      [{ id, requests: { "sampling/createMessage": nothing } }],
      "\"sampling/createMessage\""
    ],
    [
      "a notification of the protocol",
      [{ id, notifications: { "notifications/progress": () => Effect.void } }],
      "\"notifications/progress\""
    ]
  ]
  it.effect.each(wrong)(
    "MUST NOT be taken with %s, which a TypeError names",
    ([, extensions, names]) =>
      Effect.gen(function*() {
        const exit = yield* Effect.exit(begin(stateless, { extensions }))
        const error = exit._tag === "Failure" ? Cause.squash(exit.cause) : undefined
        assert.instanceOf(error, TypeError)
        assert.include(String(error), names)
      })
  )
})

describe("a result of a type that an extension knows", () => {
  const call = Effect.gen(function*() {
    const { mcp, server } = yield* ready({
      extensions: [tasks],
      timeout: "5 seconds",
      maxTimeout: "10 seconds",
      reconnect: false
    })
    const call = yield* Effect.forkChild(mcp.callTool("t", { a: 1 }))
    yield* server.reply(yield* server.expect("tools/call"), task)
    return { call, server }
  })

  it.effect("MUST be what the extension makes of it, after as many requests as it takes", () =>
    Effect.gen(function*() {
      const { call: calling, server } = yield* call
      // Longer than the call itself may take.
      for (let round = 0; round < 20; round++) {
        const poll = yield* server.expect("tasks/get")
        assert.strictEqual(poll.params?.taskId, "t")
        assert.property(Meta.of(poll.params), Meta.CLIENT_CAPABILITIES)
        yield* server.reply(poll, { resultType: "complete", status: "working" })
        yield* settle
        yield* TestClock.adjust("1 second")
      }
      const result = { content: [text("done")] }
      yield* server.reply(yield* server.expect("tasks/get"), { status: "completed", result })
      assert.deepStrictEqual((yield* Fiber.join(calling)).content, result.content)
    }))

  it.effect("MUST fail as its requests do", () =>
    Effect.gen(function*() {
      const { call: calling, server } = yield* call
      yield* server.fail(yield* server.expect("tasks/get"), { code: -32602, message: "no such task" })
      assert.strictEqual((yield* Effect.flip(Fiber.join(calling)))._tag, "InvalidParams")
    }))

  it.effect("MUST time out where a request of its own does", () =>
    Effect.gen(function*() {
      const { call: calling, server } = yield* call
      yield* server.expect("tasks/get")
      yield* TestClock.adjust("5 seconds")
      const error = yield* Effect.flip(Fiber.join(calling))
      assert.deepInclude({ ...error }, { _tag: "RequestTimeout", method: "tasks/get" })
    }))

  it.effect("MUST be interrupted with its request, and may tell the server", () =>
    Effect.gen(function*() {
      const { call: calling, server } = yield* call
      const poll = yield* server.expect("tasks/get")
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(calling))
      assert.strictEqual((yield* server.expect("notifications/cancelled")).params?.requestId, poll.id)
      const cancel = yield* server.expect("tasks/cancel")
      assert.strictEqual(cancel.params?.taskId, "t")
      yield* server.reply(cancel, {})
      yield* Fiber.join(interrupting)
    }))

  it.effect("MUST fail where the connection is lost", () =>
    Effect.gen(function*() {
      const { call: calling, server } = yield* call
      yield* server.expect("tasks/get")
      yield* server.close("gone")
      assert.strictEqual((yield* Effect.flip(Fiber.join(calling)))._tag, "ConnectionClosed")
    }))

  it.effect("MUST be known to any request, in a stateful revision too, with what it answers", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const thing: ClientExtension = {
        id,
        resultTypes: {
          thing: (result, { method, params }) =>
            Effect.sync(() => {
              seen.push(result.n, method, params?.a)
              return { made: true }
            })
        }
      }
      const { mcp, server } = yield* ready({ extensions: [thing] }, stateful("2025-11-25"))
      const request = yield* Effect.forkChild(mcp.request("example/thing", { a: 1 }))
      yield* server.reply(yield* server.expect("example/thing"), { resultType: "thing", n: 7 })
      assert.deepStrictEqual([yield* Fiber.join(request), seen], [{ made: true }, [7, "example/thing", 1]])
    }))

  it.effect("MUST NOT be made into one that is not complete either", () =>
    Effect.gen(function*() {
      const thing: ClientExtension = { id, resultTypes: { thing: (result) => Effect.succeed(result) } }
      const { mcp, server } = yield* ready({ extensions: [thing] })
      const request = yield* Effect.forkChild(Effect.flip(mcp.request("example/thing")))
      yield* server.reply(yield* server.expect("example/thing"), { resultType: "thing" })
      const error = yield* Fiber.join(request)
      assert.deepStrictEqual([error._tag, /"thing"/.test(error.message)], ["InvalidResult", true])
    }))

  it.effect.each(["other", "constructor", "", null, 7])(
    "MUST be an InvalidResult where nobody knows it: %j",
    (resultType) =>
      Effect.gen(function*() {
        const { mcp, server } = yield* ready({ extensions: [tasks] })
        const request = yield* Effect.forkChild(Effect.flip(mcp.request("example/thing")))
        yield* server.reply(yield* server.expect("example/thing"), { resultType })
        assert.strictEqual((yield* Fiber.join(request))._tag, "InvalidResult")
      })
  )

  it.effect("MUST be complete where there is none", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready({ extensions: [tasks] })
      const request = yield* Effect.forkChild(mcp.request("example/thing"))
      yield* server.reply(yield* server.expect("example/thing"), { n: 1 })
      assert.deepStrictEqual(yield* Fiber.join(request), { n: 1 })
    }))
})

describe("a notification of an extension", () => {
  const method = "notifications/tasks"

  it.effect("MUST be handled, tied to a request or not, and go to all that listen to notifications", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const told: ClientExtension = {
        id,
        notifications: { [method]: ({ n }) => Effect.sync(() => void seen.push(n)) }
      }
      const { mcp, server } = yield* ready({ extensions: [told] })
      const listening = yield* mcp.notifications.pipe(
        Stream.take(1),
        Stream.runCollect,
        Effect.forkChild({ startImmediately: true })
      )
      yield* server.notify(method, { n: 1 })
      yield* server.notify("notifications/other", { n: 2 })
      const call = yield* Effect.forkChild(mcp.callTool("t"))
      const sent = yield* server.expect("tools/call")
      yield* server.notify(method, { n: 3, progressToken: Meta.progressToken(sent.params) })
      yield* server.reply(sent, { content: [] })
      yield* Fiber.join(call)
      assert.deepStrictEqual(seen, [1, 3])
      assert.deepStrictEqual(yield* Fiber.join(listening), [JsonRpc.notification(method, { n: 1 })])
    }))

  it.effect("whose handler fails MUST be logged, and hurt nobody", () =>
    logged((lines) =>
      Effect.gen(function*() {
        let calls = 0
        const broken: ClientExtension = {
          id,
          notifications: {
            [method]: () => {
              calls++
              throw new Error("broken")
            }
          }
        }
        const { mcp, server } = yield* ready({ extensions: [broken] })
        yield* server.notify(method)
        yield* server.notify(method)
        yield* settle
        assert.strictEqual(calls, 2)
        assert.match(lines.join("\n"), /Error The handler of notifications\/tasks failed .*broken/)
        assert.strictEqual((yield* mcp.session.state)._tag, "ready")
      })
    ))

  it.effect("whose handler is slow MUST NOT hold up replies", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const slow: ClientExtension = { id, notifications: { [method]: () => Deferred.await(gate) } }
      const { mcp, server } = yield* ready({ extensions: [slow] })
      yield* server.notify(method)
      const call = yield* Effect.forkChild(mcp.callTool("t"))
      yield* server.reply(yield* server.expect("tools/call"), { content: [] })
      yield* Fiber.join(call)
    }))
})

describe("a request of an extension", () => {
  const asked = (handler: NonNullable<ClientExtension["requests"]>[string]) =>
    Effect.gen(function*() {
      const { server } = yield* ready(
        { extensions: [{ id, requests: { "example/ask": handler } }] },
        stateful("2025-11-25")
      )
      yield* server.request("r", "example/ask", { n: 20 })
      return yield* server.answer
    })

  it.effect("MUST be answered with what its handler yields", () =>
    Effect.gen(function*() {
      const { id, result } = yield* asked(({ n }) => Effect.succeed({ n: Number(n) + 1 }))
      assert.deepStrictEqual([id, result], ["r", { n: 21 }])
    }))

  it.effect("MUST be answered with the error of the protocol that it fails with", () =>
    Effect.gen(function*() {
      const { error } = yield* asked(() => Effect.fail(new McpError.RemoteError({ code: 9, message: "no", data: 1 })))
      assert.deepStrictEqual(error, { code: 9, message: "no", data: 1 })
    }))

  it.effect("that fails unexpectedly MUST be answered with -32603 that tells nothing, and be logged", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { error } = yield* asked(() => Effect.die(new Error("secret")))
        assert.deepStrictEqual(error, { code: -32603, message: "Internal error" })
        assert.match(lines.join("\n"), /Error The handler of example\/ask failed .*secret/)
      })
    ))
})
