/** The stateful revisions where the server keeps no sessions. */
import { assert, describe, it } from "@effect/vitest"
import { JsonRpc, Tool } from "@mcp-effect/protocol"
import { McpServer, RequestContext } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"

const revision = McpServer.tool(
  Tool.make("revision"),
  () => Effect.map(RequestContext.current, ({ client, revision }) => `${revision.name} ${client.info?.name}`)
)

const http = { sessions: false } as const

const features = Layer.mergeAll(Tools.now, Tools.whoami, revision)

const ask = (server: H.Server, name: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(server.post(H.call(1, name), headers), ({ json }) => Effect.map(json, H.textOf))

describe("a server without sessions", () => {
  it.effect("MUST shake hands without an id of a session", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features, { http })
      for (const version of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
        const opened = yield* server.post(H.initialize(version))
        assert.strictEqual(opened.status, 200)
        assert.isNull(opened.response.headers.get("mcp-session-id"))
        assert.deepInclude((yield* opened.json).result, { protocolVersion: version })
        assert.strictEqual((yield* server.post(H.initialized)).status, 202)
      }
    }))

  it.effect("MUST answer each request in the revision that its header names, and in 2025-03-26 without one", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features, { http })
      for (const version of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
        assert.strictEqual(yield* ask(server, "revision", { "mcp-protocol-version": version }), `${version} unknown`)
      }
      assert.strictEqual(yield* ask(server, "revision"), "2025-03-26 unknown")
      assert.strictEqual((yield* server.post(H.call(1, "now"), { "mcp-protocol-version": "1999-01-01" })).status, 400)
    }))

  it.effect("MUST answer GET and DELETE with 405 that allows POST", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features, { http })
      for (const method of ["GET", "DELETE", "PUT"]) {
        const { response, status } = yield* server.send(method, { accept: "text/event-stream" })
        assert.strictEqual(status, 405)
        assert.strictEqual(response.headers.get("allow"), "POST")
      }
    }))

  it.effect("MUST take notifications and responses with 202, and refuse what is no message with 400", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(features, { http })
      for (const message of [H.initialized, { jsonrpc: "2.0", id: 1, result: {} }]) {
        assert.strictEqual((yield* server.post(message)).status, 202)
      }
      const refused = yield* server.post("{")
      assert.strictEqual(refused.status, 400)
      assert.deepInclude((yield* refused.json).error, { code: JsonRpc.PARSE_ERROR })
    }))

  it.effect("MUST NOT ask the client", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.asking, { http })
      assert.match(String(yield* ask(server, "ask", { "mcp-protocol-version": "2025-11-25" })), /^no answer: /)
    }))

  it.effect("MUST tell handlers who calls, and interrupt them when the connection is lost", () =>
    Effect.gen(function*() {
      const { seen, tool } = Tools.held()
      const server = yield* H.serve(Layer.merge(features, tool), { http })
      assert.strictEqual(yield* ask(server, "whoami", { "x-subject": "ann" }), "ann")
      const plain = yield* Effect.forkChild(server.post(H.call(1, "held")))
      const streamed = yield* server.post(H.call(1, "held", { token: "t" }))
      assert.strictEqual((yield* streamed.message).method, "notifications/progress")
      assert.deepStrictEqual(streamed.ids, [])
      yield* H.settle
      assert.deepStrictEqual(seen, { started: 2, interrupted: 0, ended: 0 })
      yield* Fiber.interrupt(plain)
      yield* streamed.drop
      yield* H.settle
      assert.deepStrictEqual(seen, { started: 2, interrupted: 2, ended: 2 })
    }))

  it.effect("MUST NOT handle more than a number of requests at once: 503", () =>
    Effect.gen(function*() {
      const { release, tool } = Tools.held()
      const server = yield* H.serve(Layer.merge(features, tool), { http, limits: { inFlight: 1 } })
      const running = yield* server.post(H.call(1, "held", { token: "t" }))
      yield* running.message
      for (const body of [H.call(2, "now"), [H.call(2, "now")]]) {
        const refused = yield* server.post(body)
        assert.strictEqual(refused.status, 503)
        assert.isNotNull(refused.response.headers.get("retry-after"))
      }
      yield* release
      yield* running.remaining
      assert.strictEqual(yield* ask(server, "now"), "now")
    }))

  it.effect("MUST interrupt everything when it ends", () =>
    Effect.gen(function*() {
      const { seen, tool } = Tools.held()
      const scope = yield* Scope.make()
      const server = yield* Scope.provide(H.serve(tool, { http }), scope)
      const running = yield* server.post(H.call(1, "held", { token: "t" }))
      const batch = yield* Effect.forkChild(server.post([H.call(1, "held"), H.call(2, "held")]))
      yield* running.message
      yield* H.settle
      assert.strictEqual(seen.started, 3)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(seen, { started: 3, interrupted: 3, ended: 3 })
      yield* Fiber.join(batch)
    }))
})
