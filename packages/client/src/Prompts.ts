/**
 * The prompts of a server, as a client uses them: listed, got by name, and got by their typed definition.
 *
 * Source: `server/prompts` of the specification.
 *
 * @since 0.1.0
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Effect from "effect/Effect"
import * as SchemaParser from "effect/SchemaParser"
import type * as Stream from "effect/Stream"
import * as Listing from "./internal/listing.ts"
import type { RequestOptions, Send } from "./Requests.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Prompts {
  /** All pages of the list, up to 100 pages. */
  readonly listPrompts: (options?: RequestOptions) => Effect.Effect<ReadonlyArray<Prompt.Listed>, McpError.McpError>
  /** The same as they come, page by page, each page asked for when it is needed. */
  readonly prompts: (options?: RequestOptions) => Stream.Stream<Prompt.Listed, McpError.McpError>
  /** The messages of a prompt, by its name; arguments are texts. */
  readonly getPrompt: (
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: RequestOptions
  ) => Effect.Effect<Prompt.Result, McpError.McpError>
  /** The messages of a prompt, by its definition: typed arguments. */
  readonly prompt: <P extends Prompt.Prompt>(
    prompt: P,
    args: Prompt.Arguments<P>,
    options?: RequestOptions
  ) => Effect.Effect<Prompt.Result, McpError.McpError>
}

const readListed = Listing.reader("prompt", Prompt.Listed)

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (send: Send): Prompts => {
  const capability = "prompts"
  const listed = Listing.make(send, { method: "prompts/list", member: "prompts", capability, read: readListed })
  const getPrompt: Prompts["getPrompt"] = (name, args = {}, options) =>
    Effect.flatMap(send("prompts/get", { name, arguments: args }, { ...options, capability }), readResult)
  return {
    listPrompts: listed.all,
    prompts: listed.stream,
    getPrompt,
    prompt: (prompt, args, options) =>
      Effect.flatMap(
        Effect.suspend(() => Prompt.encodeArguments(prompt, args)),
        (args) => getPrompt(prompt.name, args, options)
      )
  }
}

const decode = SchemaParser.decodeUnknownEffect(Prompt.Result)

const readResult = (result: Params): Effect.Effect<Prompt.Result, McpError.InvalidResult> =>
  Effect.mapError(
    decode(result, Problem.thoroughly(result)),
    (issue) =>
      new McpError.InvalidResult({
        method: "prompts/get",
        message: `The result is malformed: ${Problem.describe(issue)}`
      })
  )
