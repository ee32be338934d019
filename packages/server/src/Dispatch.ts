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
import type { Peer } from "@mcp-effect/protocol/Peer"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Session from "@mcp-effect/protocol/Session"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as EffectResult from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Call, Feature, Method, Result } from "./Call.ts"
import { ErrorCodes } from "./ErrorCodes.ts"
import type { ServerInfo } from "./internal/serverInfo.ts"
import * as Stateful from "./internal/stateful.ts"
import { traced } from "./internal/traced.ts"

/**
 * The server as a peer, with the session of this connection. Stateless requests never touch the session.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServerConnection extends Peer {
  readonly session: Session.Session
  /** Whether the revision that the session has negotiated has batches. */
  readonly batches: () => boolean
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
    back: Peer
  ) => EffectResult.Result<Accepted, McpError.ProtocolError>
  /** The result with the members that the era adds to all of its results. */
  readonly complete: (result: Result, revision: Revision) => JsonRpc.Params
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Accepted {
  readonly call: Call
  readonly method: Method
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
  Effect.gen(function*() {
    const codes = yield* ErrorCodes
    const session = Session.make()
    const hasStateless = Revisions.ofEra(server.revisions, "stateless").length > 0
    const stateful = Stateful.make(server, session)
    yield* announceChanges(server, stateful, back)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => session.dispatch({ _tag: "TransportLost", reason: "The connection was closed" }))
    )

    const fail = (id: JsonRpc.Id, error: McpError.ProtocolError, revision: Revision | undefined): JsonRpc.Failure =>
      JsonRpc.failure(
        id,
        McpError.toWire(
          error,
          codes ?? {
            tool: JsonRpc.INVALID_PARAMS,
            prompt: JsonRpc.INVALID_PARAMS,
            resource: revision?.wire.resourceNotFound ?? JsonRpc.INVALID_PARAMS
          }
        )
      )
    const request: Peer["request"] = (request, back) =>
      Effect.suspend(() => {
        const era = hasStateless && isStateless(request) ? stateless : stateful
        const accepted = era.accept(request, back)
        if (EffectResult.isFailure(accepted)) return Effect.succeed(fail(request.id, accepted.failure, undefined))
        const { call, method } = accepted.success
        return traced(
          call,
          Effect.matchCauseEffect(method(call), {
            onSuccess: (result) => Effect.succeed(respond(request.id, era, result, call.revision)),
            onFailure: (cause): Effect.Effect<JsonRpc.Response> => {
              const error = Cause.findErrorOption(cause)
              if (error._tag === "Some") return Effect.succeed(fail(request.id, error.value, call.revision))
              return Effect.as(
                Effect.logError(`The handler of ${request.method} failed`, cause),
                JsonRpc.failure(request.id, { code: JsonRpc.INTERNAL_ERROR, message: "Internal error" })
              )
            }
          })
        )
      })
    return {
      session,
      batches: () => {
        const state = session.current()
        return state._tag === "ready" && state.revision.batches
      },
      request,
      notify: (notification) =>
        notification.method === "notifications/initialized"
          ? stateful.initialized
          : Effect.logDebug(`Ignored ${notification.method}: nothing here handles it`)
    }
  })

const isStateless = (request: JsonRpc.Request): boolean => {
  const meta = Meta.of(request.params)
  return meta !== undefined && (Meta.PROTOCOL_VERSION in meta || Meta.CLIENT_CAPABILITIES in meta)
}

// The text of a result that stays the same is made once for each way to write it.
const texts = new WeakMap<object, WeakMap<object, JsonRpc.Success>>()

const respond = (id: JsonRpc.Id, era: Era, result: Result, revision: Revision): JsonRpc.Success => {
  if (result.key === undefined) return JsonRpc.success(id, era.complete(result, revision))
  let byEra = texts.get(result.key)
  if (byEra === undefined) texts.set(result.key, byEra = new WeakMap())
  let cached = byEra.get(era.complete)
  if (cached === undefined) {
    const value = era.complete(result, revision)
    byEra.set(era.complete, cached = JsonRpc.success(0, value, JSON.stringify(value)))
  }
  return JsonRpc.success(id, cached.result, cached.text)
}

// A burst of changes is one notification of each kind, to a session that was told of the feature.
const announceChanges = (
  server: ServerInfo,
  stateful: Stateful.StatefulEra,
  back: Peer
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const due = new Map<string, Feature>()
    const sending = new Set<string>()
    const flush = (): void => {
      for (const [method, feature] of [...due]) {
        // What a slow client has not taken yet tells it of this change too, but not of one while it is being taken.
        if (sending.has(method)) continue
        due.delete(method)
        if (!stateful.offers(feature)) continue
        sending.add(method)
        run(Effect.ignore(back.notify(JsonRpc.notification(method)))).addObserver(() => {
          sending.delete(method)
          if (due.size > 0) queueMicrotask(flush)
        })
      }
    }
    for (const feature of server.features) {
      const announce = (method: string): void => {
        if (!stateful.offers(feature)) return
        if (due.size === 0) queueMicrotask(flush)
        due.set(method, feature)
      }
      yield* Effect.acquireRelease(Effect.sync(() => feature.onChange(announce)), (stop) => Effect.sync(stop))
    }
  })
