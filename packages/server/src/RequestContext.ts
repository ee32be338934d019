/**
 * What a handler may know of the request that it serves, from anywhere inside it and without a requirement of its own.
 *
 * @since 0.1.0
 */
import type { Id, Params } from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Principal } from "@mcp-effect/protocol/Principal"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import type { Call, Client } from "./Call.ts"
import { CurrentCall } from "./internal/currentCall.ts"

/**
 * - `id`: of the request, as this side knows it.
 * - `meta`: the `_meta` of its parameters.
 * - `client`: who the client says it is, and what it can do. Not to be trusted; the `principal` is.
 * - `sessionScope`: closes with the session, for what should live as long. The stateless era has none.
 * - `extension`: the settings with which the client has declared an extension.
 *
 * @since 0.1.0
 * @category models
 */
export interface RequestContext {
  readonly id: Id
  readonly method: string
  readonly params: Params
  readonly meta: Params
  readonly progressToken: Id | undefined
  readonly revision: Revision
  readonly client: Client
  readonly principal: Principal | undefined
  readonly sessionScope: Scope.Scope | undefined
  readonly extension: (id: string) => Params | undefined
}

/**
 * The context of the request that is being handled. Outside of a request there is none, which is a defect.
 *
 * @since 0.1.0
 * @category accessors
 */
export const current: Effect.Effect<RequestContext> = Effect.withFiber((fiber) => {
  const call = fiber.getRef(CurrentCall)
  return call === undefined
    ? Effect.die(new TypeError("RequestContext.current: no request is being handled here"))
    : Effect.succeed(ofCall(call))
})

/**
 * The context of the request that is being handled, if there is one.
 *
 * @since 0.1.0
 * @category accessors
 */
export const option: Effect.Effect<Option.Option<RequestContext>> = Effect.withFiber((fiber) =>
  Effect.succeed(Option.map(Option.fromUndefinedOr(fiber.getRef(CurrentCall)), ofCall))
)

/**
 * The context of a call.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofCall = (call: Call): RequestContext => {
  const { client, principal, request, revision, session } = call
  const params = request.params ?? {}
  return {
    id: request.id,
    method: request.method,
    params,
    meta: Meta.of(params) ?? {},
    progressToken: Meta.progressToken(params),
    revision,
    client,
    principal,
    sessionScope: session?.scope,
    extension: (id) => settings(client.capabilities.extensions, id) ?? settings(client.capabilities.experimental, id)
  }
}

// A client may have declared anything.
const settings = (declared: unknown, id: string): Params | undefined => {
  const value = Predicate.isObject(declared) && Object.hasOwn(declared, id) ? declared[id] : undefined
  return Predicate.isObject(value) ? value : undefined
}
