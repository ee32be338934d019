/** What both eras need to know of a server. */
import type * as Capabilities from "@mcp-effect/protocol/Capabilities"
import type { Implementation } from "@mcp-effect/protocol/Implementation"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Effect from "effect/Effect"
import type { Caching } from "../Caching.ts"
import type { Feature, Method } from "../Call.ts"
import type { Changes } from "../Changes.ts"
import type { Extensions } from "../Extensions.ts"
import type { Logging } from "../Logging.ts"
import type { Methods } from "../Methods.ts"
import type { RequestState } from "../RequestState.ts"

export interface ServerInfo {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly revisions: ReadonlyArray<Revision>
  /** Those of either era. */
  readonly stateful: ReadonlyArray<Revision>
  readonly stateless: ReadonlyArray<Revision>
  readonly features: ReadonlyArray<Feature>
  readonly changes: Changes["Service"]
  readonly caching: Caching
  readonly logging: Logging
  readonly methods: Methods
  readonly extensions: Extensions
  readonly requestState: RequestState
  /** All middleware around a method. */
  readonly wrap: ((method: Method) => Method) | undefined
}

/** The features that have something to declare now. */
export const declared = (server: ServerInfo): ReadonlyArray<Feature> => {
  const before = lists.get(server)
  const now = server.features.filter((feature) => feature.declared())
  if (before?.length === now.length && now.every((feature, i) => feature === before[i])) return before
  lists.set(server, now)
  return now
}

// Each session keeps the list of its features, which is mostly the same one.
const lists = new WeakMap<ServerInfo, ReadonlyArray<Feature>>()

/** What the server declares, given the features that it has. */
export const capabilities = (
  server: ServerInfo,
  features: ReadonlyArray<Feature>,
  revision: Revision
): Capabilities.Server => {
  const extensions = server.extensions.settings()
  return Object.assign(
    {},
    ...features.map((feature) => feature.capability(revision)),
    Object.keys(extensions).length === 0 ? {} : { extensions }
  )
}

/**
 * The method of one of these features that has something to declare, in a revision that has it, or one that the protocol does not know; anything else
 * does not exist.
 */
export const methodOf = (
  server: ServerInfo,
  features: ReadonlyArray<Feature>,
  name: string,
  revision: Revision
): Method => {
  if (revision.methods.serverRequests.has(name)) {
    for (const feature of features) {
      const method = feature.methods[name]
      if (method !== undefined && feature.declared()) return method
    }
  }
  return server.methods.get(name) ?? notFound
}

const notFound: Method = ({ request: { method } }) =>
  Effect.fail(new McpError.MethodNotFound({ method, message: `Method not found: ${method}` }))

/** The members of an `initialize` result, and of a `server/discover` result, that say who and what the server is. */
export const instructionsOf = (server: ServerInfo): Params =>
  server.instructions === undefined ? {} : { instructions: server.instructions }
