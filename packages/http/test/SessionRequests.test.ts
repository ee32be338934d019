/** Requests in a session: how they are answered, cancelled and lost, and what the server asks while it handles them. */
import { assert, describe, it } from "@effect/vitest"
import { JsonRpc, Tool } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"

const REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25"]

describe("a request in a session", () => {
  it.effect("MUST be answered with one JSON object while there is nothing else to say", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.now)
      for (const revision of REVISIONS) {
        const client = yield* server.open(revision)
        const opened = yield* client.call("now")
        assert.strictEqual(opened.status, 200)
        assert.strictEqual(opened.response.headers.get("content-type"), "application/json")
        assert.strictEqual(H.textOf(yield* opened.json), "now")
      }
    }))

  it.effect("MUST be answered on an event stream, which ends with the reply, if something was said before it", () =>
    Effect.gen(function*() {
      const { release, tool } = Tools.held()
      const server = yield* H.serve(tool)
      yield* release
      for (const revision of REVISIONS) {
        const client = yield* server.open(revision)
        const opened = yield* client.call("held", { id: "x", token: "t" })
        assert.strictEqual(opened.response.headers.get("cache-control"), "no-cache, no-transform")
        assert.strictEqual(opened.response.headers.get("x-accel-buffering"), "no")
        const messages = yield* opened.remaining
        assert.deepStrictEqual(messages.map(({ id, method }) => method ?? id), [
          "notifications/progress",
          "notifications/progress",
          "x"
        ])
      }
    }))

  it.effect("MUST be answered on an event stream when a heartbeat falls due before it", () =>
    Effect.gen(function*() {
      const { release, tool } = Tools.held()
      const server = yield* H.serve(tool)
      const client = yield* server.open()
      const calling = yield* Effect.forkChild(client.call("held"))
      yield* H.settle
      yield* H.pass("15 seconds")
      const opened = yield* Fiber.join(calling)
      assert.isTrue(opened.isStream)
      yield* release
      assert.strictEqual(H.textOf(yield* opened.message), "nobody")
      assert.isUndefined(yield* opened.next)
      assert.isAbove(opened.comments.length, 0)
    }))

  it.effect("MUST NOT be cancelled when its connection is lost, neither before nor after its stream was opened", () =>
    Effect.gen(function*() {
      const { release, seen, tool } = Tools.held()
      const server = yield* H.serve(tool)
      const client = yield* server.open()
      const before = yield* Effect.forkChild(client.call("held"))
      const after = yield* client.call("held", { token: "t" })
      yield* H.settle
      yield* Fiber.interrupt(before)
      yield* after.drop
      yield* H.pass("1 minute")
      assert.deepStrictEqual(seen, { started: 2, interrupted: 0, ended: 0 })
      yield* release
      yield* H.settle
      assert.deepStrictEqual(seen, { started: 2, interrupted: 0, ended: 2 })
    }))

  it.effect("MUST be refused when as many as may be are in flight, and no others", () =>
    H.logged((lines) =>
      Effect.gen(function*() {
        const { release, tool } = Tools.held()
        const server = yield* H.serve(Layer.merge(tool, Tools.now), { limits: { inFlight: 2 } })
        const client = yield* server.open()
        const other = yield* server.open()
        const calls = [yield* client.call("held", { token: "a" }), yield* client.call("held", { token: "b" })]
        const refused = yield* (yield* client.call("now", { id: 9 })).json
        assert.deepInclude(refused, { id: 9 })
        assert.deepInclude(refused.error, { message: "Too many requests in flight: the limit is 2" })
        assert.isTrue(lines.some((line) => line.includes("2 requests are in flight")))
        assert.strictEqual(yield* other.text("now"), "now")
        yield* release
        for (const call of calls) assert.strictEqual(H.textOf((yield* call.remaining).at(-1) ?? {}), "nobody")
        assert.strictEqual(yield* client.text("now"), "now")
      })
    ))

  it.effect("MUST be refused if its id is in flight, which goes on", () =>
    Effect.gen(function*() {
      const { release, seen, tool } = Tools.held()
      const server = yield* H.serve(tool)
      const client = yield* server.open()
      const first = yield* client.call("held", { id: 5, token: "t" })
      const second = yield* (yield* client.call("held", { id: 5 })).json
      assert.deepInclude(second.error, { code: JsonRpc.INVALID_REQUEST })
      yield* release
      assert.strictEqual((yield* first.remaining).at(-1)?.id, 5)
      assert.strictEqual(seen.started, 1)
    }))
})

describe("a request that is cancelled by another POST", () => {
  it.effect("MUST interrupt its handler and end its stream without a reply", () =>
    Effect.gen(function*() {
      const { seen, tool } = Tools.held()
      const server = yield* H.serve(tool)
      const client = yield* server.open()
      const opened = yield* client.call("held", { id: 1, token: "t" })
      assert.strictEqual((yield* opened.message).method, "notifications/progress")
      assert.strictEqual((yield* client.cancel(1)).status, 202)
      assert.deepStrictEqual(yield* opened.remaining, [])
      assert.deepStrictEqual(seen, { started: 1, interrupted: 1, ended: 1 })
    }))

  it.effect("MUST end as an empty event stream if nothing was said", () =>
    Effect.gen(function*() {
      const { seen, tool } = Tools.held()
      const server = yield* H.serve(tool)
      const client = yield* server.open()
      const calling = yield* Effect.forkChild(client.call("held", { id: "x" }))
      yield* H.settle
      yield* client.cancel("x")
      const opened = yield* Fiber.join(calling)
      assert.strictEqual(opened.status, 200)
      assert.isUndefined(yield* opened.next)
      assert.deepStrictEqual(seen, { started: 1, interrupted: 1, ended: 1 })
    }))

  it.effect("MUST be one of the same session, and in flight", () =>
    Effect.gen(function*() {
      const { release, seen, tool } = Tools.held()
      const server = yield* H.serve(tool)
      const client = yield* server.open()
      const other = yield* server.open()
      const opened = yield* client.call("held", { id: 1, token: "t" })
      yield* opened.message
      for (const id of [0, 2, "1"]) assert.strictEqual((yield* client.cancel(id)).status, 202)
      for (const params of [undefined, {}, { requestId: null }, { requestId: {} }]) {
        yield* client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params })
      }
      yield* other.cancel(1)
      yield* H.settle
      assert.strictEqual(seen.interrupted, 0)
      yield* release
      assert.strictEqual((yield* opened.remaining).at(-1)?.id, 1)
      // It has its reply already.
      assert.strictEqual((yield* client.cancel(1)).status, 202)
    }))

  it.effect("MUST NOT send anything twice when it is cancelled while the reply is sent", () =>
    Effect.gen(function*() {
      for (let n = 0; n < 20; n++) {
        const { release, tool } = Tools.held()
        const server = yield* H.serve(tool)
        const client = yield* server.open()
        const opened = yield* client.call("held", { id: 1, token: "t" })
        yield* opened.message
        const [, cancelled] = yield* Effect.all([release, client.cancel(1)], { concurrency: "unbounded" })
        assert.strictEqual(cancelled.status, 202)
        assert.isAtMost((yield* opened.remaining).filter(({ id }) => id === 1).length, 1)
      }
    }))
})

describe("what the server asks while it handles a request", () => {
  const elicitation = { capabilities: { elicitation: {} } }

  it.effect("MUST be on the stream of that request, and take the answer that is POSTed", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.asking)
      for (const revision of ["2025-06-18", "2025-11-25"]) {
        const client = yield* server.open(revision, elicitation)
        const outside = yield* client.listen()
        const first = yield* client.call("ask", { id: "a" })
        const second = yield* client.call("ask", { id: "b" })
        const asked = [yield* first.message, yield* second.message]
        assert.deepStrictEqual(asked.map(({ method }) => method), ["elicitation/create", "elicitation/create"])
        assert.notStrictEqual(asked[0]?.id, asked[1]?.id)
        for (const [at, it] of [[1, "two"], [0, "one"]] as const) {
          const opened = yield* client.post(Tools.accept(asked[at]?.id, it))
          assert.strictEqual(opened.status, 202)
        }
        assert.deepStrictEqual((yield* first.remaining).map((message) => [message.id, H.textOf(message)]), [[
          "a",
          "one"
        ]])
        assert.deepStrictEqual((yield* second.remaining).map((message) => [message.id, H.textOf(message)]), [[
          "b",
          "two"
        ]])
        yield* client.end()
        assert.deepStrictEqual(yield* outside.remaining, [])
      }
    }))

  it.effect("MUST NOT take an answer that is of another session or of another principal", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.asking)
      const client = yield* server.open("2025-11-25", { ...elicitation, headers: { "x-subject": "ann" } })
      const other = yield* server.open("2025-11-25", elicitation)
      const opened = yield* client.call("ask")
      const { id } = yield* opened.message
      assert.strictEqual((yield* other.post(Tools.accept(id, "other"))).status, 202)
      const thief = new H.Client(server, client.id, { "x-subject": "bob" })
      assert.strictEqual((yield* thief.post(Tools.accept(id, "thief"))).status, 404)
      yield* client.post(Tools.accept(id, "mine"))
      assert.strictEqual(H.textOf(yield* opened.message), "mine")
    }))

  it.effect("MUST fail when the answer is no response", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.asking)
      const client = yield* server.open("2025-11-25", elicitation)
      const opened = yield* client.call("ask")
      const { id } = yield* opened.message
      assert.strictEqual((yield* client.post({ jsonrpc: "2.0", id, result: "text" })).status, 400)
      assert.strictEqual(
        H.textOf(yield* opened.message),
        "no answer: Invalid response: \"result\" must be an object"
      )
    }))

  it.effect("MUST be cancelled on that stream when the request is cancelled", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.asking)
      const client = yield* server.open("2025-11-25", elicitation)
      const opened = yield* client.call("ask", { id: 1 })
      const { id } = yield* opened.message
      yield* client.cancel(1)
      const rest = yield* opened.remaining
      assert.deepStrictEqual(rest.map(({ method }) => method), ["notifications/cancelled"])
      assert.deepInclude(rest[0]?.params, { requestId: id })
    }))

  it.effect("MUST be shown again to a client that lost the connection, and wait for it", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.asking)
      const client = yield* server.open("2025-11-25", elicitation)
      const opened = yield* client.call("ask", { id: 1 })
      yield* opened.next
      const [prime] = opened.ids
      yield* opened.drop
      const again = yield* client.listen(prime)
      const { id, method } = yield* again.message
      assert.strictEqual(method, "elicitation/create")
      yield* client.post(Tools.accept(id, "it"))
      assert.strictEqual(H.textOf(yield* again.message), "it")
    }))

  it.effect("MUST fail at once if the client has gone before there was a stream", () =>
    Effect.gen(function*() {
      const said: Array<unknown> = []
      const later = McpServer.tool(Tool.make("later"), () =>
        Effect.sleep("1 second").pipe(
          Effect.andThen(Tools.ask),
          Effect.tap((text) => Effect.sync(() => said.push(text)))
        ))
      const server = yield* H.serve(later)
      const client = yield* server.open("2025-11-25", elicitation)
      const calling = yield* Effect.forkChild(client.call("later"))
      yield* H.settle
      yield* Fiber.interrupt(calling)
      yield* H.pass("1 second")
      assert.deepStrictEqual(said, ["no answer: The client has gone"])
    }))
})
