/** The stateless era: every request says in its `_meta` who asks and in which revision, and every result who answers. */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Method } from "../Call.ts"
import type { Era } from "../Dispatch.ts"
import * as ClientInfo from "./clientInfo.ts"
import { capabilities, declared, instructionsOf, methodOf, type ServerInfo } from "./serverInfo.ts"

const names = { info: Meta.CLIENT_INFO, capabilities: Meta.CLIENT_CAPABILITIES, infoRequired: false }

// Stale at once, and not to be shared: what is true of any result.
const cachingHints = { ttlMs: 0, cacheScope: "private" }

export const make = (server: ServerInfo): Era => {
  const revisions = Revisions.ofEra(server.revisions, "stateless")
  const supported = server.revisions.map((revision) => revision.name)
  const serverInfo = { [Meta.SERVER_INFO]: server.info }

  const discover: Method = () => {
    const value: JsonRpc.Params = {
      supportedVersions: supported,
      capabilities: { ...capabilities(declared(server), false), extensions: { [StreamingTools.ID]: {} } },
      ...instructionsOf(server)
    }
    return Effect.succeed({ value, cacheable: true, key: undefined })
  }

  return {
    accept: (request, back) => {
      const meta = Meta.of(request.params) ?? {}
      const requested = meta[Meta.PROTOCOL_VERSION]
      if (typeof requested !== "string") {
        return Result.fail(
          new McpError.InvalidParams({
            message: `Invalid params: "${Meta.PROTOCOL_VERSION}" in "_meta" must be one of ${supported.join(", ")}`
          })
        )
      }
      const revision = revisions.find((revision) => revision.name === requested)
      if (revision === undefined) return Result.fail(new McpError.UnsupportedProtocolVersion({ requested, supported }))
      const client = ClientInfo.read(meta[Meta.CLIENT_INFO], meta[Meta.CLIENT_CAPABILITIES], names)
      if (Result.isFailure(client)) return Result.fail(client.failure)
      const call = { request, revision, client: client.success, back }
      if (request.method === "server/discover") return Result.succeed({ call, method: discover })
      return Result.map(methodOf(declared(server), request.method, revision), (method) => ({ call, method }))
    },
    complete: ({ cacheable, value }) => ({
      resultType: "complete",
      ...value,
      ...(cacheable ? cachingHints : undefined),
      _meta: { ...Meta.of(value), ...serverInfo }
    })
  }
}
