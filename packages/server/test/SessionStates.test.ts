/** The state machine of a session, as a client meets it. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Client, connect, hello, serve } from "./client.ts"

const anything = McpServer.tool(Tool.make("anything", {}), () => Effect.succeed("done"))

const tagOf = ({ connection }: Client) => Effect.map(connection.session.state, ({ _tag }) => _tag)

const refused = (client: Client, method: string, params?: JsonRpc.Params) =>
  Effect.gen(function*() {
    const before = yield* tagOf(client)
    const error = yield* client.error(method, params)
    assert.strictEqual(error.code, JsonRpc.INVALID_REQUEST)
    assert.include(error.message, before)
    assert.strictEqual(yield* tagOf(client), before)
  })

describe("a session that is created", () => {
  it.effect("MUST refuse requests, unknown ones included, and answer ping", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* serve(anything))
      assert.strictEqual(yield* tagOf(client), "created")
      yield* refused(client, "tools/list")
      yield* refused(client, "tools/call", { name: "anything" })
      yield* refused(client, "nothing/at-all")
      assert.deepStrictEqual(yield* client.result("ping"), {})
    }))

  it.effect("MUST ignore notifications/initialized, which then does not stand for a later one", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* serve(anything))
      yield* client.initialized
      assert.strictEqual(yield* tagOf(client), "created")
      yield* client.result("initialize", hello("2025-11-25"))
      assert.strictEqual(yield* tagOf(client), "initializing")
    }))
})

describe("a session that is initializing", () => {
  const initializing = Effect.gen(function*() {
    const client = yield* connect(yield* serve(anything))
    yield* client.result("initialize", hello("2025-06-18"))
    assert.strictEqual(yield* tagOf(client), "initializing")
    return client
  })

  it.effect("MUST refuse requests, and answer ping", () =>
    Effect.gen(function*() {
      const client = yield* initializing
      yield* refused(client, "tools/list")
      assert.deepStrictEqual(yield* client.result("ping"), {})
    }))

  it.effect("MUST refuse a second initialize, and keep the revision of the first", () =>
    Effect.gen(function*() {
      const client = yield* initializing
      yield* refused(client, "initialize", hello("2024-11-05"))
      yield* client.initialized
      assert.strictEqual((yield* client.connection.session.revision)?.name, "2025-06-18")
    }))
})

describe("a session that is ready", () => {
  const ready = Effect.gen(function*() {
    const client = yield* connect(yield* serve(anything))
    yield* client.result("initialize", hello("2025-06-18"))
    yield* client.initialized
    assert.strictEqual(yield* tagOf(client), "ready")
    return client
  })

  it.effect("MUST answer what is declared, and ping", () =>
    Effect.gen(function*() {
      const client = yield* ready
      assert.deepStrictEqual(yield* client.call("anything"), { content: [{ type: "text", text: "done" }] })
      assert.deepStrictEqual(yield* client.result("ping"), {})
    }))

  it.effect("MUST refuse a second initialize, ignore a second initialized, and stay ready", () =>
    Effect.gen(function*() {
      const client = yield* ready
      yield* refused(client, "initialize", hello("2024-11-05"))
      yield* client.initialized
      assert.strictEqual((yield* client.connection.session.revision)?.name, "2025-06-18")
      yield* client.call("anything")
    }))

  it.effect.each([
    "nothing/at-all",
    "resources/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "server/discover",
    "subscriptions/listen",
    "toString",
    "constructor"
  ])(
    "MUST answer %s, which the revision does not have or the server does not declare, with -32601",
    (method) =>
      Effect.gen(function*() {
        const client = yield* ready
        const error = yield* client.error(method)
        assert.strictEqual(error.code, JsonRpc.METHOD_NOT_FOUND)
        assert.include(error.message, method)
      })
  )

  it.effect("of a server without tools MUST answer tools/list and tools/call with -32601", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* serve())
      yield* client.result("initialize", hello("2025-11-25"))
      yield* client.initialized
      assert.strictEqual((yield* client.error("tools/list")).code, JsonRpc.METHOD_NOT_FOUND)
      assert.strictEqual((yield* client.error("tools/call", { name: "x" })).code, JsonRpc.METHOD_NOT_FOUND)
    }))
})

describe("a session whose connection is closed", () => {
  it.effect("MUST be disconnected, and refuse everything for good", () =>
    Effect.gen(function*() {
      const server = yield* serve(anything)
      const scope = yield* Scope.make()
      const client = yield* Scope.provide(connect(server), scope)
      yield* client.result("initialize", hello("2025-11-25"))
      yield* client.initialized
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* tagOf(client), "disconnected")
      yield* refused(client, "tools/list")
      yield* refused(client, "initialize", hello("2025-11-25"))
      yield* client.initialized
      assert.strictEqual(yield* tagOf(client), "disconnected")
    }))
})

describe("a session that has failed", () => {
  it.effect("MUST stay failed, keep the first reason, and leave stateless requests alone", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const server = yield* serve(anything, { revisions: ["2026-07-28"] })
      const client = yield* Scope.provide(connect(server), scope)
      yield* client.error("initialize", hello("2025-11-25"))
      const failed = yield* client.connection.session.state
      assert.ok(failed._tag === "failed" && failed.reason.includes("2025-11-25"))
      yield* client.error("initialize", hello("2024-11-05"))
      yield* client.initialized
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* client.connection.session.state, failed)
    }))
})

describe("session.changes", () => {
  it.effect("MUST show every state in its order, whatever else is asked in between", () =>
    Effect.gen(function*() {
      const server = yield* serve(anything)
      const scope = yield* Scope.make()
      const client = yield* Scope.provide(connect(server), scope)
      const seen: Array<string> = []
      const watching = yield* client.connection.session.changes.pipe(
        Stream.takeUntil(({ _tag }) => _tag === "disconnected"),
        Stream.runForEach(({ _tag }) => Effect.sync(() => void seen.push(_tag))),
        Effect.forkChild({ startImmediately: true })
      )
      yield* client.initialized
      yield* client.error("tools/list")
      yield* client.result("initialize", hello("2025-11-25"))
      yield* client.error("initialize", hello("2025-11-25"))
      yield* client.initialized
      yield* client.initialized
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(watching)
      assert.deepStrictEqual(seen, ["created", "initializing", "ready", "disconnected"])
    }))

  it.effect("two connections of one server MUST have sessions of their own", () =>
    Effect.gen(function*() {
      const server = yield* serve(anything)
      const one = yield* connect(server)
      const two = yield* connect(server)
      yield* one.result("initialize", hello("2024-11-05"))
      yield* one.initialized
      assert.deepStrictEqual([yield* tagOf(one), yield* tagOf(two)], ["ready", "created"])
      yield* refused(two, "tools/list")
    }))
})
