/**
 * The streaming-tools extension: parts of a tool's content travel ahead of the result to clients that declared it.
 *
 * @since 0.1.0
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import type { Extension } from "./Extensions.ts"

/**
 * The extension, which every server has unless it says `streamingTools: false`.
 *
 * @since 0.1.0
 * @category extensions
 */
export const extension: Extension = {
  id: StreamingTools.ID,
  around: {
    "tools/call": (call, next) =>
      next({
        ...call,
        part: (content, index, progressToken) =>
          JsonRpc.notification(StreamingTools.METHOD, { progressToken, index, content })
      })
  }
}
