/**
 * The tools of a client, or of many, as a `Toolkit` of `effect/ai` for a language model to call.
 *
 * A module of its own, which nothing else imports: `effect/ai` is loaded only where it is used.
 *
 * @since 0.1.0
 */
import type { Content } from "@mcp-effect/protocol/Content"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type { McpError } from "@mcp-effect/protocol/McpError"
import type { Progress } from "@mcp-effect/protocol/Progress"
import * as ToolResult from "@mcp-effect/protocol/ToolResult"
import * as AiPrompt from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ToolNames from "./internal/toolNames.ts"
import type { ListedTool } from "./ListedTool.ts"
import type { RequestOptions } from "./Requests.ts"

/**
 * Where tools come from: an `McpClient`, or `McpClients`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Source {
  readonly listTools: (options?: RequestOptions) => Effect.Effect<ReadonlyArray<ListedTool>, McpError>
  readonly callTool: (
    name: string,
    args?: Params,
    options?: RequestOptions
  ) => Effect.Effect<ToolResult.ToolResult, McpError>
}

/**
 * - `select`: which tools the model gets (default: all).
 * - `needsApproval`: which of them a user has to approve first (default: none).
 * - `request`: how long calls may take; see `RequestOptions`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly select?: (tool: ListedTool) => boolean
  readonly needsApproval?: (tool: ListedTool) => boolean
  readonly request?: Omit<RequestOptions, "onProgress">
}

/**
 * The tools that are listed now. They have the names that the source gives them, unless a model could not take these.
 *
 * - The model gets the content of a result: text, and images and audio as files; or its structured content, if that is all.
 * - What a tool fails with, and what goes wrong with a call, is for the model to read, and does not end its turn.
 * - Progress is a preliminary result.
 *
 * `LanguageModel.generateText({ prompt, toolkit: yield* ToolkitBridge.make(mcp) })`
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  source: Source,
  options: Options = {}
): Effect.Effect<Toolkit.WithHandler<Record<string, AiTool.Any>>, McpError> =>
  Effect.gen(function*() {
    const { needsApproval, select = () => true } = options
    const listed = (yield* source.listTools(options.request)).filter(select)
    const names = ToolNames.make(listed.map(({ name }) => ({ server: undefined, tool: name })))
    const tools = listed.map((tool, index) =>
      definition(names[index] ?? tool.name, tool, needsApproval?.(tool) ?? false)
    )
    const toolkit: Toolkit.Toolkit<Record<string, AiTool.Any>> = Toolkit.make(...tools)
    const handlers = Object.fromEntries(listed.map((tool, index) => [
      names[index] ?? tool.name,
      (args: unknown, context: Toolkit.HandlerContext<AiTool.Any>) => call(source, tool.name, args, options, context)
    ]))
    return yield* Effect.provideContext(toolkit, yield* toolkit.toHandlers(handlers))
  })

const definition = (name: string, tool: ListedTool, needsApproval: boolean): AiTool.Any => {
  const { annotations = {}, description, inputSchema } = tool
  const hints = [
    [AiTool.Readonly, annotations.readOnlyHint],
    [AiTool.Destructive, annotations.destructiveHint],
    [AiTool.Idempotent, annotations.idempotentHint],
    [AiTool.OpenWorld, annotations.openWorldHint]
  ] as const
  let defined: AiTool.Any = AiTool.dynamic(name, {
    ...(description === undefined ? {} : { description }),
    parameters: inputSchema,
    success: ToolResult.ToolResult,
    failure: Schema.String,
    failureMode: "return",
    needsApproval,
    toModelOutput: partsOf
  })
  const title = tool.title ?? annotations.title
  if (title !== undefined) defined = defined.annotate(AiTool.Title, title)
  for (const [hint, value] of hints) if (value !== undefined) defined = defined.annotate(hint, value)
  return defined
}

const call = (
  source: Source,
  name: string,
  args: unknown,
  options: Options,
  context: Toolkit.HandlerContext<AiTool.Any>
): Effect.Effect<ToolResult.ToolResult, string> => {
  const onProgress = (progress: Progress) =>
    context.preliminary({ content: [{ type: "text", text: textOf(progress) }] })
  return source.callTool(name, args as Params, { ...options.request, onProgress }).pipe(
    Effect.mapError((error) => `${error._tag}: ${error.message}`),
    Effect.flatMap((result) => result.isError === true ? Effect.fail(failureOf(result)) : Effect.succeed(result))
  )
}

const textOf = ({ message, progress, total }: Progress): string =>
  message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`)

const failureOf = (result: ToolResult.ToolResult): string => {
  const text = ToolResult.text(result)
  return text === "" ? "The tool failed and did not say why" : text
}

const partsOf = (result: ToolResult.ToolResult): ReadonlyArray<AiPrompt.ToolModelOutputPart> => {
  const parts = result.content.map(partOf)
  return parts.length > 0 || result.structuredContent === undefined
    ? parts
    : [text(JSON.stringify(result.structuredContent))]
}

const text = (text: string): AiPrompt.ToolModelOutputPart => AiPrompt.textPart({ text })

const partOf = (content: Content): AiPrompt.ToolModelOutputPart => {
  switch (content.type) {
    case "text":
      return text(content.text)
    case "image":
    case "audio":
      return AiPrompt.filePart({ mediaType: content.mimeType, data: content.data })
    case "resource_link":
      return text(`${content.title ?? content.name}: ${content.uri}`)
    case "resource": {
      const { resource } = content
      return "text" in resource
        ? text(resource.text)
        : AiPrompt.filePart({ mediaType: resource.mimeType ?? "application/octet-stream", data: resource.blob })
    }
  }
}
