/**
 * A tool that was called has failed: a result with `isError`.
 *
 * @since 0.1.0
 */
import * as ToolResult from "@mcp-effect/protocol/ToolResult"
import * as Data from "effect/Data"

/**
 * What the tool wrote for the model is the message; `result` is the whole of it.
 *
 * @since 0.1.0
 * @category errors
 */
export class ToolFailure extends Data.TaggedError("ToolFailure")<{
  readonly tool: string
  readonly result: ToolResult.ToolResult
}> {
  override get message(): string {
    return ToolResult.text(this.result)
  }
}
