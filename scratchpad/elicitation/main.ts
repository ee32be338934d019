/**
 * A server that asks, and a client that answers: once by requests of the server (2025-11-25), once by rounds (2026-07-28), with
 * the same handler on either side. On a terminal the questions are yours to answer.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Elicitation, McpClient, Sampling } from "@mcp-effect/client"
import { InMemory } from "@mcp-effect/memory"
import { Elicitation as Forms, Sampling as Messages, Tool, ToolResult } from "@mcp-effect/protocol"
import { ClientInput, McpServer } from "@mcp-effect/server"
import { Console, Effect, Layer, Schema } from "effect"
import { createInterface } from "node:readline/promises"

const Poem = McpServer.tool(Tool.make("poem"), () =>
  Effect.gen(function*() {
    const answer = yield* ClientInput.elicit(Forms.form({
      message: "A poem for whom?",
      fields: {
        name: Schema.String.annotate({ title: "Name" }),
        mood: Forms.choices({ merry: "Merry", grave: "Grave" }),
        lines: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })).annotate({ title: "Lines", default: 2 })
      }
    }))
    if (answer._tag !== "Accept") return "No poem, then."
    const { lines, mood, name } = answer.content
    return Messages.textOf(
      yield* ClientInput.sample(Messages.make({ messages: `${lines} ${mood} lines for ${name}`, maxTokens: 200 }))
    )
  }))

const Server = Poem.pipe(Layer.provideMerge(McpServer.layer({ name: "poet", version: "1.0.0" })))

// What is typed, or what somebody might have typed.
const typed = (title: string, instead: string) =>
  process.stdin.isTTY !== true ? Effect.succeed(instead) : Effect.promise(async () => {
    const lines = createInterface({ input: process.stdin, output: process.stdout })
    const text = await lines.question(`    ${title} [${instead}]: `)
    lines.close()
    return text === "" ? instead : text
  })

const Answers = Layer.mergeAll(
  Elicitation.layer({
    form: ({ message, requestedSchema: { properties } }) =>
      Effect.gen(function*() {
        yield* Console.log(`  the server asks: ${message}`)
        const content: Record<string, string> = {}
        for (const [name, property] of Object.entries(properties)) {
          const choices = Forms.optionsOf(property)
          // The default of the last field is left to the form.
          if (property.type === "integer") continue
          const title = choices === undefined ? property.title ?? name : choices.map(({ value }) => value).join(" or ")
          content[name] = yield* typed(title, choices?.[0]?.value ?? "Ada")
        }
        yield* Console.log(`  the user answers: ${Object.values(content).join(", ")}`)
        return Forms.accept(content)
      })
  }),
  // A model would be asked here.
  Sampling.layer((request) =>
    Effect.as(
      Console.log(`  the model is asked for: ${request.messages.map(Messages.textOf).join()}`),
      { role: "assistant", model: "none", content: [Messages.text("Roses are red,\nAda is too.")] }
    )
  )
)

const program = Effect.gen(function*() {
  const mcp = yield* McpClient.McpClient
  const { revision } = yield* mcp.server
  yield* Console.log(`In revision ${revision.name}:`)
  const result = yield* mcp.callTool("poem")
  yield* Console.log(ToolResult.text(result).replaceAll(/^/gm, "  > "))
})

Effect.forEach(["2025-11-25", "2026-07-28"] as const, (revision) =>
  program.pipe(Effect.provide(
    McpClient.layer({ name: "reader", version: "1.0.0", revisions: [revision] }).pipe(
      Layer.provide(InMemory.layer),
      Layer.provide(Server),
      Layer.provide(Answers)
    )
  ))).pipe(NodeRuntime.runMain)
