/** What a handler has failed with, as the error that its caller gets. */
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Predicate from "effect/Predicate"

/** An error of the protocol is the reply as it is; of any other, its message is, or `otherwise` if it has none. */
export const of = (error: unknown, otherwise: string): McpError.ProtocolError => {
  if (McpError.isProtocolError(error)) return error
  const message = Predicate.hasProperty(error, "message") ? error.message : error
  return new McpError.InternalError({ message: Predicate.isString(message) && message !== "" ? message : otherwise })
}
