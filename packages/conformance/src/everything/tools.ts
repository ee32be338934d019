/**
 * The tools of the suite that ask nobody: every kind of content, errors, progress, logging, announcements of changes.
 *
 * Knows nothing of how they are reached.
 */
import * as Content from "@mcp-effect/protocol/Content"
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Changes from "@mcp-effect/server/Changes"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PNG, WAV } from "./media.ts"

const image: Content.Content = Content.image({ data: PNG, mimeType: "image/png" })

const embedded = (uri: string, mimeType: string, text: string): Content.Content => ({
  type: "resource",
  resource: { uri, mimeType, text }
})

const pause = Effect.sleep("50 millis")

const define = <const Name extends string>(name: Name, description: string) => Tool.make(name, { description })

const contents = Layer.mergeAll(
  McpServer.tool(
    define("test_simple_text", "Returns text"),
    () => Effect.succeed("This is a simple text response for testing.")
  ),
  McpServer.tool(define("test_image_content", "Returns an image"), () => Effect.succeed(image)),
  McpServer.tool(
    define("test_audio_content", "Returns audio"),
    () => Effect.succeed(Content.audio({ data: WAV, mimeType: "audio/wav" }))
  ),
  McpServer.tool(
    define("test_embedded_resource", "Returns a resource within its result"),
    () => Effect.succeed(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))
  ),
  McpServer.tool(
    define("test_multiple_content_types", "Returns text, an image and a resource"),
    () =>
      Effect.succeed([
        "Multiple content types test:",
        image,
        embedded("test://mixed-content-resource", "application/json", "{\"test\":\"data\",\"value\":123}")
      ])
  ),
  McpServer.tool(
    define("test_error_handling", "Always fails"),
    () => Effect.fail(new Error("This tool intentionally returns an error for testing"))
  )
)

const reporting = Layer.mergeAll(
  McpServer.tool(define("test_tool_with_logging", "Logs three messages"), () =>
    Effect.gen(function*() {
      yield* Effect.logInfo("Tool execution started")
      yield* pause
      yield* Effect.logInfo("Tool processing data")
      yield* pause
      yield* Effect.logInfo("Tool execution completed")
      return "Tool with logging executed"
    })),
  McpServer.tool(define("test_tool_with_progress", "Reports progress three times"), () =>
    Effect.gen(function*() {
      yield* Progress.report({ progress: 0, total: 100 })
      yield* pause
      yield* Progress.report({ progress: 50, total: 100 })
      yield* pause
      yield* Progress.report({ progress: 100, total: 100 })
      return "Tool with progress executed"
    })),
  McpServer.tool(
    define("test_logging_tool", "Logs one message"),
    () => Effect.as(Effect.logInfo("Logging evaluated"), "Logging evaluated")
  )
)

const announcing = Layer.mergeAll(
  McpServer.tool(
    define("test_trigger_tool_change", "Announces that the list of tools has changed"),
    () => Effect.as(McpServer.changed(Changes.tools), "The change of the tools was announced")
  ),
  McpServer.tool(
    define("test_trigger_prompt_change", "Announces that the list of prompts has changed"),
    () => Effect.as(McpServer.changed(Changes.prompts), "The change of the prompts was announced")
  )
)

const schemas = McpServer.tool(
  Tool.dynamic("json_schema_2020_12_tool", {
    description: "Has an input schema with keywords of JSON Schema 2020-12",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } }
        }
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" }
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false
    }
  }),
  (input) => Effect.succeed(JSON.stringify(input))
)

export const tools = Layer.mergeAll(contents, reporting, announcing, schemas)
