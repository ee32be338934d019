/** How a client describes itself, read from where its era says it. */
import { Implementation } from "@mcp-effect/protocol/Implementation"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import type { Client } from "../Call.ts"

const decodeImplementation = SchemaParser.decodeUnknownResult(Implementation)

export const read = (
  info: unknown,
  capabilities: unknown,
  names: { readonly info: string; readonly capabilities: string; readonly infoRequired: boolean }
): Result.Result<Client, McpError.InvalidParams> => {
  if (!Predicate.isObject(capabilities) || Array.isArray(capabilities)) {
    return Result.fail(invalid(`"${names.capabilities}" must be an object`))
  }
  if (info === undefined && !names.infoRequired) return Result.succeed({ info: undefined, capabilities })
  const decoded = decodeImplementation(info)
  return Result.isSuccess(decoded)
    ? Result.succeed({ info: decoded.success, capabilities })
    : Result.fail(invalid(`"${names.info}" must be a name and a version: ${Problem.describe(decoded.failure)}`))
}

const invalid = (what: string): McpError.InvalidParams =>
  new McpError.InvalidParams({ message: `Invalid params: ${what}` })
