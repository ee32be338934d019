/** The rules of what comes ahead of a result: in order, to its own caller, and never after the result. */
import { assert } from "@effect/vitest"
import * as McpClient from "@mcp-effect/client/McpClient"
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Rule } from "../TransportContract.ts"

const Count = Tool.make("count", { input: { to: Schema.Int }, output: Schema.Struct({ counted: Schema.Int }) })
const Report = Tool.make("report", { input: { steps: Schema.Array(Schema.Finite) } })

const tools = Layer.mergeAll(
  McpServer.tool(Count, ({ to }) =>
    Stream.concat(
      Stream.flatMap(Stream.range(1, to), (n) =>
        Stream.fromArray([Tool.part(`number ${n}`), Tool.progress({ progress: n, total: to })])),
      Stream.succeed(Tool.output({ counted: to }))
    )),
  McpServer.tool(
    Report,
    ({ steps }) =>
      Effect.forEach(steps, (progress) => Progress.report({ progress, message: `at ${progress}` }), { discard: true })
  )
)

const changed: Rule = {
  name: "MUST tell a ready session that the list of tools has changed, once for a burst",
  applies: (revision) => revision.era === "stateful",
  features: tools,
  test: () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      assert.strictEqual((yield* mcp.listTools()).length, 2)
      const heard = yield* mcp.notifications.pipe(
        Stream.take(1),
        Stream.runCollect,
        Effect.forkChild({
          startImmediately: true
        })
      )
      yield* McpServer.addTool(Tool.make("late", {}), () => Effect.void)
      yield* McpServer.addTool(Tool.make("later", {}), () => Effect.void)
      const notifications = yield* Fiber.join(heard)
      assert.deepStrictEqual(notifications.map(({ method }) => method), ["notifications/tools/list_changed"])
      assert.include((yield* mcp.listTools()).map((tool) => tool.name), "later")
    })
}

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST deliver parts and progress in order, and then the output, which ends the stream",
    features: tools,
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const events = yield* Stream.runCollect(mcp.stream(Count, { to: 5 }))
        const parts = events.flatMap((event) => event._tag === "Part" ? [event.content] : [])
        const progress = events.flatMap((event) => event._tag === "Progress" ? [event.progress] : [])
        assert.deepStrictEqual(parts, [1, 2, 3, 4, 5].map((n) => ({ type: "text", text: `number ${n}` })))
        assert.deepStrictEqual(progress, [1, 2, 3, 4, 5])
        assert.deepStrictEqual(events.at(-1), Tool.output({ counted: 5 }))
      })
  },
  {
    name: "MUST hold the whole content in the result",
    features: tools,
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const { content } = yield* mcp.callTool("count", { to: 3 })
        assert.deepStrictEqual(
          content.map((item) => item.type === "text" ? item.text : item.type),
          ["number 1", "number 2", "number 3", "{\"counted\":3}"]
        )
      })
  },
  {
    name: "MUST drop progress that does not increase",
    features: tools,
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const seen: Array<number> = []
        yield* mcp.call(Report, { steps: [1, 3, 2, 3, 3.5, -1] }, {
          onProgress: ({ progress }) => Effect.sync(() => seen.push(progress))
        })
        assert.deepStrictEqual(seen, [1, 3, 3.5])
      })
  },
  {
    name: "MUST give progress to the call that it belongs to",
    features: tools,
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const collect = (steps: ReadonlyArray<number>) => {
          const seen: Array<number> = []
          const onProgress = ({ progress }: Progress.Progress) => Effect.sync(() => void seen.push(progress))
          return Effect.as(mcp.call(Report, { steps }, { onProgress }), seen)
        }
        const both = yield* Effect.all([collect([1, 2, 3]), collect([10, 20, 30])], { concurrency: 2 })
        assert.deepStrictEqual(both, [[1, 2, 3], [10, 20, 30]])
      })
  },
  {
    name: "MUST NOT let a consumer that stands still hold up other calls, and MUST still deliver its result",
    features: tools,
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const events = yield* mcp.stream(Count, { to: 2000 }).pipe(
          Stream.tap((event) =>
            event._tag === "Part" && event.missed === 0 && event.content.type === "text" &&
              event.content.text === "number 1"
              ? Effect.asVoid(Effect.repeat(mcp.call(Report, { steps: [1] }), { times: 20 }))
              : Effect.void
          ),
          Stream.runCollect
        )
        assert.deepStrictEqual(events.at(-1), Tool.output({ counted: 2000 }))
      })
  },
  changed
]
