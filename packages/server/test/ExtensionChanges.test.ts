/** What an extension tells of: to who listens for it, and to sessions. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Tool from "@mcp-effect/protocol/Tool"
import type { Change } from "@mcp-effect/server/Changes"
import type { Extension } from "@mcp-effect/server/Extensions"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import { serve, speak } from "./client.ts"
import { logged } from "./log.ts"

const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

const id = "com.example/thing"
const both = { extensions: { [id]: {} } }

const greet = McpServer.tool(Tool.make("greet", {}), () => Effect.succeed("hello"))

const withExtension = (extension: Extension) => Effect.tap(serve(greet), (server) => server.extensions.add(extension))

describe("the changes of an extension", () => {
  const update = (taskId: string): Change => ({ method: "notifications/tasks", params: { taskId, status: "working" } })
  const idsOf = (requested: unknown): ReadonlyArray<string> =>
    Array.isArray(requested) ? requested.filter((id) => typeof id === "string" && id !== "foreign") : []
  const tasks: Extension = {
    id,
    listens: {
      taskIds: (requested) => {
        const ids = new Set(idsOf(requested))
        return ids.size === 0
          ? undefined
          : { honoured: [...ids], matches: ({ params }) => ids.has(String(params?.taskId)) }
      }
    },
    announces: () => ({ matches: ({ method }) => method === "notifications/tasks" })
  }
  const idsHeard = (heard: ReadonlyArray<JsonRpc.Notification>) => heard.map(({ params }) => params?.taskId)

  it.effect("MUST be heard by who listens for them, as far as the extension honours it", () =>
    Effect.gen(function*() {
      const server = yield* withExtension(tasks)
      const client = yield* speak(server, "2026-07-28", both)
      yield* Effect.forkChild(client.ask("subscriptions/listen", { notifications: { taskIds: ["a", "b", "foreign"] } }))
      yield* settle
      for (const id of ["a", "foreign", "c", "b"]) yield* server.changes.publish(update(id))
      yield* settle
      assert.deepStrictEqual(client.tied[0]?.params?.notifications, { taskIds: ["a", "b"] })
      assert.deepStrictEqual(idsHeard(client.tied.slice(1)), ["a", "b"])
    }))

  it.effect("MUST NOT be heard by who did not declare the extension", () =>
    Effect.gen(function*() {
      const server = yield* withExtension(tasks)
      const client = yield* speak(server, "2026-07-28")
      yield* Effect.forkChild(client.ask("subscriptions/listen", { notifications: { taskIds: ["a"] } }))
      yield* settle
      yield* server.changes.publish(update("a"))
      yield* settle
      assert.deepStrictEqual(client.tied.map(({ params }) => params?.notifications), [{}])
    }))

  it.effect("MUST be announced to sessions where both sides have declared it, and to no others", () =>
    Effect.gen(function*() {
      const server = yield* serve(greet)
      const early = yield* speak(server, "2025-11-25", both)
      yield* server.extensions.add(tasks)
      const told = yield* speak(server, "2025-11-25", both)
      const without = yield* speak(server, "2025-11-25")
      yield* server.changes.publish(update("a"))
      yield* settle
      assert.deepStrictEqual([told, early, without].map(({ heard }) => idsHeard(heard)), [["a"], [], []])
    }))

  it.effect("MUST be of no harm to others where what matches them throws", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const matches = () => {
          throw new Error("broken")
        }
        const server = yield* withExtension({ id, announces: () => ({ matches }) })
        const broken = yield* speak(server, "2025-11-25", both)
        const whole = yield* speak(server, "2025-11-25")
        yield* Effect.provideService(
          McpServer.addTool(Tool.make("new", {}), () => Effect.void),
          McpServer.McpServer,
          server
        )
        yield* settle
        assert.deepStrictEqual(whole.heard, [JsonRpc.notification("notifications/tools/list_changed")])
        // Of its own tools this session still hears: the features come before the extensions.
        assert.deepStrictEqual(broken.heard, whole.heard)
        yield* server.changes.publish(update("a"))
        assert.match(lines.join("\n"), /Error An observer of notifications\/tasks failed .*broken/)
      })
    ))
})
