/** How the bookkeeping starts fibers: with the context of the connection, at once, and without waiting. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"

export type Run = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

// What belongs to the building of the connection must not leak into its requests.
const perRequest = Context.omit(Scope.Scope, Tracer.ParentSpan)

export const make: Effect.Effect<Run> = Effect.map(
  Effect.context<Scope.Scope | Tracer.ParentSpan>(),
  (context): Run => Effect.runForkWith(perRequest(context))
) as Effect.Effect<Run>
