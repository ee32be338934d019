/**
 * The streaming-tools extension, by which parts of a tool's content arrive ahead of the result.
 *
 * @since 0.1.0
 */
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import type { ClientExtension } from "./Extension.ts"

/**
 * The extension, which every client has. Its parts are tied to a call, and read by whoever streams it.
 *
 * @since 0.1.0
 * @category extensions
 */
export const extension: ClientExtension = { id: StreamingTools.ID }
