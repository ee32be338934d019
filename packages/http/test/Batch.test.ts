/** Batches, which only revision 2025-03-26 has. */
import { assert, describe, it } from "@effect/vitest"
import { JsonRpc } from "@mcp-effect/protocol"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"

type Post = (message: unknown) => Effect.Effect<H.Opened>

const modes = [
  {
    mode: "in a session",
    http: {},
    open: (server: H.Server, version: string): Effect.Effect<Post> =>
      Effect.map(server.open(version), ({ post }) => post)
  },
  {
    mode: "without sessions",
    http: { sessions: false as const },
    open: (server: H.Server, version: string): Effect.Effect<Post> =>
      Effect.succeed((message) => server.post(message, { "mcp-protocol-version": version }))
  }
]

/** The replies, as JSON or as events, each alone or as an array. */
const repliesOf = (opened: H.Opened): Effect.Effect<ReadonlyArray<H.Json>> =>
  Effect.map(
    opened.isStream ? opened.remaining : Effect.map(opened.json, (json) => [json]),
    (messages) => messages.flat().filter((message) => !("method" in message))
  )

const idsOf = (replies: ReadonlyArray<H.Json>) => replies.map(({ id }) => id).toSorted()

for (const { http, mode, open } of modes) {
  describe(`a batch ${mode}`, () => {
    const serve = (limits = {}) =>
      Effect.gen(function*() {
        const held = Tools.held()
        const server = yield* H.serve(Layer.mergeAll(Tools.now, held.tool), { http, limits })
        return { ...held, post: yield* open(server, "2025-03-26"), server }
      })

    it.effect("MUST have its replies in one array", () =>
      Effect.gen(function*() {
        const { post } = yield* serve()
        const opened = yield* post([H.call("a", "now"), H.call("b", "now"), H.initialized])
        assert.strictEqual(opened.response.headers.get("content-type"), "application/json")
        const replies: unknown = yield* opened.json
        assert.isTrue(Array.isArray(replies))
        assert.deepStrictEqual(idsOf(yield* Effect.succeed(replies as ReadonlyArray<H.Json>)), ["a", "b"])
        // One is an array, too.
        assert.isTrue(Array.isArray(yield* (yield* post([H.call("a", "now")])).json))
      }))

    it.effect("MUST have each of its replies on an event stream, which ends with them, if something else is said", () =>
      Effect.gen(function*() {
        const { post, release } = yield* serve()
        const opened = yield* post([H.call("a", "now"), H.call("b", "held", { token: "t" }), H.call("c", "held")])
        assert.isTrue(opened.isStream)
        yield* release
        assert.deepStrictEqual(idsOf(yield* repliesOf(opened)), ["a", "b", "c"])
      }))

    it.effect("MUST be answered with 202 and no body if nothing in it has a reply", () =>
      Effect.gen(function*() {
        const { post } = yield* serve()
        const notified = { jsonrpc: "2.0", method: "notifications/unknown" }
        const response = { jsonrpc: "2.0", id: 1, result: {} }
        // A malformed response is never answered.
        for (const batch of [[notified], [notified, response], [response, { jsonrpc: "2.0", id: 2, result: 1 }]]) {
          const opened = yield* post(batch)
          assert.strictEqual(opened.status, 202)
          assert.strictEqual(yield* Effect.promise(() => opened.response.text()), "")
        }
      }))

    it.effect("MUST have an error for each of its members that is no message", () =>
      Effect.gen(function*() {
        const { post } = yield* serve()
        const replies = yield* repliesOf(
          yield* post([1, null, {}, { jsonrpc: "2.0", id: "bad", method: 1 }, [], H.call("good", "now")])
        )
        assert.strictEqual(replies.length, 6)
        assert.strictEqual(replies.filter(({ error }) => error !== undefined).length, 5)
        assert.deepStrictEqual(
          replies.filter(({ id }) => id !== undefined).map(({ error, id }) => [id, error === undefined]).toSorted(),
          [["bad", false], ["good", true]]
        )
      }))

    it.effect("MUST be refused with 400 if it is empty, or holds more than a number of messages", () =>
      Effect.gen(function*() {
        const { post } = yield* serve({ batch: 3 })
        for (const batch of [[], Array.from({ length: 4 }, (_, n) => H.call(n, "now"))]) {
          const opened = yield* post(batch)
          assert.strictEqual(opened.status, 400)
          assert.deepInclude((yield* opened.json).error, { code: JsonRpc.INVALID_REQUEST })
        }
        assert.strictEqual((yield* repliesOf(yield* post([1, 2, 3].map((n) => H.call(n, "now"))))).length, 3)
      }))

    it.effect("MUST be refused with 400 in every other revision", () =>
      Effect.gen(function*() {
        const { server } = yield* serve()
        for (const version of ["2025-06-18", "2025-11-25"]) {
          const post = yield* open(server, version)
          for (const batch of [[], [H.call(1, "now")], [H.initialized]]) {
            const opened = yield* post(batch)
            assert.strictEqual(opened.status, 400, version)
          }
        }
      }))
  })
}

describe("a batch in a session", () => {
  it.effect("MUST NOT open one: 400", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.now)
      const opened = yield* server.post([H.initialize("2025-03-26")])
      assert.strictEqual(opened.status, 400)
      assert.isNull(opened.response.headers.get("mcp-session-id"))
    }))

  it.effect("MUST cancel what it says to cancel, and be done when all others have their replies", () =>
    Effect.gen(function*() {
      const { seen, tool } = Tools.held()
      const server = yield* H.serve(Layer.merge(tool, Tools.now))
      const client = yield* server.open("2025-03-26")
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "a" } }
      const opened = yield* client.post([H.call("a", "held"), H.call("b", "now"), cancel])
      assert.deepStrictEqual(idsOf(yield* repliesOf(opened)), ["b"])
      assert.deepStrictEqual(seen, { started: 1, interrupted: 1, ended: 1 })
      assert.isTrue((yield* client.post([H.call("a", "held"), cancel])).isStream)
    }))

  it.effect("MUST be shown on resumption, with its replies", () =>
    Effect.gen(function*() {
      const { release, tool } = Tools.held()
      const server = yield* H.serve(Layer.merge(tool, Tools.now))
      const client = yield* server.open("2025-03-26")
      const opened = yield* client.post([H.call("a", "held", { token: "a" }), H.call("b", "now"), H.call("c", "held")])
      yield* opened.message
      yield* opened.drop
      const resumed = yield* client.listen(opened.ids[0])
      yield* release
      const all = [...opened.ids, ...(yield* Effect.andThen(resumed.remaining, Effect.sync(() => resumed.ids)))]
      assert.strictEqual(new Set(all).size, 5)
    }))

  it.effect("MUST NOT wait for the handlers of its notifications", () =>
    Effect.gen(function*() {
      const slow = Tools.notified("notifications/slow", Effect.sleep("1 hour"))
      const server = yield* H.serve(Layer.merge(slow, Tools.now))
      const client = yield* server.open("2025-03-26")
      const posting = yield* Effect.forkChild(
        client.post([{ jsonrpc: "2.0", method: "notifications/slow" }, H.call("a", "now")])
      )
      yield* H.settle
      assert.deepStrictEqual(idsOf(yield* repliesOf(yield* Fiber.join(posting))), ["a"])
    }))
})
