/** The stateful era: `initialize` opens a session, which says for all of its requests who asks and in which revision. */
import * as Capabilities from "@mcp-effect/protocol/Capabilities"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { Level } from "@mcp-effect/protocol/Logging"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import type * as Session from "@mcp-effect/protocol/Session"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import {
  type Call,
  type Client,
  type Feature,
  type Method,
  result,
  type SessionState,
  type Subscribed
} from "../Call.ts"
import type { Accepted, Era, Origin } from "../Dispatch.ts"
import { type Input, mayAsk, none } from "../Input.ts"
import * as ClientInfo from "./clientInfo.ts"
import * as Reverse from "./reverse.ts"
import { capabilities, declared, instructionsOf, methodOf, type ServerInfo } from "./serverInfo.ts"

export interface StatefulEra extends Era {
  /** `notifications/initialized` has arrived. */
  readonly initialized: Effect.Effect<void>
  /** The session, once it is ready. */
  readonly ready: () => Ready | undefined
}

/** What the session has agreed on. The features it has are those it was told of; what comes later it does not get. */
export interface Ready {
  readonly revision: Revision
  readonly client: Client
  readonly features: ReadonlyArray<Feature>
  readonly state: SessionState
}

const plain: Era["complete"] = (_call, { value }) => value

const ping: Method = () => Effect.succeed(result({}))

export const make = (server: ServerInfo, session: Session.Cell, scope: Scope.Scope): StatefulEra =>
  new Stateful(server, session, scope)

class Stateful implements StatefulEra {
  private asking: Input | undefined
  private readonly server: ServerInfo
  private readonly session: Session.Cell
  private readonly scope: Scope.Scope
  private negotiated: Ready | undefined

  constructor(server: ServerInfo, session: Session.Cell, scope: Scope.Scope) {
    this.server = server
    this.session = session
    this.scope = scope
  }

  get complete(): Era["complete"] {
    return plain
  }

  serve(call: Call, method: Method): ReturnType<Method> {
    return method(call)
  }

  // As many sessions never ask, it is made when one may.
  private get input(): Input {
    return this.asking ??= Reverse.make()
  }

  private get revisions(): ReadonlyArray<Revision> {
    return this.server.stateful
  }

  accept(request: JsonRpc.Request, origin: Origin): Result.Result<Accepted, McpError.ProtocolError> {
    if (request.method === "initialize") return this.initialize(request, origin)
    const [newest] = this.revisions
    if (newest === undefined) return Result.fail(needsMeta(this.server, request))
    const negotiated = this.ready()
    if (request.method === "ping") {
      const { client = nobody, revision = newest } = negotiated ?? {}
      return Result.succeed(this.accepted(request, origin, revision, client, ping))
    }
    if (negotiated === undefined) {
      return Result.fail(
        isStatelessOnly(this.server, request.method) ? needsMeta(this.server, request) : new McpError.InvalidRequest({
          message:
            `Invalid request: the session is ${this.session.current()._tag}; ${request.method} needs it to be ready`
        })
      )
    }
    const { client, features, revision } = negotiated
    return Result.succeed(
      this.accepted(request, origin, revision, client, methodOf(this.server, features, request.method, revision))
    )
  }

  private accepted(
    request: JsonRpc.Request,
    { back, link, principal }: Origin,
    revision: Revision,
    client: Client,
    method: Method
  ): Accepted {
    const session = this.negotiated?.state
    const input = mayAsk(request.method) ? this.input : none
    return {
      call: {
        request,
        revision,
        client,
        principal,
        back,
        link,
        session,
        input,
        logLevel: session?.logLevel,
        part: undefined
      },
      method,
      lasts: false
    }
  }

  private initialize(request: JsonRpc.Request, origin: Origin): Result.Result<Accepted, McpError.ProtocolError> {
    return Result.map(read(this.revisions, request), ({ client, revision }) => {
      const [newest] = this.revisions
      // Of the revision that the reply is in, if there will be one.
      const shown = revision ?? newest ?? this.server.revisions[0]
      if (shown === undefined) throw new Error("A server has at least one revision")
      return this.accepted(request, origin, shown, client, (call) =>
        // Middleware may have changed what was asked.
        call.request === request
          ? this.open(revision, client, request)
          : Effect.flatMap(
            Effect.fromResult(read(this.revisions, call.request)),
            ({ client, revision }) => this.open(revision, client, call.request)
          ))
    })
  }

  private open(
    revision: Revision | undefined,
    client: Client,
    request: JsonRpc.Request
  ): ReturnType<Method> {
    const { server, session } = this
    if (revision === undefined) {
      const supported = server.revisions.map((revision) => revision.name)
      const requested = String(request.params?.protocolVersion)
      const error = new McpError.UnsupportedProtocolVersion({ requested, supported })
      session.dispatch({ _tag: "HandshakeFailed", reason: error.message })
      return Effect.fail(error)
    }
    if (Result.isFailure(session.dispatch({ _tag: "HandshakeStarted" }))) {
      return Effect.fail(
        new McpError.InvalidRequest({
          message: `Invalid request: the session is ${session.current()._tag}; it is initialized only once`
        })
      )
    }
    const features = declared(server)
    const declares = capabilities(server, features, revision)
    const extensions = Object.keys(declares.extensions ?? {})
      .filter((id) => Capabilities.hasExtension(client.capabilities, id))
    const state = new State(this.scope, server.logging.settings()?.level, extensions)
    this.negotiated = { revision, client, features, state }
    return Effect.succeed(result({
      protocolVersion: revision.name,
      // Peers of this era know extensions by either name.
      capabilities: declares.extensions === undefined ? declares : { ...declares, experimental: declares.extensions },
      serverInfo: server.info,
      ...instructionsOf(server)
    }))
  }

  ready(): Ready | undefined {
    return this.session.current()._tag === "ready" ? this.negotiated : undefined
  }

  get initialized(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.negotiated === undefined) return Effect.logWarning("Ignored notifications/initialized before initialize")
      const moved = this.session.dispatch({ _tag: "HandshakeCompleted", revision: this.negotiated.revision })
      return Result.isFailure(moved)
        ? Effect.logWarning(`Ignored notifications/initialized: ${moved.failure.message}`)
        : Effect.void
    })
  }
}

class State implements SessionState {
  readonly scope: Scope.Scope
  logLevel: Level | undefined
  readonly extensions: ReadonlySet<string>
  private uris: Map<string, Subscribed> | undefined

  constructor(scope: Scope.Scope, logLevel: Level | undefined, extensions: ReadonlyArray<string>) {
    this.scope = scope
    this.logLevel = logLevel
    this.extensions = extensions.length === 0 ? noExtensions : new Set(extensions)
  }

  get subscribed(): Map<string, Subscribed> {
    return this.uris ??= new Map()
  }
}

const noExtensions: ReadonlySet<string> = new Set()

const nobody: Client = { info: undefined, capabilities: {} }

// Reads an `initialize`, and finds the revision to speak; `undefined` if there is none.
const read = (
  revisions: ReadonlyArray<Revision>,
  request: JsonRpc.Request
): Result.Result<{ readonly client: Client; readonly revision: Revision | undefined }, McpError.ProtocolError> => {
  const { capabilities, clientInfo, protocolVersion } = request.params ?? {}
  if (typeof protocolVersion !== "string") {
    return Result.fail(
      new McpError.InvalidParams({ message: "Invalid params: \"protocolVersion\" must be a string" })
    )
  }
  const client = ClientInfo.read(clientInfo, capabilities, {
    info: "clientInfo",
    capabilities: "capabilities",
    infoRequired: true
  })
  const revision = Revisions.newestCommon(revisions, [protocolVersion]) ?? revisions[0]
  return Result.map(client, (client) => ({ client, revision }))
}

const isStatelessOnly = (server: ServerInfo, method: string): boolean =>
  server.stateless.some((revision) => revision.methods.serverRequests.has(method)) &&
  !server.stateful.some((revision) => revision.methods.serverRequests.has(method))

const needsMeta = (server: ServerInfo, request: JsonRpc.Request): McpError.InvalidParams =>
  new McpError.InvalidParams({
    message: `Invalid params: ${request.method} needs "${Meta.PROTOCOL_VERSION}" (one of ${
      server.stateless.map((revision) => revision.name).join(", ")
    }) and "${Meta.CLIENT_CAPABILITIES}" in "_meta"`
  })
