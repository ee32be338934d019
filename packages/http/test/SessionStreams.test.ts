/** What is said outside of requests, on the streams that a client opens by GET. */
import { assert, describe, it } from "@effect/vitest"
import * as EventStore from "@mcp-effect/http/EventStore"
import { Resource, Tool } from "@mcp-effect/protocol"
import { Changes, McpServer } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"

const REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25"]

const uri = (n: number) => `test://notes/${n}`

/** A resource that can be subscribed to, and a tool that tells of its changes. */
const notes = () => {
  let n = 0
  const changed = McpServer.tool(
    Tool.make("change"),
    () =>
      Effect.flatMap(McpServer.McpServer, ({ changes }) => changes.publish(Changes.resource(uri(++n)))).pipe(
        Effect.as("changed")
      )
  )
  const note = McpServer.resource(Resource.make({ uri: "test://notes", name: "notes" }), () => Effect.succeed("text"))
  return Layer.merge(changed, note)
}

const subscribe = (client: H.Client) =>
  Effect.gen(function*() {
    const subscribed = yield* client.post({
      jsonrpc: "2.0",
      id: "subscribe",
      method: "resources/subscribe",
      params: { uri: "test://notes" }
    })
    assert.deepInclude(yield* subscribed.json, { result: {} })
  })

const updated = ({ method, params }: H.Json): unknown => [method, (params as H.Json | undefined)?.uri]

const update = (n: number) => ["notifications/resources/updated", uri(n)]

const change = (client: H.Client, times = 1) =>
  Effect.repeat(Effect.andThen(client.text("change"), H.settle), { times: times - 1 })

const subscriber = (server: H.Server, revision?: string) => Effect.tap(server.open(revision), subscribe)

describe("the stream of a GET", () => {
  it.effect("MUST be an event stream, open until the client has enough of it, with comments while nothing is said", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(notes())
      for (const revision of REVISIONS) {
        const client = yield* subscriber(server, revision)
        const opened = yield* client.listen()
        assert.strictEqual(opened.status, 200)
        assert.isTrue(opened.isStream)
        yield* H.pass("45 seconds")
        yield* change(client)
        assert.deepStrictEqual(updated(yield* opened.message), update(1 + REVISIONS.indexOf(revision)))
        assert.isAtLeast(opened.comments.length, 2)
        yield* opened.drop
      }
    }))

  it.effect("MUST say each message on one stream only: that of the last GET, and never on one of a POST", () =>
    Effect.gen(function*() {
      const { release, tool } = Tools.held()
      const server = yield* H.serve(Layer.merge(notes(), tool))
      const client = yield* subscriber(server)
      const call = yield* client.call("held", { token: "t" })
      const first = yield* client.listen()
      yield* change(client)
      const second = yield* client.listen()
      yield* change(client, 2)
      assert.deepStrictEqual(
        [yield* second.message, yield* second.message].map(updated),
        [update(2), update(3)]
      )
      yield* second.drop
      yield* change(client)
      yield* release
      assert.deepStrictEqual((yield* call.remaining).map(({ id, method }) => method ?? id), [
        "notifications/progress",
        "notifications/progress",
        1
      ])
      yield* client.end()
      assert.deepStrictEqual((yield* first.remaining).map(updated), [update(1), update(4)])
    }))

  it.effect("MUST show what was said while none was open, once", () =>
    Effect.gen(function*() {
      for (const revision of REVISIONS) {
        const server = yield* H.serve(notes())
        const client = yield* subscriber(server, revision)
        yield* change(client, 2)
        const first = yield* client.listen()
        assert.deepStrictEqual([updated(yield* first.message), updated(yield* first.message)], [update(1), update(2)])
        yield* first.drop
        yield* change(client)
        const second = yield* client.listen()
        yield* change(client)
        assert.deepStrictEqual([updated(yield* second.message), updated(yield* second.message)], [update(3), update(4)])
        yield* client.end()
        assert.deepStrictEqual(yield* second.remaining, [])
      }
    }))

  it.effect("MUST go on after Last-Event-ID, whatever was on its way when the connection was lost", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(notes())
      const client = yield* subscriber(server)
      const first = yield* client.listen()
      yield* change(client, 3)
      assert.deepStrictEqual(updated(yield* first.message), update(1))
      // The others were sent as well.
      yield* first.drop
      yield* change(client)
      for (const after of [1, 0]) {
        const resumed = yield* client.listen(first.ids[after])
        for (const n of [1, 2, 3, 4].slice(after)) assert.deepStrictEqual(updated(yield* resumed.message), update(n))
        yield* resumed.drop
      }
    }))

  it.effect("MUST keep no more of it than the store does, and say so in the log", () =>
    H.logged((lines) =>
      Effect.gen(function*() {
        const server = yield* H.serve(notes(), { events: EventStore.memory({ events: 2 }) })
        const client = yield* subscriber(server)
        yield* change(client, 5)
        const opened = yield* client.listen()
        assert.deepStrictEqual([updated(yield* opened.message), updated(yield* opened.message)], [update(4), update(5)])
        assert.isTrue(lines.includes("3 messages of a stream could not be sent again: they are no longer stored"))
        yield* change(client)
        assert.deepStrictEqual(updated(yield* opened.message), update(6))
      })
    ))
})

describe("the streams of a session", () => {
  it.effect("MUST be no more than a few: 429", () =>
    Effect.gen(function*() {
      const { tool } = Tools.held()
      const server = yield* H.serve(Layer.merge(notes(), tool), { http: { sessions: { streams: 2 } } })
      const client = yield* server.open()
      const calls = [yield* client.call("held", { token: "t" }), yield* client.call("held", { token: "t" })]
      for (const call of calls) yield* Effect.andThen(call.next, call.drop)
      const outside = yield* client.listen()
      const resumed = yield* client.listen(calls[0]?.ids[0])
      assert.strictEqual((yield* client.listen(calls[1]?.ids[0])).status, 429)
      yield* resumed.drop
      assert.strictEqual((yield* client.listen(calls[1]?.ids[0])).status, 200)
      // It is of this session only.
      assert.strictEqual((yield* (yield* server.open()).listen()).status, 200)
      assert.isTrue(outside.isStream)
    }))

  it.effect("MUST make room for a client that comes back before the loss of its connections was noticed", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(notes(), { http: { sessions: { streams: 2 } } })
      const client = yield* subscriber(server)
      for (let n = 1; n <= 10; n++) {
        const opened = yield* client.listen()
        assert.strictEqual(opened.status, 200)
        yield* change(client)
        assert.deepStrictEqual(updated(yield* opened.message), update(n))
      }
    }))
})

describe("a reader that is too slow", () => {
  const limits = { outbox: 8 * 1024 }

  it.effect("MUST hold up who speaks to it, and be dropped with a log line after a heartbeat", () =>
    H.logged((lines) =>
      Effect.gen(function*() {
        const { release, seen, tool } = Tools.flooding(400)
        const server = yield* H.serve(tool, { limits })
        const client = yield* server.open()
        yield* release
        const opened = yield* client.call("flood", { id: "x", token: "t" })
        yield* opened.next
        yield* H.settle
        assert.isBelow(seen.said, 30)
        yield* H.pass("1 minute")
        assert.isTrue(lines.some((line) => line.includes("its reader has taken nothing for 15s")), lines.join("\n"))
        // Nobody holds it up any more, and all of it is there for whoever comes back.
        assert.strictEqual(seen.said, 400)
        yield* opened.drop
        const rest = yield* (yield* client.listen(opened.ids[0])).remaining
        assert.strictEqual(rest.length, 401)
        assert.strictEqual(rest.at(-1)?.id, "x")
      })
    ))

  it.effect("MUST be dropped from a stream that it has come back to, too", () =>
    H.logged((lines) =>
      Effect.gen(function*() {
        const { release, seen, tool } = Tools.flooding(400)
        const server = yield* H.serve(tool, { limits, http: { sessions: { idle: "1 hour", streams: 1 } } })
        const client = yield* server.open()
        const calling = yield* Effect.forkChild(client.call("flood", { token: "t" }))
        yield* H.settle
        // A heartbeat opens the stream.
        yield* H.pass("15 seconds")
        const opened = yield* Fiber.join(calling)
        yield* Effect.andThen(opened.next, opened.drop)
        yield* Effect.andThen(client.listen(opened.ids[0]), release)
        yield* H.settle
        assert.isBelow(seen.said, 30)
        yield* H.pass("1 minute")
        assert.strictEqual(seen.said, 400)
        assert.strictEqual(lines.filter((line) => line.includes("its reader has taken nothing")).length, 1)
        // It does not count any more.
        assert.strictEqual((yield* (yield* client.listen(opened.ids[0])).remaining).length, 401)
      })
    ))

  it.effect("MUST NOT hold up who speaks once another one reads", () =>
    Effect.gen(function*() {
      const { release, seen, tool } = Tools.flooding(400)
      const server = yield* H.serve(tool, { limits })
      const client = yield* server.open()
      yield* release
      const stuck = yield* client.call("flood", { id: "x", token: "t" })
      yield* stuck.next
      yield* H.settle
      assert.isBelow(seen.said, 30)
      const resumed = yield* client.listen(stuck.ids[0])
      assert.strictEqual((yield* resumed.remaining).length, 401)
    }))

  it.effect("MUST NOT be given more than it has room for on a GET", () =>
    H.logged((lines) =>
      Effect.gen(function*() {
        const server = yield* H.serve(notes(), { limits: { outbox: 512 } })
        const client = yield* subscriber(server)
        const stuck = yield* client.listen()
        yield* change(client, 50)
        yield* H.pass("1 minute")
        assert.isTrue(lines.some((line) => line.includes("its reader has taken nothing for 15s")))
        yield* change(client, 2)
        yield* H.settle
        const all = (yield* stuck.remaining).map(updated)
        assert.isBelow(all.length, 20)
        // Nothing is lost.
        const resumed = yield* client.listen(stuck.ids.at(-1))
        for (let n = all.length + 1; n <= 52; n++) assert.deepStrictEqual(updated(yield* resumed.message), update(n))
      })
    ))
})
