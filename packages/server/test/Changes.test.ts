import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import { closed, type Peer } from "@mcp-effect/protocol/Peer"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Changes from "@mcp-effect/server/Changes"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { connect, hello, serve, speak } from "./client.ts"
import { logged } from "./log.ts"

const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

const withTools = serve(undefined, { declare: ["tools"] })

const toolsChanged = JsonRpc.notification("notifications/tools/list_changed")

describe("Changes", () => {
  it.effect("MUST call back every observer in order, until it has stopped", () =>
    Effect.gen(function*() {
      const { observe, publish } = Changes.make()
      const seen: Array<string> = []
      const stop = observe(({ method }) => void seen.push(`a ${method}`))
      observe(({ method }) => void seen.push(`b ${method}`))
      yield* publish({ method: "1" })
      yield* publish({ method: "2" })
      stop()
      stop()
      yield* publish({ method: "3" })
      assert.deepStrictEqual(seen, ["a 1", "b 1", "a 2", "b 2", "b 3"])
    }))

  it.effect("MUST reach the others, and not fail who publishes, where one observer throws", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { observe, publish } = Changes.make()
        let seen = 0
        observe(() => {
          throw new Error("broken observer")
        })
        observe(() => void seen++)
        yield* publish(Changes.tools)
        assert.strictEqual(seen, 1)
        assert.match(
          lines.join("\n"),
          /Error An observer of notifications\/tools\/list_changed failed .*broken observer/
        )
      })
    ))

  it.effect("MUST reach an observer that stops another, or itself, while it is called", () =>
    Effect.gen(function*() {
      const { observe, publish } = Changes.make()
      const seen: Array<string> = []
      const stop = observe(() => {
        seen.push("a")
        stop()
        stopB()
      })
      const stopB = observe(() => void seen.push("b"))
      observe(() => void seen.push("c"))
      yield* publish(Changes.tools)
      yield* publish(Changes.tools)
      assert.deepStrictEqual(seen, ["a", "c", "c"])
    }))

  it.effect("MUST be the user's own where there is one, and join the servers that share it", () =>
    Effect.gen(function*() {
      const changes = Changes.make()
      const one = yield* Effect.provideService(withTools, Changes.Changes, changes)
      const two = yield* Effect.provideService(withTools, Changes.Changes, changes)
      const alone = yield* withTools
      const [first, second, third] = [
        yield* speak(one, "2025-11-25"),
        yield* speak(two, "2025-06-18"),
        yield* speak(alone, "2025-11-25")
      ]
      yield* changes.publish(Changes.tools)
      yield* settle
      assert.deepStrictEqual([first.heard, second.heard, third.heard], [[toolsChanged], [toolsChanged], []])
      yield* Effect.provideService(
        McpServer.addTool(Tool.make("new", {}), () => Effect.void),
        McpServer.McpServer,
        one
      )
      yield* settle
      assert.deepStrictEqual([first.heard.length, second.heard.length, third.heard.length], [2, 2, 0])
      assert.strictEqual(one.changes, changes)
    }))

  it.effect("MUST be published to by McpServer.changed", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const client = yield* speak(server, "2025-11-25")
      yield* Effect.provideService(McpServer.changed(Changes.tools), McpServer.McpServer, server)
      yield* settle
      assert.deepStrictEqual(client.heard, [toolsChanged])
    }))
})

describe("a session", () => {
  it.effect("MUST be told of a burst once, and only of features that it was told of", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const client = yield* speak(server, "2025-11-25")
      // Effect itself gives way now and then.
      const publish = (change: Changes.Change) => Effect.runSync(server.changes.publish(change))
      yield* Effect.sync(() => {
        for (let n = 0; n < 1000; n++) {
          const unheardOf = { method: `notifications/unheard-of/${n}` }
          for (const change of [Changes.tools, Changes.prompts, Changes.resource(`a:${n}`), unheardOf]) publish(change)
        }
      })
      yield* settle
      assert.deepStrictEqual(client.heard, [toolsChanged])
    }))

  it.effect("MUST NOT be told of tools that came after it was initialized without", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const client = yield* speak(server, "2025-11-25")
      yield* Effect.provideService(
        McpServer.addTool(Tool.make("late", {}), () => Effect.void),
        McpServer.McpServer,
        server
      )
      yield* settle
      assert.deepStrictEqual(client.heard, [])
    }))

  it.effect("MUST NOT be told before it is ready, nor afterwards of what was before", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const client = yield* connect(server)
      yield* server.changes.publish(Changes.tools)
      yield* client.result("initialize", hello("2025-11-25"))
      yield* server.changes.publish(Changes.tools)
      yield* client.initialized
      yield* settle
      assert.deepStrictEqual(client.heard, [])
      yield* server.changes.publish(Changes.tools)
      yield* settle
      assert.deepStrictEqual(client.heard, [toolsChanged])
    }))

  it.effect("whose client is slow MUST NOT have more waiting than its bound, which is logged once", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const announcing = McpServer.extension({
          id: "com.example/things",
          announces: () => ({ matches: ({ method }) => method === "notifications/thing" })
        })
        const server = yield* serve(announcing)
        const gate = yield* Deferred.make<void>()
        let told = 0
        const back: Peer = {
          ...closed,
          notify: () => Effect.andThen(Effect.sync(() => void told++), Deferred.await(gate))
        }
        const connection = yield* server.connect(back)
        const params = hello("2025-11-25", { extensions: { "com.example/things": {} } })
        yield* connection.request(JsonRpc.request(1, "initialize", params), back)
        yield* connection.notify(JsonRpc.notification("notifications/initialized"))
        for (let n = 0; n < 1000; n++) {
          yield* server.changes.publish({ method: "notifications/thing", params: { n } })
          if (n === 0) yield* settle
        }
        assert.strictEqual(told, 1)
        yield* Deferred.succeed(gate, undefined)
        yield* settle
        assert.strictEqual(told, 11)
        assert.lengthOf(lines.filter((line) => line.startsWith("Warn Changes were not told")), 1)
      }).pipe(Effect.provideService(Limits.Limits, { ...Limits.defaults, inFlight: 10 }))
    ))
})
