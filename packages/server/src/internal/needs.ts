/** What a client must have declared, in a revision that has it, before anything is run or asked. */
import * as Capabilities from "@mcp-effect/protocol/Capabilities"
import * as McpError from "@mcp-effect/protocol/McpError"
import type { Wire } from "@mcp-effect/protocol/Revision"
import type { Call } from "../Call.ts"

/** Why a call is refused, if its client or its revision lacks what `what` needs. */
export const missing = (
  { client, revision: { name, wire } }: Call,
  needs: Capabilities.Client | undefined,
  what: string
): McpError.MissingRequiredClientCapability | undefined => {
  if (needs === undefined) return undefined
  // Whatever a client says, a revision without elicitation has no way to ask. Sampling and roots are in all of them.
  const { elicitation: _, ...others } = client.capabilities
  const declared = wire.elicitation === "none" ? others : client.capabilities
  const requiredCapabilities = Capabilities.missing(declared, needs)
  if (requiredCapabilities === undefined) return undefined
  const absent = absentOf(requiredCapabilities, wire)
  return new McpError.MissingRequiredClientCapability({
    message: absent === undefined
      ? `${what} needs capabilities that the client did not declare: ${names(requiredCapabilities).join(", ")}`
      : `${what} needs ${absent}, and revision ${name} of the protocol has no ${absent}`,
    requiredCapabilities
  })
}

// What no client of the revision could declare.
const absentOf = ({ elicitation, sampling }: Capabilities.Client, wire: Wire): string | undefined => {
  if (elicitation !== undefined && wire.elicitation === "none") return "elicitation"
  if (elicitation?.url !== undefined && wire.elicitation === "plain") return "elicitation.url"
  return sampling?.tools !== undefined && !wire.samplingTools ? "sampling.tools" : undefined
}

const names = (capabilities: Capabilities.Client): ReadonlyArray<string> =>
  Object.entries(capabilities).flatMap(([name, value]) => {
    const members = Object.keys(value ?? {})
    return members.length === 0 ? [name] : members.map((member) => `${name}.${member}`)
  })
