/** One handler of a server that asks, and one client that answers, in every revision that has questions. */
import { assert, describe, it } from "@effect/vitest"
import { Elicitation, McpClient, Roots, Sampling } from "@mcp-effect/client"
import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import { InMemory } from "@mcp-effect/memory"
import { Elicitation as Forms, Sampling as Messages, Tool } from "@mcp-effect/protocol"
import { ClientInput, McpServer } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const Poem = McpServer.tool(Tool.make("poem"), () =>
  Effect.gen(function*() {
    const [answer, roots] = yield* Effect.all([
      ClientInput.elicit(Forms.form({
        message: "Who are you?",
        fields: { name: Schema.String, lines: Schema.Int.annotate({ default: 4 }) }
      })),
      ClientInput.roots()
    ], { concurrency: "unbounded" })
    if (answer._tag !== "Accept") return answer._tag
    const { lines, name } = answer.content
    const messages = `A poem of ${lines} lines for ${name}, who has ${roots.map(({ uri }) => uri).join()}`
    return Messages.textOf(yield* ClientInput.sample(Messages.make({ messages, maxTokens: 100 })))
  }))

const transport = WireSchema.transport(InMemory.layer).pipe(
  Layer.provide(Poem.pipe(Layer.provideMerge(McpServer.layer({ name: "poems", version: "1.0.0" }))))
)

const handlers = Layer.mergeAll(
  Elicitation.layer({ form: () => Effect.succeed(Forms.accept({ name: "Ada" })) }),
  Sampling.layer(({ messages }) =>
    Effect.succeed({ role: "assistant", model: "echo", content: messages.flatMap(({ content }) => content) })
  ),
  Roots.layer([{ uri: "file:///home" }])
)

describe("a handler that asks three things", () => {
  it.effect.each(["2025-06-18", "2025-11-25", "2026-07-28"] as const)(
    "MUST be answered by a client in %s",
    (revision) =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const result = yield* mcp.callTool("poem")
        assert.deepStrictEqual(result.content, [
          { type: "text", text: "A poem of 4 lines for Ada, who has file:///home" }
        ])
      }).pipe(
        Effect.provide(
          McpClient.layer({ name: "test", version: "1.0.0", revisions: [revision] }).pipe(
            Layer.provide(transport),
            Layer.provide(handlers)
          )
        )
      )
  )
})
