/**
 * What a server must have declared for a request to be sent to it.
 *
 * Source: `basic/lifecycle#operation` up to 2025-11-25: only capabilities that were negotiated are used.
 */
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Server } from "../Handshake.ts"
import type { SendOver } from "../Requests.ts"

/** Whether a capability, such as `resources` or `resources.subscribe`, was declared, or need not be in this revision. */
export const isDeclared = ({ capabilities, revision }: Server, capability: string): boolean => {
  if (capability === "completions" && !revision.wire.completions) return true
  let at: unknown = capabilities
  for (const name of capability.split(".")) at = Predicate.isObject(at) ? at[name] : undefined
  return at !== undefined && at !== null && at !== false
}

export const missing = (method: string, capability: string): McpError.MethodNotFound =>
  new McpError.MethodNotFound({
    method,
    message: `The server does not declare the capability ${JSON.stringify(capability)}, which ${method} needs`
  })

/** Refuses what the server of the session has not declared. */
export const around = (send: SendOver): SendOver => (ready, method, params, given) =>
  given.capability === undefined || isDeclared(ready.era.server, given.capability)
    ? send(ready, method, params, given)
    : Effect.fail(missing(method, given.capability))
