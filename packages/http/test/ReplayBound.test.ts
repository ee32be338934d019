/** What a store of events no longer has is missed, and said. */
import { assert, describe, it } from "@effect/vitest"
import * as EventStore from "@mcp-effect/http/EventStore"
import { Tool } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"

/** What tells messages apart. */
const kind = ({ id, method, params }: H.Json): unknown =>
  method === undefined ? id : (params as H.Json | undefined)?.progress ?? method

/** A tool that reports a number of steps at once. */
const steps = McpServer.tool(Tool.make("steps"), () =>
  Stream.range(1, 10).pipe(
    Stream.map((progress) => Tool.progress({ progress })),
    Stream.concat(Stream.make(Tool.part("done")))
  ))

describe("a replay that is bounded", () => {
  it.effect("MUST yield the newest, and say in the log how many are missing", () =>
    H.logged((lines) =>
      Effect.gen(function*() {
        const server = yield* H.serve(steps, { events: EventStore.memory({ events: 4 }) })
        const client = yield* server.open()
        const opened = yield* client.call("steps", { id: "x", token: "t" })
        yield* opened.remaining
        const resumed = yield* client.listen(opened.ids[2])
        assert.deepStrictEqual((yield* resumed.remaining).map(kind), [8, 9, 10, "x"])
        assert.deepStrictEqual(lines.filter((line) => line.includes("no longer stored")), [
          "5 messages of a stream could not be sent again: they are no longer stored"
        ])
      })
    ))

  it.effect("MUST do so while the call is running", () =>
    H.logged((lines) =>
      Effect.gen(function*() {
        const { release, tool } = Tools.held()
        const server = yield* H.serve(tool, { events: EventStore.memory({ events: 1 }) })
        const client = yield* server.open()
        const opened = yield* client.call("held", { id: "x", token: "t" })
        const other = yield* client.call("held", { id: "y", token: "t" })
        yield* Effect.andThen(opened.message, opened.drop)
        yield* other.message
        const resumed = yield* client.listen(opened.ids[0])
        yield* release
        assert.deepStrictEqual((yield* resumed.remaining).map(kind), [2, "x"])
        assert.isTrue(lines.includes("1 messages of a stream could not be sent again: they are no longer stored"))
      })
    ))
})
