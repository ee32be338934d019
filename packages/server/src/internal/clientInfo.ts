/** How a client describes itself, read from where its era says it. */
import type { Implementation } from "@mcp-effect/protocol/Implementation"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Client } from "../Call.ts"

// On every request of the stateless era, so a glance must do: what is required is checked, and the rest is for display.
const isImplementation = (u: unknown): u is Implementation =>
  Predicate.isObject(u) && typeof u.name === "string" && typeof u.version === "string"

export const read = (
  info: unknown,
  capabilities: unknown,
  names: { readonly info: string; readonly capabilities: string; readonly infoRequired: boolean }
): Result.Result<Client, McpError.InvalidParams> => {
  if (!Predicate.isObject(capabilities)) {
    return Result.fail(invalid(`"${names.capabilities}" must be an object`))
  }
  if (info === undefined && !names.infoRequired) return Result.succeed({ info: undefined, capabilities })
  return isImplementation(info)
    ? Result.succeed({ info, capabilities })
    : Result.fail(invalid(`"${names.info}" must be an object with a "name" and a "version"`))
}

const invalid = (what: string): McpError.InvalidParams =>
  new McpError.InvalidParams({ message: `Invalid params: ${what}` })
