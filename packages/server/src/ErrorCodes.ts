/**
 * Which codes a server gives to an unknown tool, prompt or resource.
 *
 * @since 0.1.0
 */
import type { NotFoundCodes } from "@mcp-effect/protocol/McpError"
import * as Context from "effect/Context"

/**
 * `undefined`, the default, means the specification's: -32602, and the revision's own code for a resource. Set it to
 * `McpError.legacyNotFoundCodes` for deployments that expect -32002, -32003 and -32004.
 *
 * @since 0.1.0
 * @category references
 */
export const ErrorCodes: Context.Reference<NotFoundCodes | undefined> = Context.Reference<NotFoundCodes | undefined>(
  "@mcp-effect/server/ErrorCodes",
  { defaultValue: () => undefined }
)
