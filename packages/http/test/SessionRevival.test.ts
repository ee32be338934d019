/** Sessions that go on in another process, which has the same stores. */
import { assert, describe, it } from "@effect/vitest"
import * as EventStore from "@mcp-effect/http/EventStore"
import * as SessionStore from "@mcp-effect/http/SessionStore"
import { Resource, Tool } from "@mcp-effect/protocol"
import { Changes, McpServer, Middleware } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"

/** Stores that other processes read, and whose answers take a while. */
const shared = (delay = 0) => {
  const slowly = <A>(effect: Effect.Effect<A>) => delay === 0 ? effect : Effect.delay(effect, delay)
  const sessions = SessionStore.memory()
  const events = EventStore.memory()
  const found = { times: 0 }
  return {
    found,
    sessions: {
      put: (session, idle) => slowly(sessions.put(session, idle)),
      touch: (id, idle) => slowly(sessions.touch(id, idle)),
      find: (id) => (found.times++, slowly(sessions.find(id))),
      release: () => Effect.void,
      remove: (id) => slowly(sessions.remove(id))
    } satisfies SessionStore.SessionStore["Service"],
    events: { ...events, release: () => Effect.void } satisfies EventStore.EventStore["Service"]
  }
}

const change = McpServer.tool(
  Tool.make("change"),
  () => Effect.flatMap(McpServer.McpServer, ({ changes }) => changes.publish(Changes.tools)).pipe(Effect.as("changed"))
)

const features = Layer.mergeAll(Tools.now, Tools.whoami, Tools.asking, change)

const listChanged = "notifications/tools/list_changed"

describe("a session of another process", () => {
  it.effect("MUST go on, in its revision and with what its client has declared", () =>
    Effect.gen(function*() {
      const stores = shared()
      const [one, two] = [yield* H.serve(features, stores), yield* H.serve(features, stores)]
      const client = yield* one.open("2025-06-18", { capabilities: { elicitation: {} } })
      const moved = client.at(two)
      assert.strictEqual(yield* moved.text("now"), "now")
      const asked = yield* moved.call("ask", { id: "x" })
      const { id, method } = yield* asked.message
      assert.strictEqual(method, "elicitation/create")
      yield* moved.post(Tools.accept(id, "it"))
      assert.strictEqual(H.textOf(yield* asked.message), "it")
      // In both.
      assert.strictEqual(yield* client.text("now"), "now")
    }))

  it.effect("MUST go on after the end of that process", () =>
    Effect.gen(function*() {
      const stores = shared()
      const scope = yield* Scope.make()
      const client = yield* (yield* Scope.provide(H.serve(features, stores), scope)).open()
      yield* Scope.close(scope, Exit.void)
      const moved = client.at(yield* H.serve(features, stores))
      assert.strictEqual(yield* moved.text("now"), "now")
      const opened = yield* moved.listen()
      yield* moved.text("change")
      assert.strictEqual((yield* opened.message).method, listChanged)
    }))

  it.effect("MUST be its principal's only: 404", () =>
    H.logged((lines) =>
      Effect.gen(function*() {
        const stores = shared()
        const client = yield* (yield* H.serve(features, stores)).open("2025-11-25", { headers: { "x-subject": "ann" } })
        const two = yield* H.serve(features, stores)
        for (const headers of [{}, { "x-subject": "bob" }]) {
          const stranger = new H.Client(two, client.id, headers)
          assert.strictEqual((yield* stranger.call("now")).status, 404)
          assert.strictEqual((yield* stranger.listen()).status, 404)
          assert.strictEqual((yield* stranger.end()).status, 404)
        }
        assert.strictEqual(lines.filter((line) => line.includes("somebody else has opened it")).length, 6)
        assert.strictEqual(yield* client.at(two).text("whoami"), "ann")
      })
    ))

  it.effect("MUST be taken up by the principal that comes back, and by no other meanwhile", () =>
    Effect.gen(function*() {
      const stores = shared()
      const seen: Array<string | undefined> = []
      const watching = Middleware.make("watching", (request, next) => {
        if (request.method === "initialize") seen.push(request.principal?.subject)
        return next()
      })
      const client = yield* (yield* H.serve(features, stores)).open("2025-11-25", { headers: { "x-subject": "ann" } })
      const two = yield* H.serve(features, { ...stores, server: { middleware: [watching] } })
      const stranger = new H.Client(two, client.id, { "x-subject": "bob" })
      const [refused, taken] = yield* Effect.all([stranger.call("now"), client.at(two).call("now")], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual([refused.status, taken.status], [404, 200])
      assert.deepStrictEqual(seen, ["ann"])
    }))

  it.effect("MUST be taken up once, however many requests come at once, and although the first of them is lost", () =>
    Effect.gen(function*() {
      const stores = shared(1000)
      const opening = yield* Effect.forkChild(
        Effect.flatMap(H.serve(features, stores), (server) => server.open("2025-11-25"))
      )
      yield* H.settle
      yield* H.pass(1000)
      const client = yield* Fiber.join(opening)
      let opened = 0
      const counting = Middleware.make("counting", (request, next) => {
        if (request.method === "initialize") opened++
        return next()
      })
      const moved = client.at(yield* H.serve(features, { ...stores, server: { middleware: [counting] } }))
      const calls = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => Effect.forkChild(moved.text("now"))
      )
      yield* H.settle
      yield* Fiber.interrupt(calls[0] ?? (yield* Effect.die("none")))
      yield* H.settle
      yield* H.pass(1000)
      for (const call of calls.slice(1)) assert.strictEqual(yield* Fiber.join(call), "now")
      assert.strictEqual(opened, 1)
      assert.strictEqual(stores.found.times, 1)
    }))

  it.effect("MUST be over everywhere when it was deleted anywhere", () =>
    Effect.gen(function*() {
      const stores = shared()
      const [one, two] = [yield* H.serve(features, stores), yield* H.serve(features, stores)]
      const client = yield* one.open()
      assert.strictEqual((yield* client.at(two).end()).status, 204)
      assert.strictEqual((yield* client.at(two).call("now")).status, 404)
      assert.strictEqual((yield* client.at(yield* H.serve(features, stores)).call("now")).status, 404)
    }))

  it.effect("MUST NOT come back while it is deleted, however slow the store is", () =>
    Effect.gen(function*() {
      const stores = shared(1000)
      const server = yield* H.serve(features, stores)
      const opening = yield* Effect.forkChild(server.open())
      yield* H.settle
      yield* H.pass(1000)
      const client = yield* Fiber.join(opening)
      const deleting = yield* Effect.forkChild(client.end())
      yield* H.settle
      assert.strictEqual((yield* client.call("now")).status, 404)
      yield* H.pass(1000)
      assert.strictEqual((yield* Fiber.join(deleting)).status, 204)
      const calling = yield* Effect.forkChild(client.call("now"))
      yield* H.settle
      yield* H.pass(1000)
      assert.strictEqual((yield* Fiber.join(calling)).status, 404)
    }))

  it.effect("MUST NOT be taken up where there are too many, and not be forgotten: 503", () =>
    Effect.gen(function*() {
      const stores = shared()
      const client = yield* (yield* H.serve(features, stores)).open()
      const two = yield* H.serve(features, { ...stores, http: { sessions: { max: 1 } } })
      const other = yield* two.open()
      const refused = yield* client.at(two).call("now")
      assert.strictEqual(refused.status, 503)
      assert.isNotNull(refused.response.headers.get("retry-after"))
      yield* other.end()
      assert.strictEqual(yield* client.at(two).text("now"), "now")
    }))

  it.effect("MUST stay in the store while its stream is open", () =>
    Effect.gen(function*() {
      const stores = shared()
      const client = yield* (yield* H.serve(features, { ...stores, http: { sessions: { idle: "10 minutes" } } })).open()
      yield* client.listen()
      yield* H.pass("3 hours")
      assert.strictEqual(yield* client.at(yield* H.serve(features, stores)).text("now"), "now")
    }))
})

describe("what another process has said", () => {
  const note = McpServer.resource(Resource.make({ uri: "test://note", name: "note" }), () => Effect.succeed("text"))

  it.effect("MUST be shown on the stream of a POST that had come to its end", () =>
    Effect.gen(function*() {
      const stores = shared()
      const { release, tool } = Tools.held()
      const scope = yield* Scope.make()
      const client = yield* (yield* Scope.provide(H.serve(tool, stores), scope)).open()
      const opened = yield* client.call("held", { id: "x", token: "t" })
      yield* Effect.andThen(opened.message, opened.drop)
      yield* release
      yield* H.settle
      yield* Scope.close(scope, Exit.void)
      const moved = client.at(yield* H.serve(features, stores))
      const rest = yield* (yield* moved.listen(opened.ids.at(-1))).remaining
      assert.deepStrictEqual(rest.map(({ id, method }) => method ?? id), ["notifications/progress", "x"])
    }))

  it.effect("MUST be shown on the stream of a GET, which goes on with what is said here", () =>
    Effect.gen(function*() {
      const stores = shared()
      const scope = yield* Scope.make()
      const both = Layer.merge(features, note)
      const client = yield* (yield* Scope.provide(H.serve(both, stores), scope)).open()
      const first = yield* client.listen()
      yield* first.next
      yield* first.drop
      yield* client.text("change")
      yield* H.settle
      yield* Scope.close(scope, Exit.void)
      const moved = client.at(yield* H.serve(both, stores))
      const resumed = yield* moved.listen(first.ids[0])
      assert.strictEqual((yield* resumed.message).method, listChanged)
      yield* moved.text("change")
      assert.strictEqual((yield* resumed.message).method, listChanged)
      assert.strictEqual(new Set([...first.ids, ...resumed.ids]).size, first.ids.length + resumed.ids.length)
      // From the old place and from the new.
      yield* resumed.drop
      yield* moved.text("change")
      for (const place of [resumed.ids.at(-1), resumed.ids.at(-2)]) {
        assert.strictEqual((yield* (yield* moved.listen(place)).message).method, listChanged)
      }
    }))

  it.effect("MUST NOT be mistaken for what is said here after this process has taken up its own session again", () =>
    Effect.gen(function*() {
      const stores = shared()
      const { release, tool } = Tools.held()
      const server = yield* H.serve(Layer.merge(features, tool), {
        ...stores,
        http: { sessions: { idle: "8 minutes" } }
      })
      yield* release
      const client = yield* server.open()
      const before = yield* client.call("held", { id: "before", token: "t" })
      yield* before.remaining
      // It expires here, and is in the store for a while.
      yield* H.pass("9 minutes")
      const after = yield* client.call("held", { id: "after", token: "t" })
      yield* after.remaining
      assert.strictEqual(new Set([...before.ids, ...after.ids]).size, 8)
      for (const [{ ids }, id] of [[before, "before"], [after, "after"]] as const) {
        assert.strictEqual((yield* (yield* client.listen(ids[0])).remaining).at(-1)?.id, id)
      }
    }))
})
