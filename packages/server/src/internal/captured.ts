/**
 * The context of a layer, for what is run there later on behalf of requests: its services win, but what belongs to a
 * request stays the request's own.
 */
import { Principal } from "@mcp-effect/protocol/Principal"
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { CurrentCall } from "./currentCall.ts"
import * as Forward from "./forward.ts"
import { InsideOnce } from "./memo.ts"

/** The context to run in, given that of the fiber. */
export type Captured<R> = (fiberContext: Context.Context<never>) => Context.Context<R>

/** Captures the context in which this is run. */
export const make = <R>(): Effect.Effect<Captured<R>, never, R> =>
  Effect.map(Effect.context<R>(), (context) => {
    const captured = ofLayer(Forward.remove(context))
    const merged = new WeakMap<object, Context.Context<R>>()
    return (fiberContext) => {
      // All requests of a connection share one context, so that this is done once.
      let context = merged.get(fiberContext)
      if (context === undefined) merged.set(fiberContext, context = Context.merge(fiberContext, captured))
      return context
    }
  })

// What was around the layer while it was built, which may have been another request, is not around the calls.
const ofLayer = <R>(context: Context.Context<R>): Context.Context<R> =>
  // Sound: nothing in `R` is left out but a scope, which each call has of its own.
  Context.omit(
    Scope.Scope,
    Tracer.ParentSpan,
    Principal,
    CurrentCall,
    InsideOnce,
    Progress.Reporter,
    References.CurrentLogAnnotations,
    References.CurrentLogSpans
  )(context as Context.Context<R | Scope.Scope | Tracer.ParentSpan>) as Context.Context<R>
