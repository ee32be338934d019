/** Sessions over Streamable HTTP: how they begin, whose they are, and who may speak in them. */
import { assert, describe, it } from "@effect/vitest"
import * as SessionStore from "@mcp-effect/http/SessionStore"
import * as StreamableHttpServer from "@mcp-effect/http/StreamableHttpServer"
import { JsonRpc } from "@mcp-effect/protocol"
import { McpServer, Middleware } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"

const features = Layer.mergeAll(Tools.now, Tools.whoami)

const idOf = ({ response }: H.Opened) => response.headers.get("mcp-session-id")

describe("the id of a session", () => {
  it.effect("MUST be on the response to initialize, unguessable, of visible ASCII, and another for each", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features)
      const ids = new Set<string | null>()
      for (let n = 0; n < 50; n++) {
        const opened = yield* server.post(H.initialize("2025-11-25"))
        assert.strictEqual(opened.status, 200)
        assert.match(idOf(opened) ?? "", /^[\x21-\x7e]{32,}$/)
        ids.add(idOf(opened))
      }
      assert.strictEqual(ids.size, 50)
    }))

  it.effect("MUST be named by every later request: 400 without one", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features)
      yield* server.open()
      for (
        const opened of [
          yield* server.post(H.call(1, "now")),
          yield* server.post(H.initialized),
          yield* server.send("GET", { accept: "text/event-stream" }),
          yield* server.send("DELETE", {})
        ]
      ) {
        assert.strictEqual(opened.status, 400)
        const { error } = yield* opened.json
        assert.deepInclude(error, {
          code: JsonRpc.INVALID_REQUEST,
          message: "The header Mcp-Session-Id must name a session; \"initialize\" opens one"
        })
      }
    }))

  it.effect("MUST be one that exists: 404, for initialize too", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features)
      const client = yield* server.open()
      for (const id of ["", "nobody", `${client.id}x`, client.id.slice(1), client.id.toUpperCase(), "__proto__"]) {
        const stranger = new H.Client(server, id)
        assert.strictEqual((yield* stranger.call("now")).status, 404, id)
        assert.strictEqual((yield* stranger.listen()).status, 404, id)
        assert.strictEqual((yield* stranger.end()).status, 404, id)
        assert.strictEqual((yield* stranger.post(H.initialize("2025-11-25"))).status, 404, id)
      }
      assert.strictEqual(yield* client.text("now"), "now")
    }))

  it.effect("is not needed to hear that a body is no message", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features)
      const opened = yield* server.post("{")
      assert.strictEqual(opened.status, 400)
      assert.deepInclude((yield* opened.json).error, { code: JsonRpc.PARSE_ERROR })
    }))
})

describe("the principal that opens a session", () => {
  it.effect("MUST be the only one who may use it: 404 for others, with a log line", () =>
    H.logged((lines) =>
      Effect.gen(function*() {
        const server = yield* H.serve(features)
        const client = yield* server.open("2025-11-25", { headers: { "x-subject": "ann" } })
        const nobodys = yield* server.open("2025-11-25")
        for (
          const stranger of [
            new H.Client(server, client.id, { "x-subject": "bob" }),
            new H.Client(server, client.id),
            new H.Client(server, nobodys.id, { "x-subject": "ann" })
          ]
        ) {
          assert.strictEqual((yield* stranger.call("now")).status, 404)
          assert.strictEqual((yield* stranger.post(H.initialized)).status, 404)
          assert.strictEqual((yield* stranger.listen()).status, 404)
          assert.strictEqual((yield* stranger.listen("0.0-0")).status, 404)
          assert.strictEqual((yield* stranger.end()).status, 404)
        }
        assert.strictEqual(lines.filter((line) => line.includes("somebody else has opened it")).length, 15)
        assert.strictEqual(yield* client.text("whoami"), "ann")
        assert.strictEqual(yield* nobodys.text("whoami"), "nobody")
      })
    ))

  it.effect("MUST reach handlers, also what they do once the response is streamed and after its connection was lost", () =>
    Effect.gen(function*() {
      const { release, tool } = Tools.held()
      const server = yield* H.serve(tool)
      const client = yield* server.open("2025-11-25", { headers: { "x-subject": "ann" } })
      const stays = yield* client.call("held", { token: "a" })
      const leaves = yield* client.call("held", { token: "b" })
      yield* stays.message
      yield* leaves.message
      yield* leaves.drop
      yield* release
      assert.strictEqual(H.textOf((yield* stays.remaining)[1] ?? {}), "ann")
      const rest = yield* (yield* client.listen(leaves.ids.at(-1))).remaining
      assert.strictEqual(H.textOf(rest[1] ?? {}), "ann")
    }))
})

describe("initialize", () => {
  it.effect("MUST leave no session when it fails", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features, { http: { sessions: { max: 1 } } })
      for (const params of [{}, { protocolVersion: 1 }, { protocolVersion: "2025-11-25", capabilities: {} }]) {
        const opened = yield* server.post({ jsonrpc: "2.0", id: 7, method: "initialize", params })
        assert.isNull(idOf(opened))
        assert.deepInclude(yield* opened.json, { id: 7 })
      }
      // There is room for the only one.
      assert.isNotNull(idOf(yield* server.post(H.initialize("2025-11-25"))))
    }))

  it.effect("MUST leave no session when its client goes before it is done", () =>
    Effect.gen(function*() {
      let scopes = 0
      const slow = Middleware.make("slow", (_request, next) =>
        Effect.suspend(() => {
          scopes++
          return Effect.andThen(Effect.ensuring(Effect.never, Effect.sync(() => scopes--)), next())
        }))
      const server = yield* H.serve(features, { http: { sessions: { max: 1 } }, server: { middleware: [slow] } })
      for (let n = 0; n < 3; n++) {
        const opening = yield* Effect.forkChild(server.post(H.initialize("2025-11-25")))
        yield* H.settle
        assert.strictEqual(scopes, 1)
        assert.strictEqual((yield* server.post(H.initialize("2025-11-25"))).status, 503)
        yield* Fiber.interrupt(opening)
        yield* H.settle
        assert.strictEqual(scopes, 0)
      }
    }))

  it.effect("MUST leave no session when its client goes while it is stored", () =>
    Effect.gen(function*() {
      const memory = SessionStore.memory()
      const ids: Array<string> = []
      const slow = {
        ...memory,
        put: (...[session, idle]: Parameters<typeof memory.put>) => {
          ids.push(session.id)
          return Effect.andThen(memory.put(session, idle), Effect.never)
        }
      }
      const server = yield* H.serve(features, { sessions: slow, http: { sessions: { max: 1 } } })
      for (let n = 1; n <= 3; n++) {
        const opening = yield* Effect.forkChild(server.post(H.initialize("2025-11-25")))
        yield* H.settle
        assert.strictEqual(ids.length, n)
        yield* Fiber.interrupt(opening)
        yield* H.settle
        assert.strictEqual((yield* new H.Client(server, ids.at(-1) ?? "").call("now")).status, 404)
      }
    }))

  it.effect("MUST be refused in a session that was initialized, which goes on", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features)
      const client = yield* server.open()
      const again = yield* client.post(H.initialize("2025-06-18"))
      assert.isNull(idOf(again))
      assert.deepInclude((yield* again.json).error, { code: JsonRpc.INVALID_REQUEST })
      assert.strictEqual(yield* client.text("now"), "now")
    }))

  it.effect("MUST be refused, with 503 and Retry-After and a log line, where there are too many sessions", () =>
    H.logged((lines) =>
      Effect.gen(function*() {
        const server = yield* H.serve(features, { http: { sessions: { max: 2 } } })
        const first = yield* server.open()
        const second = yield* server.open()
        const refused = yield* server.post(H.initialize("2025-11-25"))
        assert.strictEqual(refused.status, 503)
        assert.match(refused.response.headers.get("retry-after") ?? "", /^\d+$/)
        assert.isTrue(lines.some((line) => line.includes("there are 2, which is the limit")), lines.join("\n"))
        assert.strictEqual(yield* second.text("now"), "now")
        assert.strictEqual((yield* first.end()).status, 204)
        yield* server.open()
        assert.strictEqual((yield* server.post(H.initialize("2025-11-25"))).status, 503)
      })
    ))
})

describe("the header MCP-Protocol-Version", () => {
  it.effect("MUST be one that the server speaks, on every request of a session: 400", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features, { server: { revisions: ["2025-06-18", "2025-11-25"] } })
      const client = yield* server.open()
      for (const version of ["1999-01-01", "", "2025-03-26", "2026-07-28", "2025-11-25, 2025-06-18"]) {
        const headers = { "mcp-protocol-version": version }
        assert.strictEqual((yield* client.post(H.call(1, "now"), headers)).status, 400, version)
        assert.strictEqual((yield* client.post(H.initialized, headers)).status, 400, version)
        assert.strictEqual((yield* client.listen(undefined, headers)).status, 400, version)
        assert.strictEqual((yield* client.end(headers)).status, 400, version)
      }
      assert.strictEqual(yield* client.text("now"), "now")
    }))

  it.effect("may be absent: the session knows its revision", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features)
      const { id } = yield* server.open("2025-06-18")
      assert.strictEqual(yield* new H.Client(server, id).text("now"), "now")
    }))

  it.effect("MUST NOT keep a client from shaking hands", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features)
      const opened = yield* server.post(H.initialize("2025-11-25"), { "mcp-protocol-version": "1999-01-01" })
      assert.isNotNull(idOf(opened))
    }))
})

describe("messages without a reply", () => {
  it.effect("MUST be answered with 202 and no body", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features)
      const client = yield* server.open()
      for (const message of [H.initialized, { jsonrpc: "2.0", method: "notifications/unknown" }]) {
        const opened = yield* client.post(message)
        assert.strictEqual(opened.status, 202)
        assert.strictEqual(yield* Effect.promise(() => opened.response.text()), "")
      }
    }))

  it.effect("MUST be taken with a log line if they answer what was not asked", () =>
    H.logged((lines) =>
      Effect.gen(function*() {
        const server = yield* H.serve(features)
        const client = yield* server.open()
        assert.strictEqual((yield* client.post({ jsonrpc: "2.0", id: 99, result: {} })).status, 202)
        assert.isTrue(lines.some((line) => line.includes("Dropped a response to 99")), lines.join("\n"))
      })
    ))

  it.effect("MUST be handled to their end although the client goes", () =>
    Effect.gen(function*() {
      const seen = { begun: 0, ended: 0 }
      const notified = McpServer.notification("notifications/custom", () =>
        Effect.sync(() => seen.begun++).pipe(
          Effect.andThen(Effect.sleep("1 second")),
          Effect.andThen(Effect.sync(() => seen.ended++))
        ))
      const server = yield* H.serve(Layer.merge(features, notified))
      const client = yield* server.open()
      const sent = yield* Effect.forkChild(client.post({ jsonrpc: "2.0", method: "notifications/custom" }))
      yield* H.settle
      yield* Fiber.interrupt(sent)
      yield* H.settle
      yield* H.pass("1 second")
      assert.deepStrictEqual(seen, { begun: 1, ended: 1 })
    }))
})

describe("toWebHandler", () => {
  it.live("MUST serve sessions until it is disposed of", () =>
    Effect.promise(async () => {
      const { seen, tool } = Tools.held()
      const { dispose, handler } = StreamableHttpServer.toWebHandler(
        Layer.provideMerge(tool, McpServer.layer({ name: "web", version: "1.0.0" }))
      )
      const server = new H.Server(handler)
      const stream = await Effect.runPromise(Effect.gen(function*() {
        const client = yield* server.open()
        const stream = yield* client.call("held", { token: "t" })
        yield* stream.message
        return stream
      }))
      await dispose()
      assert.deepStrictEqual(seen, { started: 1, interrupted: 1, ended: 1 })
      assert.deepStrictEqual(await Effect.runPromise(stream.remaining), [])
    }))
})
