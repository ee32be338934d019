/**
 * The result of `tools/call`, as a client reads it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Content from "./Content.ts"

/**
 * The key in `_meta` under which a typed failure travels beside the text that the model reads.
 *
 * @since 0.1.0
 * @category constants
 */
export const FAILURE = "io.github.mcp-effect/failure"

/**
 * A tool's result. `isError` marks a failure of the tool, for the model to read.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolResult = Schema.Struct({
  content: Schema.Array(Content.Content),
  structuredContent: Schema.optionalKey(Schema.Unknown),
  isError: Schema.optionalKey(Schema.Boolean),
  _meta: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

/**
 * @since 0.1.0
 * @category models
 */
export type ToolResult = typeof ToolResult.Type

/**
 * The text of the content, a line for each piece of text.
 *
 * @since 0.1.0
 * @category accessors
 */
export const text = (result: ToolResult): string =>
  result.content.flatMap((content) => content.type === "text" ? [content.text] : []).join("\n")
