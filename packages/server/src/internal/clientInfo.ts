/** How a client describes itself, read from where its era says it. */
import { Implementation } from "@mcp-effect/protocol/Implementation"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as SchemaParser from "effect/SchemaParser"
import type { Client } from "../Call.ts"

const decodeImplementation = SchemaParser.decodeUnknownEffect(Implementation)

export const read = (
  info: unknown,
  capabilities: unknown,
  names: { readonly info: string; readonly capabilities: string; readonly infoRequired: boolean }
): Effect.Effect<Client, McpError.InvalidParams> => {
  if (!Predicate.isObject(capabilities) || Array.isArray(capabilities)) {
    return Effect.fail(invalid(`"${names.capabilities}" must be an object`))
  }
  if (info === undefined && !names.infoRequired) return Effect.succeed({ info: undefined, capabilities })
  return Effect.mapBoth(decodeImplementation(info), {
    onFailure: (issue) => invalid(`"${names.info}" must be a name and a version: ${Problem.describe(issue)}`),
    onSuccess: (info) => ({ info, capabilities })
  })
}

const invalid = (what: string): McpError.InvalidParams =>
  new McpError.InvalidParams({ message: `Invalid params: ${what}` })
