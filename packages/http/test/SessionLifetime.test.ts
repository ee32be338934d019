/** How sessions end: by their clients, by silence, and with the server; and that nothing is left of them. */
import { assert, describe, it } from "@effect/vitest"
import * as EventStore from "@mcp-effect/http/EventStore"
import * as SessionStore from "@mcp-effect/http/SessionStore"
import { Tool } from "@mcp-effect/protocol"
import { McpServer, Middleware } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"

const capabilities = { elicitation: {} }

/** A client with something of everything that a session may have going on. */
const busy = (server: H.Server) =>
  Effect.gen(function*() {
    const client = yield* server.open("2025-11-25", { capabilities })
    assert.strictEqual(yield* client.text("keep"), "kept")
    const outside = yield* client.listen()
    const streamed = yield* client.call("held", { token: "t" })
    const plain = yield* Effect.forkChild(client.call("held"))
    const asked = yield* client.call("ask")
    yield* streamed.message
    yield* asked.message
    yield* H.settle
    return { client, outside, streamed, plain, asked }
  })

type Busy = Effect.Success<ReturnType<typeof busy>>

const everything = () => {
  const held = Tools.held()
  const keeping = Tools.keeping()
  const features = Layer.mergeAll(held.tool, keeping.tool, Tools.asking, Tools.now)
  const ended = ({ asked, outside, plain, streamed }: Busy) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(held.seen, { started: 2, interrupted: 2, ended: 2 })
      assert.deepStrictEqual(keeping.seen, { kept: 1, closed: 1 })
      for (const opened of [outside, streamed, yield* Fiber.join(plain)]) {
        assert.deepStrictEqual((yield* opened.remaining).filter((message) => "id" in message), [])
      }
      assert.deepStrictEqual((yield* asked.remaining).filter((message) => "result" in message), [])
    })
  return { features, ended, held }
}

const isOver = (client: H.Client) =>
  Effect.gen(function*() {
    assert.strictEqual((yield* client.call("now")).status, 404)
    assert.strictEqual((yield* client.post(H.initialized)).status, 404)
    assert.strictEqual((yield* client.listen()).status, 404)
    assert.strictEqual((yield* client.listen("0.1-1")).status, 404)
    assert.strictEqual((yield* client.end()).status, 404)
  })

describe("DELETE", () => {
  it.effect("MUST end the session, with all that is going on in it, and no other", () =>
    Effect.gen(function*() {
      const { ended, features } = everything()
      const server = yield* H.serve(features)
      const other = yield* server.open()
      const session = yield* busy(server)
      const deleted = yield* session.client.end()
      assert.strictEqual(deleted.status, 204)
      yield* ended(session)
      yield* isOver(session.client)
      assert.strictEqual(yield* other.text("now"), "now")
    }))

  it.effect("MUST end it although the client does not wait, and handlers and finalizers take their time", () =>
    Effect.gen(function*() {
      const seen = { ended: 0, closed: 0 }
      const slow = McpServer.tool(Tool.make("slow"), () =>
        Effect.gen(function*() {
          yield* Effect.ensuring(
            Effect.never,
            Effect.andThen(Effect.sleep("2 seconds"), Effect.sync(() => seen.ended++))
          )
        }))
      const keeping = Tools.keeping()
      const server = yield* H.serve(Layer.mergeAll(slow, Tools.now, keeping.tool))
      const client = yield* server.open()
      yield* client.text("keep")
      yield* Effect.forkChild(client.call("slow"))
      yield* H.settle
      const deleting = yield* Effect.forkChild(client.end())
      yield* H.settle
      // It is over for everybody while it is being closed.
      yield* isOver(client)
      yield* Fiber.interrupt(deleting)
      yield* H.pass("2 seconds")
      assert.deepStrictEqual(seen, { ended: 1, closed: 0 })
      assert.deepStrictEqual(keeping.seen, { kept: 1, closed: 1 })
    }))

  it.effect("MUST NOT wait for ever for a handler that ignores its interruption, nor leave its client waiting", () =>
    Effect.gen(function*() {
      const stubborn = McpServer.tool(
        Tool.make("stubborn"),
        () => Effect.uninterruptible(Effect.as(Effect.sleep("1 hour"), "late"))
      )
      const server = yield* H.serve(stubborn)
      const client = yield* server.open()
      const calling = yield* Effect.forkChild(client.call("stubborn"))
      const deleting = yield* Effect.forkChild(Effect.andThen(H.settle, client.end()))
      yield* H.settle
      yield* H.settle
      yield* H.pass("5 seconds")
      assert.strictEqual((yield* Fiber.join(deleting)).status, 204)
      assert.deepStrictEqual(yield* (yield* Fiber.join(calling)).remaining, [])
      yield* H.pass("1 hour")
    }))

  it.effect("MUST end it once, however many ask for it at once", () =>
    Effect.gen(function*() {
      const { ended, features } = everything()
      const server = yield* H.serve(features)
      const session = yield* busy(server)
      const statuses = yield* Effect.all(
        Array.from({ length: 10 }, () => Effect.map(session.client.end(), ({ status }) => status)),
        { concurrency: "unbounded" }
      )
      assert.isTrue(statuses.every((status) => status === 204 || status === 404), String(statuses))
      yield* ended(session)
      yield* isOver(session.client)
    }))

  it.effect("MUST NOT leave anything of what arrives while it is handled", () =>
    Effect.gen(function*() {
      const { features } = everything()
      const server = yield* H.serve(features)
      for (let n = 0; n < 20; n++) {
        const client = yield* server.open()
        const [listened, called] = yield* Effect.all(
          [client.listen(), client.call("held", { token: "t" }), client.end()],
          { concurrency: "unbounded" }
        )
        for (const opened of [listened, called]) {
          if (opened.status !== 404) assert.deepStrictEqual((yield* opened.remaining).filter(({ id }) => id === 1), [])
        }
        yield* isOver(client)
      }
    }))
})

describe("a session of which nothing is heard", () => {
  const idle = "10 minutes"

  it.effect("MUST end after a while", () =>
    Effect.gen(function*() {
      const keeping = Tools.keeping()
      const server = yield* H.serve(Layer.merge(keeping.tool, Tools.now), { http: { sessions: { idle, max: 1 } } })
      const client = yield* server.open()
      yield* client.text("keep")
      yield* H.pass("9 minutes")
      assert.strictEqual(yield* client.text("now"), "now")
      yield* H.pass("9 minutes")
      assert.strictEqual((yield* client.post(H.initialized)).status, 202)
      yield* H.pass("9 minutes")
      assert.strictEqual(keeping.seen.closed, 0)
      yield* H.pass("3 minutes")
      assert.strictEqual(keeping.seen.closed, 1)
      yield* isOver(client)
      // There is room for another.
      yield* server.open()
    }))

  it.effect("MUST NOT end while a call is running, whether its client is there or not", () =>
    Effect.gen(function*() {
      const { release, seen, tool } = Tools.held()
      const server = yield* H.serve(Layer.merge(tool, Tools.now), { http: { sessions: { idle } } })
      const clients = [yield* server.open(), yield* server.open()]
      const calls = []
      for (const client of clients) calls.push(yield* client.call("held", { token: "t" }))
      yield* calls[0]?.drop ?? Effect.void
      yield* H.pass("3 hours")
      assert.strictEqual(seen.interrupted, 0)
      yield* release
      yield* H.settle
      yield* H.pass("9 minutes")
      for (const client of clients) assert.strictEqual(yield* client.text("now"), "now")
      yield* H.pass("12 minutes")
      for (const client of clients) yield* isOver(client)
    }))

  it.effect("MUST end although it is asking its client, if that has gone, and only then", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.asking, { http: { sessions: { idle } } })
      const [stays, leaves] = [
        yield* server.open("2025-11-25", { capabilities }),
        yield* server.open("2025-11-25", { capabilities })
      ]
      const [read, lost] = [yield* stays.call("ask"), yield* leaves.call("ask")]
      yield* lost.message
      yield* lost.drop
      yield* H.pass("9 minutes")
      const again = yield* leaves.listen(lost.ids[0])
      yield* again.message
      yield* H.pass("3 hours")
      yield* again.drop
      yield* H.pass("12 minutes")
      yield* isOver(leaves)
      yield* stays.post(Tools.accept((yield* read.message).id, "it"))
      assert.strictEqual(H.textOf(yield* read.message), "it")
    }))

  it.effect("MUST NOT end while a stream is open", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.now, { http: { sessions: { idle } } })
      const client = yield* server.open()
      const opened = yield* client.listen()
      yield* H.pass("3 hours")
      assert.strictEqual(yield* client.text("now"), "now")
      yield* opened.drop
      yield* H.pass("12 minutes")
      yield* isOver(client)
    }))

  it.effect("MUST NOT end while initialize is handled", () =>
    Effect.gen(function*() {
      const slow = Middleware.make("slow", (request, next) =>
        request.method === "initialize" ? Effect.andThen(Effect.sleep("1 hour"), next()) : next())
      const server = yield* H.serve(Tools.now, { http: { sessions: { idle } }, server: { middleware: [slow] } })
      const opening = yield* Effect.forkChild(server.open())
      yield* H.settle
      yield* H.pass("1 hour")
      const client = yield* Fiber.join(opening)
      assert.strictEqual(yield* client.text("now"), "now")
    }))

  it.effect("MUST NOT keep others from ending, when it does not come to an end itself", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(
        Layer.merge(
          McpServer.tool(Tool.make("hang"), () =>
            Effect.flatMap(Tools.sessionScope, (scope) =>
              Effect.as(Scope.addFinalizer(scope, Effect.sleep("1 day")), "hung"))),
          Tools.now
        ),
        { http: { sessions: { idle } } }
      )
      const first = yield* server.open()
      yield* first.text("hang")
      yield* H.pass("5 minutes")
      const second = yield* server.open()
      yield* H.pass("20 minutes")
      yield* isOver(first)
      yield* isOver(second)
      yield* H.pass("1 day")
    }))
})

describe("the end of the server", () => {
  it.effect("MUST end all sessions, with all that is going on in them", () =>
    Effect.gen(function*() {
      const { ended, features } = everything()
      const scope = yield* Scope.make()
      const server = yield* Scope.provide(H.serve(features), scope)
      const session = yield* busy(server)
      const opening = yield* server.open()
      yield* Scope.close(scope, Exit.void)
      yield* ended(session)
      assert.strictEqual((yield* opening.call("now")).status, 404)
    }))

  it.effect("MUST end sessions that are being opened", () =>
    Effect.gen(function*() {
      const slow = Middleware.make("slow", (request, next) =>
        request.method === "initialize" ? Effect.andThen(Effect.sleep("1 minute"), next()) : next())
      const scope = yield* Scope.make()
      const server = yield* Scope.provide(H.serve(Tools.now, { server: { middleware: [slow] } }), scope)
      const opening = yield* Effect.forkChild(server.post(H.initialize("2025-11-25")))
      yield* H.settle
      yield* Scope.close(scope, Exit.void)
      yield* H.pass("1 minute")
      assert.isNull((yield* Fiber.join(opening)).response.headers.get("mcp-session-id"))
    }))
})

describe("a store", () => {
  it.effect("MUST be left empty of sessions and events that are over", () =>
    Effect.gen(function*() {
      const sessions = SessionStore.memory()
      const events = EventStore.memory()
      const { features, held } = everything()
      const server = yield* H.serve(features, { sessions, events, http: { sessions: { idle: "1 minute" } } })
      const deleted = yield* busy(server)
      yield* deleted.client.end()
      const expired = yield* server.open()
      yield* held.release
      const called = yield* expired.call("held", { token: "t" })
      yield* called.remaining
      yield* H.pass("1 minute")
      yield* H.pass("1 minute")
      for (const [{ id }, opened] of [[deleted.client, deleted.streamed], [expired, called]] as const) {
        assert.strictEqual((yield* sessions.find(id))._tag, "None")
        for (const place of opened.ids) {
          assert.deepStrictEqual(yield* events.read(id, place.slice(0, place.lastIndexOf("-")), 0), [])
        }
      }
    }))

  it.effect("MUST NOT keep a request waiting, when it does not come to an end itself", () =>
    Effect.gen(function*() {
      const memory = SessionStore.memory()
      const never = { ...memory, touch: () => Effect.never, release: () => Effect.never, remove: () => Effect.never }
      const keeping = Tools.keeping()
      const server = yield* H.serve(Layer.merge(Tools.now, keeping.tool), { sessions: never })
      const client = yield* server.open()
      yield* client.text("keep")
      yield* H.pass("10 minutes")
      assert.strictEqual(yield* client.text("now"), "now")
      yield* Effect.forkChild(client.end())
      yield* H.settle
      assert.strictEqual(keeping.seen.closed, 1)
      yield* isOver(client)
    }))
})
