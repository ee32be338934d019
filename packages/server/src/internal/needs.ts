/** What a client must have declared, before anything is run or asked. */
import * as Capabilities from "@mcp-effect/protocol/Capabilities"
import * as McpError from "@mcp-effect/protocol/McpError"
import type { Call } from "../Call.ts"

/** Why a call is refused, if its client lacks what `what` needs. */
export const missing = (
  { client }: Call,
  needs: Capabilities.Client | undefined,
  what: string
): McpError.MissingRequiredClientCapability | undefined => {
  const requiredCapabilities = needs === undefined ? undefined : Capabilities.missing(client.capabilities, needs)
  if (requiredCapabilities === undefined) return undefined
  return new McpError.MissingRequiredClientCapability({
    message: `${what} needs capabilities that the client did not declare: ${names(requiredCapabilities).join(", ")}`,
    requiredCapabilities
  })
}

const names = (capabilities: Capabilities.Client): ReadonlyArray<string> =>
  Object.entries(capabilities).flatMap(([name, value]) => {
    const members = Object.keys(value ?? {})
    return members.length === 0 ? [name] : members.map((member) => `${name}.${member}`)
  })
