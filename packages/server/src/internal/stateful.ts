/** The stateful era: `initialize` opens a session, which says for all of its requests who asks and in which revision. */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Peer } from "@mcp-effect/protocol/Peer"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import type * as Session from "@mcp-effect/protocol/Session"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Client, type Feature, type Method, result } from "../Call.ts"
import type { Accepted, Era } from "../Dispatch.ts"
import * as ClientInfo from "./clientInfo.ts"
import { capabilities, declared, instructionsOf, methodOf, type ServerInfo } from "./serverInfo.ts"

export interface StatefulEra extends Era {
  /** `notifications/initialized` has arrived. */
  readonly initialized: Effect.Effect<void>
  /** Whether the session may use a feature: it is ready, and was told of it. What comes later it does not get. */
  readonly offers: (feature: Feature) => boolean
}

interface Negotiated {
  readonly revision: Revision
  readonly client: Client
  readonly features: ReadonlyArray<Feature>
}

const plain: Era["complete"] = ({ value }) => value

const ping: Method = () => Effect.succeed(result({}))

export const make = (server: ServerInfo, session: Session.Cell): StatefulEra => {
  const revisions = Revisions.ofEra(server.revisions, "stateful")
  let negotiated: Negotiated | undefined

  const initialize = (request: JsonRpc.Request, back: Peer): Result.Result<Accepted, McpError.ProtocolError> =>
    Result.map(open(server, revisions, session, request), (opened) => {
      negotiated = opened
      const { client, revision } = opened
      return { call: { request, back, client, revision }, method: () => Effect.succeed(welcome(server, opened)) }
    })

  const accept = (request: JsonRpc.Request, back: Peer): Result.Result<Accepted, McpError.ProtocolError> => {
    if (request.method === "initialize") return initialize(request, back)
    const [newest] = revisions
    if (newest === undefined) return Result.fail(needsMeta(server, request))
    if (request.method === "ping") {
      const client = { info: undefined, capabilities: {} }
      return Result.succeed({ call: { request, revision: newest, client, back }, method: ping })
    }
    const state = session.current()
    if (state._tag !== "ready" || negotiated === undefined) {
      return Result.fail(
        isStatelessOnly(server, request.method)
          ? needsMeta(server, request)
          : new McpError.InvalidRequest({
            message: `Invalid request: the session is ${state._tag}; ${request.method} needs it to be ready`
          })
      )
    }
    const { client, features, revision } = negotiated
    return Result.map(methodOf(features, request.method, revision), (method) => ({
      call: { request, revision, client, back },
      method
    }))
  }

  return {
    accept,
    complete: plain,
    offers: (feature) => session.current()._tag === "ready" && negotiated?.features.includes(feature) === true,
    initialized: Effect.suspend(() => {
      if (negotiated === undefined) return Effect.logWarning("Ignored notifications/initialized before initialize")
      const moved = session.dispatch({ _tag: "HandshakeCompleted", revision: negotiated.revision })
      return Result.isFailure(moved)
        ? Effect.logWarning(`Ignored notifications/initialized: ${moved.failure.message}`)
        : Effect.void
    })
  }
}

// Reads an `initialize`, agrees on a revision, and moves the session.
const open = (
  server: ServerInfo,
  revisions: ReadonlyArray<Revision>,
  session: Session.Cell,
  request: JsonRpc.Request
): Result.Result<Negotiated, McpError.ProtocolError> => {
  const { capabilities: clientCapabilities, clientInfo, protocolVersion } = request.params ?? {}
  if (typeof protocolVersion !== "string") {
    return Result.fail(
      new McpError.InvalidParams({ message: "Invalid params: \"protocolVersion\" must be a string" })
    )
  }
  const client = ClientInfo.read(clientInfo, clientCapabilities, {
    info: "clientInfo",
    capabilities: "capabilities",
    infoRequired: true
  })
  if (Result.isFailure(client)) return Result.fail(client.failure)
  const revision = Revisions.newestCommon(revisions, [protocolVersion]) ?? revisions[0]
  if (revision === undefined) {
    const supported = server.revisions.map((revision) => revision.name)
    const error = new McpError.UnsupportedProtocolVersion({ requested: protocolVersion, supported })
    session.dispatch({ _tag: "HandshakeFailed", reason: error.message })
    return Result.fail(error)
  }
  if (Result.isFailure(session.dispatch({ _tag: "HandshakeStarted" }))) {
    return Result.fail(
      new McpError.InvalidRequest({
        message: `Invalid request: the session is ${session.current()._tag}; it is initialized only once`
      })
    )
  }
  return Result.succeed({ revision, client: client.success, features: declared(server) })
}

const welcome = (server: ServerInfo, { features, revision }: Negotiated) =>
  result({
    protocolVersion: revision.name,
    capabilities: { ...capabilities(features, true), experimental: { [StreamingTools.ID]: {} } },
    serverInfo: server.info,
    ...instructionsOf(server)
  })

const isStatelessOnly = (server: ServerInfo, method: string): boolean =>
  Revisions.ofEra(server.revisions, "stateless").some((revision) => revision.methods.serverRequests.has(method)) &&
  !Revisions.ofEra(server.revisions, "stateful").some((revision) => revision.methods.serverRequests.has(method))

const needsMeta = (server: ServerInfo, request: JsonRpc.Request): McpError.InvalidParams =>
  new McpError.InvalidParams({
    message: `Invalid params: ${request.method} needs "${Meta.PROTOCOL_VERSION}" (one of ${
      Revisions.ofEra(server.revisions, "stateless").map((revision) => revision.name).join(", ")
    }) and "${Meta.CLIENT_CAPABILITIES}" in "_meta"`
  })
