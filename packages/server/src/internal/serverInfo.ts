/** What both eras need to know of a server. */
import type * as Capabilities from "@mcp-effect/protocol/Capabilities"
import type { Implementation } from "@mcp-effect/protocol/Implementation"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Result from "effect/Result"
import type { Feature, Method } from "../Call.ts"

export interface ServerInfo {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly revisions: ReadonlyArray<Revision>
  readonly features: ReadonlyArray<Feature>
}

/** The features that have something to declare now. */
export const declared = (server: ServerInfo): ReadonlyArray<Feature> =>
  server.features.filter((feature) => feature.declared())

/** What these features declare. `changes`: whether this era can tell of changes. */
export const capabilities = (features: ReadonlyArray<Feature>, changes: boolean): Capabilities.Server =>
  Object.assign({}, ...features.map((feature) => feature.capability({ changes })))

/** The method of one of these features, in a revision that has it; anything else does not exist. */
export const methodOf = (
  features: ReadonlyArray<Feature>,
  name: string,
  revision: Revision
): Result.Result<Method, McpError.MethodNotFound> => {
  if (revision.methods.serverRequests.has(name)) {
    for (const feature of features) {
      const method = feature.methods[name]
      if (method !== undefined) return Result.succeed(method)
    }
  }
  return Result.fail(new McpError.MethodNotFound({ method: name, message: `Method not found: ${name}` }))
}

/** The members of an `initialize` result, and of a `server/discover` result, that say who and what the server is. */
export const instructionsOf = (server: ServerInfo): Params =>
  server.instructions === undefined ? {} : { instructions: server.instructions }
