/**
 * The prompts of the suite: text, arguments, a resource, an image, and one that asks first.
 */
import * as Content from "@mcp-effect/protocol/Content"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { PNG } from "./media.ts"

const contextForm = Elicitation.form({
  message: "What context should the prompt use?",
  fields: { context: Schema.String }
})

export const prompts = Layer.mergeAll(
  McpServer.prompt(
    Prompt.make("test_simple_prompt", { description: "One text" }),
    () => Effect.succeed("This is a simple prompt for testing.")
  ),
  McpServer.prompt(
    Prompt.make("test_prompt_with_arguments", {
      description: "A text with two arguments",
      arguments: { arg1: Schema.String, arg2: Schema.String }
    }),
    ({ arg1, arg2 }) => Effect.succeed(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
    { complete: { arg1: (value: string) => Effect.succeed([`${value}Value1`]) } }
  ),
  McpServer.prompt(
    Prompt.make("test_prompt_with_embedded_resource", {
      description: "A resource and a text",
      arguments: { resourceUri: Schema.String }
    }),
    ({ resourceUri }) =>
      Effect.succeed([
        {
          type: "resource" as const,
          resource: {
            uri: resourceUri,
            mimeType: "text/plain",
            text: "Embedded resource content for testing."
          }
        },
        "Please process the embedded resource above."
      ])
  ),
  McpServer.prompt(
    Prompt.make("test_prompt_with_image", { description: "An image and a text" }),
    () => Effect.succeed([Content.image({ data: PNG, mimeType: "image/png" }), "Please analyze the image above."])
  ),
  McpServer.prompt(
    Prompt.make("test_input_required_result_prompt", { description: "Asks for its context" }),
    () =>
      Effect.map(
        ClientInput.elicit(contextForm, { key: "user_context" }),
        (answer) => `Prompt with context: ${answer._tag === "Accept" ? answer.content.context : "none"}`
      )
  )
)
