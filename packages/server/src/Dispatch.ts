/**
 * One connection of a server: from a message to its era, from the era to the feature, and back to a response.
 *
 * Knows the two eras by one interface, and features by their methods. Knows no transport.
 *
 * @since 0.1.0
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Local, Peer } from "@mcp-effect/protocol/Peer"
import { Principal } from "@mcp-effect/protocol/Principal"
import * as Problem from "@mcp-effect/protocol/Problem"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Session from "@mcp-effect/protocol/Session"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as EffectResult from "effect/Result"
import * as Scope from "effect/Scope"
import type { Call, Link, Method, Result } from "./Call.ts"
import { ErrorCodes } from "./ErrorCodes.ts"
import { Lasting } from "./internal/lasting.ts"
import type { ServerInfo } from "./internal/serverInfo.ts"
import * as Sessions from "./internal/sessions.ts"
import * as Stateful from "./internal/stateful.ts"
import { traced } from "./internal/traced.ts"

/**
 * The server as a peer, with the session of this connection. Stateless requests never touch the session.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServerConnection extends Local {
  readonly session: Session.Session
  /** The revision that the session has negotiated, once it is ready. */
  readonly revision: () => Revision | undefined
  /** Whether that has batches. */
  readonly batches: () => boolean
  /** Ends subscriptions, with their replies. A transport runs it before it closes the connection by itself. */
  readonly ending: Effect.Effect<void>
}

/**
 * Where a request comes from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Origin {
  readonly back: Peer
  readonly link: Link
  readonly principal: Principal | undefined
}

/**
 * How an era reads a request: the call that it is, with the method that handles it, or why it is none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Era {
  readonly accept: (
    request: JsonRpc.Request,
    origin: Origin
  ) => EffectResult.Result<Accepted, McpError.ProtocolError>
  /** Runs the method, with the era's way of asking the client. */
  readonly serve: (call: Call, method: Method) => Effect.Effect<Result, McpError.ProtocolError>
  /** The result with the members that the era adds to all of its results. */
  readonly complete: (call: Call, result: Result) => JsonRpc.Params
}

/**
 * `lasts`: whether the request stays open until somebody ends it, so that the end of the connection is to wait for its reply.
 *
 * @since 0.1.0
 * @category models
 */
export interface Accepted {
  readonly call: Call
  readonly method: Method
  readonly lasts: boolean
}

/**
 * Opens a connection: `back` is the client.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connect = (
  server: ServerInfo,
  stateless: Era,
  back: Peer
): Effect.Effect<ServerConnection, never, Scope.Scope> =>
  // In one step, as there may be thousands of them.
  Effect.uninterruptible(Effect.withFiber<ServerConnection, never, Scope.Scope>(({ context }) => {
    const scope = Context.getUnsafe(context, Scope.Scope)
    const session = Session.make()
    const stateful = Stateful.make(server, session, scope)
    const stop = Sessions.announce(server, stateful, back, context)
    const close = Effect.sync(() => {
      session.dispatch({ _tag: "TransportLost", reason: "The connection was closed" })
      stop()
    })
    const connection = new Connection(server, session, { stateless, stateful }, Context.get(context, ErrorCodes))
    return Effect.as(Scope.addFinalizer(scope, close), connection)
  }))

interface Eras {
  readonly stateless: Era
  readonly stateful: Stateful.StatefulEra
}

// A record of a few references: a server holds one for each session. All of it is its own, so that it can be copied.
class Connection implements ServerConnection {
  readonly session: Session.Session
  private readonly server: ServerInfo
  private readonly eras: Eras
  private readonly codes: McpError.NotFoundCodes | undefined
  private readonly lasting = new Lasting()

  constructor(
    server: ServerInfo,
    session: Session.Session,
    eras: Eras,
    codes: McpError.NotFoundCodes | undefined
  ) {
    this.server = server
    this.session = session
    this.eras = eras
    this.codes = codes
  }

  readonly request: Peer["request"] = (request, back) =>
    Effect.withFiber((fiber) => {
      const era = this.server.stateless.length > 0 && isStateless(request) ? this.eras.stateless : this.eras.stateful
      const accepted = era.accept(request, { back, link: this.lasting, principal: fiber.getRef(Principal) })
      if (EffectResult.isFailure(accepted)) {
        return Effect.succeed(failure(request.id, accepted.failure, undefined, this.codes))
      }
      const { call, lasts } = accepted.success
      const response = traced(
        call,
        Effect.matchCauseEffect(
          Effect.suspend(() => Effect.mapEager(this.handle(era, accepted.success), respond(call, era))),
          {
            onSuccess: (response) => Effect.succeed<JsonRpc.Response>(response),
            onFailure: (cause) =>
              failed(call.request, cause, (error) => failure(request.id, error, call.revision, this.codes))
          }
        )
      )
      return lasts ? this.lasting.counted(response) : response
    })

  readonly notify: Peer["notify"] = (notification) =>
    notification.method === "notifications/initialized"
      ? this.eras.stateful.initialized
      : notified(this.server, notification)

  readonly revision = (): Revision | undefined => this.eras.stateful.ready()?.revision

  readonly batches = (): boolean => this.revision()?.batches === true

  readonly ending = Effect.suspend(() => this.lasting.ending)

  private handle(era: Era, { call, method }: Accepted): Effect.Effect<Result, McpError.ProtocolError> {
    const { extensions, wrap } = this.server
    const extended = extensions.extended(call, method)
    return wrap === undefined ? era.serve(call, extended) : wrap((call) => era.serve(call, extended))(call)
  }
}

const failed = (
  { id, method }: JsonRpc.Request,
  cause: Cause.Cause<McpError.ProtocolError>,
  write: (error: McpError.ProtocolError) => JsonRpc.Failure
): Effect.Effect<JsonRpc.Response> => {
  const error = Cause.findErrorOption(cause)
  // What is no error of the protocol has no reply of its own.
  if (error._tag === "Some" && McpError.isProtocolError(error.value)) return Effect.succeed(write(error.value))
  return Effect.as(
    Effect.logError(`The handler of ${method} failed`, cause),
    JsonRpc.failure(id, { code: JsonRpc.INTERNAL_ERROR, message: "Internal error" })
  )
}

const notified = (server: ServerInfo, { method, params }: JsonRpc.Notification): Effect.Effect<void> => {
  const handler = server.methods.notified(method)
  if (handler === undefined) return Effect.logDebug(`Ignored ${method}: nothing here handles it`)
  return Effect.catchCause(
    Effect.suspend(() => handler(params ?? {})),
    (cause) => Effect.logError(`The handler of ${method} failed`, cause)
  )
}

const isStateless = (request: JsonRpc.Request): boolean => {
  const meta = Meta.of(request.params)
  return meta !== undefined && (Meta.PROTOCOL_VERSION in meta || Meta.CLIENT_CAPABILITIES in meta)
}

/** The longest message of an error, in code units. */
const MESSAGE = 8192

const failure = (
  id: JsonRpc.Id,
  error: McpError.ProtocolError,
  revision: Revision | undefined,
  codes: McpError.NotFoundCodes | undefined
): JsonRpc.Failure => {
  const written = McpError.toWire(
    error,
    codes ?? {
      tool: JsonRpc.INVALID_PARAMS,
      prompt: JsonRpc.INVALID_PARAMS,
      resource: revision?.wire.resourceNotFound ?? JsonRpc.INVALID_PARAMS
    }
  )
  const code = error._tag === "MissingRequiredClientCapability" ? revision?.wire.missingCapability : undefined
  return JsonRpc.failure(id, {
    ...written,
    // One that is passed on from elsewhere may have any.
    code: Number.isSafeInteger(code ?? written.code) ? code ?? written.code : JsonRpc.INTERNAL_ERROR,
    // It may quote what the client has sent, which may be anything.
    message: Problem.cut(String(written.message), MESSAGE)
  })
}

// The text of a result that stays the same is made once for each way to write it.
const texts = new WeakMap<object, WeakMap<object, JsonRpc.Success>>()

// What cannot be a reply is a defect of whoever made it, and is told as one.
const respond = (call: Call, era: Era) => (result: Result): JsonRpc.Success => {
  const { id } = call.request
  if (!Predicate.isObject(result.value)) throw new TypeError("The result must be an object")
  if (result.key === undefined) return JsonRpc.success(id, era.complete(call, result))
  let byEra = texts.get(result.key)
  if (byEra === undefined) texts.set(result.key, byEra = new WeakMap())
  let cached = byEra.get(era.complete)
  if (cached === undefined) {
    const value = era.complete(call, result)
    byEra.set(era.complete, cached = JsonRpc.success(0, value, JSON.stringify(value)))
  }
  return JsonRpc.success(id, cached.result, cached.text)
}
