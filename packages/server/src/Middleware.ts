/**
 * What wraps every request of a server: authorisation, auditing, rate limits, caches. A middleware sees the request and
 * its result, whatever the feature; it knows no transport.
 *
 * @since 0.1.0
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type { ProtocolError } from "@mcp-effect/protocol/McpError"
import * as Effect from "effect/Effect"
import type { Method, Result } from "./Call.ts"
import * as Captured from "./internal/captured.ts"
import { ofCall, type RequestContext } from "./RequestContext.ts"

/**
 * Goes on with the request, with other parameters if they are given, and yields its result.
 *
 * @since 0.1.0
 * @category models
 */
export type Next = (params?: Params) => Effect.Effect<Params, ProtocolError>

/**
 * `name` is for logs and for whoever wants to see the order; what `handle` fails with is the reply.
 *
 * @since 0.1.0
 * @category models
 */
export interface Middleware<out R = never> {
  readonly name: string
  readonly handle: (request: RequestContext, next: Next) => Effect.Effect<Params, ProtocolError, R>
}

/**
 * A middleware. It is a function of a request and what comes next, and can be tested as one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <R = never>(name: string, handle: Middleware<R>["handle"]): Middleware<R> => ({ name, handle })

/**
 * All of them around a method, the first outermost, in the context in which this is run.
 *
 * @since 0.1.0
 * @category combinators
 */
export const wrap = <R>(
  middleware: ReadonlyArray<Middleware<R>>
): Effect.Effect<(method: Method) => Method, never, R> =>
  Effect.map(
    Captured.make<R>(),
    (captured) => (method) => middleware.reduceRight((inner, outer) => around(captured, outer, inner), method)
  )

const around = <R>(captured: Captured.Captured<R>, { handle }: Middleware<R>, inner: Method): Method => (call) =>
  Effect.suspend(() => {
    let last: Result | undefined
    const next: Next = (params) => {
      const changed = params === undefined ? call : { ...call, request: { ...call.request, params } }
      return Effect.map(inner(changed), (result) => {
        last = result
        return result.value
      })
    }
    return Effect.map(
      Effect.updateContext(handle(ofCall(call), next), captured),
      (value): Result => {
        // A result that was passed on as it is keeps its hints, and its JSON.
        if (last !== undefined && last.value === value) return last
        return { value, caching: last?.caching, key: undefined }
      }
    )
  })
