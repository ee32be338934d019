/** A server with something of everything, for the rules of each feature. */
import * as Content from "@mcp-effect/protocol/Content"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

export const text = Resource.make({ uri: "test://text", name: "text", title: "Text", mimeType: "text/plain", size: 5 })
export const bytes = Resource.make({ uri: "test://bytes", name: "bytes", mimeType: "image/png" })
const several = Resource.make({ uri: "test://several", name: "several" })
export const item = Resource.template("test://items/{id}{?lang}", {
  name: "item",
  variables: { id: Schema.FiniteFromString },
  mimeType: "application/json"
})
const review = Prompt.make("review", {
  title: "Review",
  description: "Reviews code",
  arguments: { code: Schema.String, times: Schema.optionalKey(Schema.FiniteFromString) }
})

const many = Array.from({ length: 150 }, (_, n) => `value ${n}`)

export const features = Layer.mergeAll(
  McpServer.resource(text, () => Effect.succeed("hello")),
  McpServer.resource(bytes, () => Effect.succeed(Uint8Array.of(1, 2, 3))),
  McpServer.resource(
    several,
    () => Effect.succeed([Resource.text("test://several/a", "a"), Resource.text("test://several/b", "b")])
  ),
  McpServer.resourceTemplate(
    item,
    ({ id, lang }) => Effect.succeed(JSON.stringify({ id, lang: lang ?? null })),
    { complete: { id: (value) => Effect.succeed(["1", "12", "23"].filter((id) => id.startsWith(value))) } }
  ),
  McpServer.prompt(review, ({ code, times = 1 }) =>
    Effect.succeed([
      Prompt.user(`Review ${code} ${times} times`),
      Prompt.assistant(Content.image({ data: Uint8Array.of(1), mimeType: "image/png" })),
      Prompt.user(Content.resource({ uri: "test://code", text: code }))
    ]), {
    complete: {
      code: (value, { arguments: { times } }) => Effect.succeed(times === undefined ? many : [`${value} ${times}`])
    }
  }),
  McpServer.tool(
    Tool.make("log"),
    () => Effect.as(Effect.andThen(Effect.logDebug("little"), Effect.logWarning("much")), "done")
  ),
  McpServer.logging()
)
