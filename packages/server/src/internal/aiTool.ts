/** A tool of `effect/ai` as a tool of the protocol, and what its handler yields as content and output. */
import * as Content from "@mcp-effect/protocol/Content"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Tool from "@mcp-effect/protocol/Tool"
import type { ToolModelOutputPart } from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"

export interface Definition {
  readonly tool: Tool.Tool
  /** What a handler may return for what it succeeds with. */
  readonly returned: (value: unknown) => Effect.Effect<unknown>
  /** A preliminary result, as text. */
  readonly preliminary: (value: unknown) => Effect.Effect<string>
}

/** Throws for one whose parameters are not described as an object. */
export const make = (ai: AiTool.Any): Definition => {
  // Sound: whatever services its schemas need, what is run of them is run with them.
  const [input, success, failed] = [ai.parametersSchema, ai.successSchema, ai.failureSchema] as ReadonlyArray<
    Schema.Constraint
  > as readonly [Tool.AnySchema, Tool.AnySchema, Tool.AnySchema]
  const output = isPlain(success) ? undefined : success
  const failure = failed.ast._tag === "Never" ? undefined : failed
  const raw = AiTool.isDynamic(ai) ? ai.jsonSchema : undefined
  const json = encoder(ai.name, success)
  const texts = textsOf(ai)
  const tool = raw === undefined
    ? Tool.make(ai.name, { ...texts, input, output, failure })
    : Tool.dynamic(ai.name, { ...texts, inputSchema: raw, ...outputSchema(ai.name, output) })
  // Text may have to be of some form.
  const plain = success.ast._tag === "String" ? json : Effect.succeed<unknown>
  const forModel = (value: unknown): ReadonlyArray<Content.Content> | undefined =>
    ai.toModelOutput?.(value).map(fromPart)
  return {
    tool,
    returned: (value) => {
      if (output === undefined) return Effect.map(plain(value), (value) => forModel(value) ?? text(value))
      // A raw schema is checked, and does not encode.
      const encoded = tool.dynamic ? json(value) : Effect.succeed(value)
      return Effect.map(encoded, (output) => Tool.reply({ output, content: forModel(value) ?? [] }))
    },
    preliminary: (value) => Effect.map(output === undefined ? plain(value) : json(value), (value) => text(value) ?? "")
  }
}

const textsOf = (ai: AiTool.Any) => {
  const title = Context.getOrUndefined(ai.annotations, AiTool.Title)
  const description = AiTool.getDescription(ai)
  const meta = Context.getOrUndefined(ai.annotations, AiTool.Meta)
  // What nobody has said is not to be said of it: a client would believe it.
  const hint = (name: string, reference: Context.Reference<boolean>) =>
    ai.annotations.mapUnsafe.has(reference.key) ? { [name]: Context.get(ai.annotations, reference) } : {}
  const annotations: Tool.Annotations = {
    ...(title === undefined ? {} : { title }),
    ...hint("readOnlyHint", AiTool.Readonly),
    ...hint("destructiveHint", AiTool.Destructive),
    ...hint("idempotentHint", AiTool.Idempotent),
    ...hint("openWorldHint", AiTool.OpenWorld)
  }
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(meta === undefined ? {} : { meta }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations })
  }
}

const outputSchema = (name: string, output: Tool.AnySchema | undefined): { readonly outputSchema?: Params } => {
  const schema = output === undefined ? undefined : Tool.make(name, { output }).outputSchema
  return schema === undefined ? {} : { outputSchema: schema }
}

// A model reads text as it is, and there is nothing to say of what has no schema.
const isPlain = ({ ast }: Tool.AnySchema): boolean =>
  ast.encoding === undefined && ["String", "Void", "Undefined", "Unknown", "Any"].includes(ast._tag)

const text = (value: unknown): string | undefined => typeof value === "string" ? value : JSON.stringify(value)

const encoder = (name: string, schema: Tool.AnySchema): (value: unknown) => Effect.Effect<unknown> => {
  let encode: ReturnType<typeof compile> | undefined
  const compile = () => SchemaParser.encodeUnknownEffect(Schema.toCodecJson(schema))
  return (value) =>
    Effect.catchEager(
      (encode ??= compile())(value),
      (issue) =>
        Effect.die(new TypeError(`A result of tool ${name} does not fit its schema: ${Problem.describe(issue)}`))
    )
}

const fromPart = (part: ToolModelOutputPart): Content.Content => {
  if (part.type === "text") return Content.text(part.text)
  const { data, fileName, mediaType: mimeType } = part
  if (data instanceof URL) return Content.resourceLink({ uri: data.href, name: fileName ?? data.href, mimeType })
  switch (mimeType.split("/")[0]) {
    case "image":
      return Content.image({ data, mimeType })
    case "audio":
      return Content.audio({ data, mimeType })
    default:
      return Content.resource({ uri: `attachment:${encodeURIComponent(fileName ?? "file")}`, mimeType, blob: data })
  }
}
