import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { closed, type Peer } from "@mcp-effect/protocol/Peer"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { connect, hello, serve, speak } from "./client.ts"

const anything = McpServer.tool(Tool.make("anything", {}), () => Effect.void)

const add = (server: McpServer.McpServer["Service"], name: string) =>
  Effect.provideService(
    McpServer.addTool(Tool.make(name, {}), () => Effect.void),
    McpServer.McpServer,
    server
  )

const settle = Effect.repeat(Effect.yieldNow, { times: 5 })

const changed = [JsonRpc.notification("notifications/tools/list_changed")]

describe("notifications/tools/list_changed", () => {
  it.effect("MUST tell of a removed tool as of an added one", () =>
    Effect.gen(function*() {
      const server = yield* serve(anything)
      const client = yield* speak(server, "2025-11-25")
      const scope = yield* Scope.make()
      yield* Scope.provide(add(server, "new"), scope)
      yield* settle
      assert.deepStrictEqual(client.heard, changed)
      yield* Scope.close(scope, Exit.void)
      yield* settle
      assert.deepStrictEqual(client.heard, [...changed, ...changed])
    }))

  it.effect("MUST NOT be sent to a session that is not ready, nor to one that is stateless", () =>
    Effect.gen(function*() {
      const server = yield* serve(anything)
      const created = yield* connect(server)
      const initializing = yield* connect(server)
      yield* initializing.result("initialize", hello("2025-11-25"))
      const stateless = yield* speak(server, "2026-07-28")
      yield* stateless.result("tools/list")
      yield* add(server, "new")
      yield* settle
      assert.deepStrictEqual([created.heard, initializing.heard, stateless.heard], [[], [], []])
      // What happened before is not told later.
      yield* initializing.initialized
      yield* settle
      assert.deepStrictEqual(initializing.heard, [])
    }))

  it.effect("MUST NOT be sent to a connection that is closed", () =>
    Effect.gen(function*() {
      const server = yield* serve(anything)
      const scope = yield* Scope.make()
      const client = yield* Scope.provide(speak(server, "2025-11-25"), scope)
      yield* add(server, "new")
      yield* Scope.close(scope, Exit.void)
      yield* add(server, "newer")
      yield* settle
      assert.deepStrictEqual(client.heard, [])
    }))

  it.effect("MUST NOT be sent when adding a tool has failed", () =>
    Effect.gen(function*() {
      const server = yield* serve(anything)
      const client = yield* speak(server, "2025-11-25")
      yield* Effect.flip(add(server, "anything"))
      yield* settle
      assert.deepStrictEqual(client.heard, [])
    }))
})

describe("a client that is slow to take notifications/tools/list_changed", () => {
  it.effect("MUST NOT have more than one waiting for it, and MUST be told of what changed meanwhile", () =>
    Effect.gen(function*() {
      const server = yield* serve(anything)
      const gate = yield* Deferred.make<void>()
      let started = 0
      const back: Peer = {
        ...closed,
        notify: () => Effect.suspend(() => ++started === 1 ? Deferred.await(gate) : Effect.void)
      }
      const connection = yield* server.connect(back)
      yield* connection.request(JsonRpc.request(1, "initialize", hello("2025-11-25")), back)
      yield* connection.notify(JsonRpc.notification("notifications/initialized"))
      for (let n = 0; n < 50; n++) {
        yield* add(server, `new-${n}`)
        yield* settle
      }
      assert.strictEqual(started, 1)
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.strictEqual(started, 2)
    }))
})
