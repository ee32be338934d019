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
import * as Passage from "./internal/passage.ts"
import { ofCall, type RequestContext } from "./RequestContext.ts"

/**
 * Goes on with the request, with other parameters if they are given, and yields its result. Whatever is provided around
 * it reaches the handler; a `Principal` is who is calling from there on. It can be run again, one run after another.
 *
 * @since 0.1.0
 * @category models
 */
export type Next = (params?: Params) => Effect.Effect<Params, ProtocolError>

/**
 * `name` is for logs and for whoever wants to see the order; what `handle` fails with is the reply.
 *
 * A result of its own for a method that has caching hints may say them itself, as `ttlMs` and `cacheScope`. One that is
 * not the same for everybody must say `private` if the server says `public`.
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
 * What one of these needs.
 *
 * @since 0.1.0
 * @category models
 */
export type Services<M extends Middleware<unknown>> = M extends Middleware<infer R> ? R : never

/**
 * All of them around a method, the first outermost, in the context in which this is run.
 *
 * @since 0.1.0
 * @category combinators
 */
export const wrap = <M extends Middleware<unknown>>(
  middleware: ReadonlyArray<M>
): Effect.Effect<(method: Method) => Method, never, Services<M>> =>
  Effect.map(Captured.make<Services<M>>(), (captured) => {
    // Sound: what is captured has what each of them needs.
    const all = middleware as ReadonlyArray<Middleware<unknown>> as ReadonlyArray<Middleware<Services<M>>>
    return (method) => all.reduceRight((inner, outer) => around(captured, outer, inner), method)
  })

const around = <R>(captured: Captured.Captured<R>, { handle }: Middleware<R>, inner: Method): Method => (call) =>
  Effect.suspend(() => {
    const given: Array<Result> = []
    const passage = Passage.make(call)
    const next: Next = (params) =>
      passage.leave((call) => {
        const changed = params === undefined ? call : { ...call, request: { ...call.request, params } }
        return Effect.map(inner(changed), (result) => {
          given.push(result)
          if (result.key !== undefined || result.caching !== undefined) known.set(result.value, result)
          return result.value
        })
      })
    const handled = passage.enter(captured, Effect.suspend(() => handle(ofCall(call), next)))
    // A result that is passed on as it was given, now or earlier, keeps its hints, and its JSON.
    return Effect.map(handled, (value) => known.get(value) ?? { value, caching: hints(given), key: undefined })
  })

const known = new WeakMap<Params, Result>()

// The hints for what was made of these results.
const hints = (given: ReadonlyArray<Result>): Result["caching"] => {
  const [first, ...rest] = given.map(({ caching }) => caching)
  const same = rest.every((other) => other?.ttlMs === first?.ttlMs && other?.cacheScope === first?.cacheScope)
  return same ? first : { ttlMs: 0, cacheScope: "private" }
}
