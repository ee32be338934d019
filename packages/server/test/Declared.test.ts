/** A session gets what it was told of when it began, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import { connect, hello, serve, speak, texts } from "./client.ts"
import { logged } from "./log.ts"

const add = (server: McpServer.McpServer["Service"]) =>
  Effect.provideService(
    McpServer.addTool(Tool.make("late", {}), () => Effect.succeed("called")),
    McpServer.McpServer,
    server
  )

const settle = Effect.repeat(Effect.yieldNow, { times: 5 })

describe("tools that come after the session has begun", () => {
  it.effect("MUST NOT exist for a session that was told of no tools, and MUST NOT be announced to it", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const client = yield* speak(server, "2025-11-25")
      yield* add(server)
      yield* settle
      for (const method of ["tools/list", "tools/call"]) {
        const response = yield* client.ask(method, { name: "late" })
        assert.ok(response._tag === "Failure" && response.error.code === JsonRpc.METHOD_NOT_FOUND)
      }
      assert.deepStrictEqual(client.heard, [])
      // A later session is told of them.
      const later = yield* speak(server, "2025-11-25")
      assert.deepStrictEqual(texts(yield* later.result("tools/call", { name: "late" })), ["called"])
    }))

  it.effect("MUST be announced and callable where the server has declared tools from the start", () =>
    Effect.gen(function*() {
      const server = yield* serve(undefined, { declare: ["tools"] })
      const greeted = yield* (yield* connect(server)).result("initialize", hello("2025-11-25"))
      assert.deepInclude(greeted.capabilities, { tools: { listChanged: true } })
      const client = yield* speak(server, "2025-11-25")
      assert.deepStrictEqual((yield* client.result("tools/list")).tools, [])
      yield* add(server)
      yield* settle
      assert.deepStrictEqual(client.heard, [JsonRpc.notification("notifications/tools/list_changed")])
      assert.deepStrictEqual(texts(yield* client.result("tools/call", { name: "late" })), ["called"])
    }))
})

describe("a server that offers nothing", () => {
  it.effect("MUST say so in the log, once for a connection, and only then", () =>
    logged((lines) =>
      Effect.gen(function*() {
        yield* connect(yield* serve())
        yield* connect(yield* serve(undefined, { declare: ["tools"] }))
        assert.strictEqual(lines.length, 1)
        assert.include(lines[0], "offers nothing")
      })
    ))
})
