/** Prompts to complete the arguments of, and how a client asks for that. */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import type * as Revision from "@mcp-effect/protocol/Revision"
import type { Completer } from "@mcp-effect/server/Completer"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Client, serve, speak } from "./client.ts"

export const Review = Prompt.make("review", {
  arguments: {
    language: Schema.String,
    framework: Schema.optionalKey(Schema.String),
    style: Schema.optionalKey(Schema.Literals(["strict", "Sloppy", "stern"])),
    notes: Schema.optionalKey(Schema.String)
  }
})

export const languages = ["python", "pascal", "rust"]

export const byPrefix: Completer = (value) => Effect.succeed(languages.filter((word) => word.startsWith(value)))

export const none = McpServer.prompt(Prompt.make("none", { arguments: { a: Schema.String } }), () => Effect.succeed(""))

export const client = (layer: Parameters<typeof serve>[0], revision: Revision.Name = "2025-11-25") =>
  Effect.flatMap(serve(layer), (server) => speak(server, revision))

export const ofPrompt = (name: string, argument: unknown, more?: JsonRpc.Params) => ({
  ref: { type: "ref/prompt", name },
  argument,
  ...more
})

export const ofResource = (uri: string, argument: unknown, more?: JsonRpc.Params) => ({
  ref: { type: "ref/resource", uri },
  argument,
  ...more
})

export const complete = (client: Client, params: JsonRpc.Params) =>
  Effect.map(client.result("completion/complete", params), ({ completion }) => completion)

export const whole = (values: ReadonlyArray<string>) => ({ values, total: values.length, hasMore: false })
