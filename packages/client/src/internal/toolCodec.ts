/** Between the values of a tool's definition and what travels. Compiled once for each definition. */
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Problem from "@mcp-effect/protocol/Problem"
import type * as Tool from "@mcp-effect/protocol/Tool"
import * as ToolResult from "@mcp-effect/protocol/ToolResult"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { ToolFailure } from "../ToolFailure.ts"

export interface ToolCodec<T extends Tool.Tool> {
  readonly encode: (input: Tool.Input<T>) => Effect.Effect<unknown, McpError.InvalidParams>
  readonly output: (result: ToolResult.ToolResult) => Effect.Effect<Tool.Output<T>, McpError.InvalidResult>
  readonly failure: (result: ToolResult.ToolResult) => Effect.Effect<never, Tool.Failure<T> | ToolFailure>
}

interface AnyCodec {
  readonly encode: (input: unknown) => Effect.Effect<unknown, McpError.InvalidParams>
  readonly output: (result: ToolResult.ToolResult) => Effect.Effect<unknown, McpError.InvalidResult>
  readonly failure: (result: ToolResult.ToolResult) => Effect.Effect<never, unknown>
}

const codecs = new WeakMap<Tool.Tool, AnyCodec>()

export const of = <T extends Tool.Tool>(tool: T): ToolCodec<T> => {
  let codec = codecs.get(tool)
  if (codec === undefined) codecs.set(tool, codec = make(tool))
  // Sound: made from this very definition.
  return codec as ToolCodec<T>
}

const decoder = (schema: Tool.AnySchema) => SchemaParser.decodeUnknownEffect(Schema.toCodecJson(schema))

const make = (tool: Tool.Tool): AnyCodec => {
  const encode = SchemaParser.encodeUnknownEffect(Schema.toCodecJson(tool.input))
  const decodeOutput = tool.output === undefined ? undefined : decoder(tool.output)
  const decodeFailure = tool.failure === undefined ? undefined : decoder(tool.failure)
  return {
    encode: (input) =>
      Effect.mapError(
        encode(input),
        (issue) =>
          new McpError.InvalidParams({
            message: `The input of tool ${tool.name} does not fit its schema: ${Problem.describe(issue)}`
          })
      ),
    output: (result) => {
      if (decodeOutput === undefined) return Effect.succeed(result.content)
      const json = structured(result)
      return json === undefined
        ? Effect.fail(broken(tool, "has no structured content"))
        : Effect.mapError(
          decodeOutput(json.value),
          (issue) => broken(tool, `does not fit its schema: ${Problem.describe(issue)}`)
        )
    },
    failure: (result) => {
      const failed = new ToolFailure({ tool: tool.name, result })
      const encoded = result._meta?.[ToolResult.FAILURE]
      if (decodeFailure === undefined || encoded === undefined) return Effect.fail(failed)
      return Effect.matchEffect(decodeFailure(encoded), {
        onFailure: () => Effect.fail(failed),
        onSuccess: Effect.fail
      })
    }
  }
}

const broken = (tool: Tool.Tool, what: string): McpError.InvalidResult =>
  new McpError.InvalidResult({ method: "tools/call", message: `The result of tool ${tool.name} ${what}` })

// Revisions that cannot write a value as structured content have its JSON as the last piece of text.
const structured = (result: ToolResult.ToolResult): { readonly value: unknown } | undefined => {
  if (result.structuredContent !== undefined) return { value: result.structuredContent }
  const last = result.content.findLast((content) => content.type === "text")
  if (last === undefined) return undefined
  try {
    return { value: JSON.parse(last.text) }
  } catch {
    return undefined
  }
}

const decodeResult = SchemaParser.decodeUnknownEffect(ToolResult.ToolResult)

/** Reads the result of a call. Content of a kind that is not known is an error: it would be lost silently. */
export const readResult = (result: unknown): Effect.Effect<ToolResult.ToolResult, McpError.InvalidResult> =>
  Effect.mapError(
    decodeResult(result),
    (issue) =>
      new McpError.InvalidResult({
        method: "tools/call",
        message: `The result is malformed: ${Problem.describe(issue)}`
      })
  )
