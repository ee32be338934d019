/**
 * Sampling: a message that a server asks the client's language model for, with tools if both sides know them.
 *
 * A message of the model holds any number of blocks; the revisions before 2025-11-25 have one in each, and no tools. Knows
 * neither how a request travels nor who runs the tools.
 *
 * Source: `client/sampling` of the specification, which deprecates it in 2026-07-28.
 *
 * @since 0.1.0
 */
import * as Result_ from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type * as Capabilities from "./Capabilities.ts"
import * as Content from "./Content.ts"
import * as Check from "./internal/samplingCheck.ts"
import * as Written from "./internal/samplingWire.ts"
import type { Params } from "./JsonRpc.ts"
import { Role } from "./Prompt.ts"
import type { Wire } from "./Revision.ts"
import type { Tool } from "./Tool.ts"

const Meta = Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))

/**
 * A tool that the model wants to be called.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolUse = Schema.Struct({
  type: Schema.Literal("tool_use"),
  id: Schema.String,
  name: Schema.String,
  input: Schema.Record(Schema.String, Schema.Unknown),
  _meta: Meta
})

/**
 * @since 0.1.0
 * @category models
 */
export type ToolUse = typeof ToolUse.Type

/**
 * What a tool returned to the model.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolResult = Schema.Struct({
  type: Schema.Literal("tool_result"),
  toolUseId: Schema.String,
  content: Schema.Array(Content.Content),
  structuredContent: Schema.optionalKey(Schema.Unknown),
  isError: Schema.optionalKey(Schema.Boolean),
  _meta: Meta
})

/**
 * @since 0.1.0
 * @category models
 */
export type ToolResult = typeof ToolResult.Type

/**
 * A piece of a message.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Block = Schema.Union([Content.Text, Content.Image, Content.Audio, ToolUse, ToolResult])

/**
 * @since 0.1.0
 * @category models
 */
export type Block = typeof Block.Type

// The wire writes one block as itself.
const Blocks = Schema.Union([Block, Schema.Array(Block)]).pipe(
  Schema.decodeTo(
    Schema.Array(Schema.toType(Block)),
    SchemaTransformation.transform({
      decode: (content): ReadonlyArray<Block> => Check.isList(content) ? content : [content],
      encode: (blocks): Block | ReadonlyArray<Block> => Check.single(blocks) ?? blocks
    })
  )
)

/**
 * @since 0.1.0
 * @category schemas
 */
export const Message = Schema.Struct({ role: Role, content: Blocks, _meta: Meta })

/**
 * @since 0.1.0
 * @category models
 */
export type Message = typeof Message.Type

const priority = Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })))

/**
 * Which model is wanted: hints are parts of names, the best first; priorities go from 0 to 1. The client decides.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ModelPreferences = Schema.Struct({
  hints: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.optionalKey(Schema.String) }))),
  costPriority: priority,
  speedPriority: priority,
  intelligencePriority: priority
})

/**
 * @since 0.1.0
 * @category models
 */
export type ModelPreferences = typeof ModelPreferences.Type

/**
 * Whether the model may, must or must not use tools.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolChoice = Schema.Struct({ mode: Schema.optionalKey(Schema.Literals(["auto", "required", "none"])) })

/**
 * @since 0.1.0
 * @category models
 */
export type ToolChoice = typeof ToolChoice.Type

const parameters = {
  messages: Schema.Array(Message),
  maxTokens: Schema.Int,
  modelPreferences: Schema.optionalKey(ModelPreferences),
  systemPrompt: Schema.optionalKey(Schema.String),
  includeContext: Schema.optionalKey(Schema.Literals(["none", "thisServer", "allServers"])),
  temperature: Schema.optionalKey(Schema.Finite),
  stopSequences: Schema.optionalKey(Schema.Array(Schema.String)),
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  toolChoice: Schema.optionalKey(ToolChoice)
}

/**
 * The parameters of `sampling/createMessage` as a client receives them.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Received = Schema.Struct({
  ...parameters,
  tools: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
  _meta: Meta
})

/**
 * @since 0.1.0
 * @category models
 */
export type Received = typeof Received.Type

const Asked = Schema.Struct(parameters)

/**
 * A message that is asked for. `tools` are definitions, or tools as a server lists them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Request extends Schema.Schema.Type<typeof Asked> {
  readonly tools?: ReadonlyArray<Tool | Params>
}

/**
 * Asks for a message; a string is a message of the user.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Omit<Request, "messages"> & { readonly messages: string | ReadonlyArray<Message> }
): Request => ({
  ...options,
  messages: typeof options.messages === "string" ? [user(options.messages)] : options.messages
})

type Given = Block | string | ReadonlyArray<Block>

const message = (role: Role, given: Given): Message => ({
  role,
  content: typeof given === "string" ? [text(given)] : Check.isList(given) ? given : [given]
})

/**
 * A message of the user; a string is text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const user = (content: Given): Message => message("user", content)

/**
 * A message of the assistant; a string is text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const assistant = (content: Given): Message => message("assistant", content)

type Extra = Parameters<typeof Content.text>[1]

/**
 * @since 0.1.0
 * @category constructors
 */
export const text = (text: string, extra?: Extra): Block => ({ type: "text", text, ...extra })

/**
 * An image; `data` is bytes, or base64 text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const image = (image: Parameters<typeof Content.image>[0]): Block =>
  // Sound: it is what the constructor makes.
  Content.image(image) as typeof Content.Image.Type

/**
 * Sound; `data` is bytes, or base64 text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const audio = (audio: Parameters<typeof Content.audio>[0]): Block =>
  // Sound: it is what the constructor makes.
  Content.audio(audio) as typeof Content.Audio.Type

/**
 * @since 0.1.0
 * @category constructors
 */
export const toolUse = (use: Omit<ToolUse, "type">): ToolUse => ({ type: "tool_use", ...use })

/**
 * What a tool returned; a string is text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const toolResult = (
  use: ToolUse | string,
  content: string | ReadonlyArray<Content.Content>,
  extra?: Pick<ToolResult, "structuredContent" | "isError" | "_meta">
): ToolResult => ({
  type: "tool_result",
  toolUseId: typeof use === "string" ? use : use.id,
  content: typeof content === "string" ? [Content.text(content)] : content,
  ...extra
})

/**
 * The result of `sampling/createMessage`. A `stopReason` is `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or the
 * client's own.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Result = Schema.Struct({
  role: Role,
  content: Blocks,
  model: Schema.String,
  stopReason: Schema.optionalKey(Schema.String),
  _meta: Meta
})

/**
 * @since 0.1.0
 * @category models
 */
export type Result = typeof Result.Type

/**
 * The text of a message, a line for each piece of text.
 *
 * @since 0.1.0
 * @category accessors
 */
export const textOf = ({ content }: Pick<Message, "content">): string =>
  content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n")

/**
 * The tools that the model wants to be called.
 *
 * @since 0.1.0
 * @category accessors
 */
export const toolUses = ({ content }: Pick<Message, "content">): ReadonlyArray<ToolUse> =>
  content.filter((block) => block.type === "tool_use")

/**
 * What is wrong with a request in any revision, as a sentence: each use of a tool must be followed by its result, in a
 * message of the user with results only.
 *
 * @since 0.1.0
 * @category wire
 */
export const problem = (request: Request): string | undefined => Check.problem(request)

/**
 * The parameters of `sampling/createMessage`, or a sentence that says what is wrong, or what the revision cannot ask for.
 * Where a message holds one block, several become as many messages of the same role.
 *
 * @since 0.1.0
 * @category wire
 */
export const toWire = (request: Request, wire: Wire): Result_.Result<Params, string> => {
  const wrong = Check.problem(request) ?? Written.unwritable(request, wire)
  return wrong === undefined ? Result_.succeed(Written.params(request, wire)) : Result_.fail(wrong)
}

/**
 * The capabilities that a client must have declared to be asked. Those within sampling exist only where the revision has
 * them; without one, the newest is meant.
 *
 * @since 0.1.0
 * @category capabilities
 */
export const needs = (
  { includeContext = "none", toolChoice, tools }: Pick<Request, "includeContext" | "toolChoice" | "tools">,
  wire?: Pick<Wire, "samplingTools">
): Capabilities.Client => {
  if (wire?.samplingTools === false) return { sampling: {} }
  return {
    sampling: {
      ...(tools === undefined && toolChoice === undefined ? undefined : { tools: {} }),
      ...(includeContext === "none" ? undefined : { context: {} })
    }
  }
}
