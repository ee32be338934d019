/** The stateless era: every request says in its `_meta` who asks and in which revision, and every result who answers. */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Logging from "@mcp-effect/protocol/Logging"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Client, type Method, result } from "../Call.ts"
import type { Accepted, Era, Origin } from "../Dispatch.ts"
import { none } from "../Input.ts"
import * as Subscriptions from "../Subscriptions.ts"
import * as ClientInfo from "./clientInfo.ts"
import * as Rounds from "./rounds.ts"
import { capabilities, declared, instructionsOf, methodOf, type ServerInfo } from "./serverInfo.ts"

const LISTEN = "subscriptions/listen"

const names = { info: Meta.CLIENT_INFO, capabilities: Meta.CLIENT_CAPABILITIES, infoRequired: false }

export const make = (server: ServerInfo): Era => {
  const revisions = server.stateless
  const supported = server.revisions.map((revision) => revision.name)
  const serverInfo = { [Meta.SERVER_INFO]: server.info }
  const listen = Subscriptions.listen(() => declared(server), server.changes)

  const discover: Method = ({ revision }) =>
    Effect.succeed(result({
      supportedVersions: supported,
      capabilities: capabilities(server, declared(server), revision),
      ...instructionsOf(server)
    }))

  const find = (method: string, revision: Revision): Method => {
    switch (method) {
      case "server/discover":
        return discover
      case LISTEN:
        return listen
      default:
        return methodOf(server, server.features, method, revision)
    }
  }
  return {
    accept: (request, origin) => {
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
      const level = meta[Meta.LOG_LEVEL]
      if (level !== undefined && !Logging.isLevel(level)) return Result.fail(unknownLevel)
      const logLevel = server.logging.settings() === undefined ? undefined : level
      return Result.succeed(
        accepted(request, origin, revision, client.success, logLevel, find(request.method, revision))
      )
    },
    serve: Rounds.serve(server.info.name, server.requestState),
    complete: (call, result) => {
      const { value } = result
      const caching = server.caching(call.request.method, result)
      return {
        resultType: "complete",
        ...value,
        // Only a complete result can be kept.
        ...(caching === undefined || (value.resultType ?? "complete") !== "complete" ? undefined : caching),
        _meta: { ...Meta.of(value), ...serverInfo }
      }
    }
  }
}

const accepted = (
  request: JsonRpc.Request,
  { back, link, principal }: Origin,
  revision: Revision,
  client: Client,
  logLevel: Logging.Level | undefined,
  method: Method
): Accepted => ({
  call: {
    request,
    revision,
    client,
    principal,
    back,
    link,
    session: undefined,
    input: none,
    logLevel,
    part: undefined
  },
  method,
  lasts: request.method === LISTEN
})

const unknownLevel = new McpError.InvalidParams({
  message: `Invalid params: "${Meta.LOG_LEVEL}" in "_meta" must be one of ${Logging.levels.join(", ")}`
})
