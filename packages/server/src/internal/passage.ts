/**
 * A call on its way through one middleware: what the middleware finds around itself, and what the rest of the way is
 * given of it.
 */
import type { Peer } from "@mcp-effect/protocol/Peer"
import { Principal } from "@mcp-effect/protocol/Principal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { Call } from "../Call.ts"
import type { Captured } from "./captured.ts"
import { CurrentCall } from "./currentCall.ts"
import * as Forward from "./forward.ts"
import * as Reporter from "./reporter.ts"

export interface Passage {
  /** Runs the middleware, in the context of its layer and with what is the call's own. */
  readonly enter: <A, E, R>(captured: Captured<R>, self: Effect.Effect<A, E, R>) => Effect.Effect<A, E>
  /** Runs the rest of the way, which may not be over when the middleware is. */
  readonly leave: <A, E>(rest: (call: Call) => Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export const make = (call: Call): Passage => {
  const way = wayBack(call.back)
  const onward = { ...call, back: way.back }
  let entered: { readonly context: Context.Context<never>; readonly before: Context.Context<never> } | undefined
  let running = 0
  let over = false
  return {
    enter: <A, E, R>(captured: Captured<R>, self: Effect.Effect<A, E, R>) =>
      Effect.withFiber<A, E>((fiber) => {
        const before = captured(fiber.context)
        const reporter = call.logLevel === undefined ? undefined : Reporter.make(call)
        const scope = Scope.makeUnsafe()
        const known = Context.add(Context.add(before, CurrentCall, call), Scope.Scope, scope)
        const context = call.logLevel === undefined || reporter === undefined
          ? known
          : Forward.add(known, call.logLevel, reporter)
        entered = { context, before }
        return Effect.onExitPrimitive(Effect.updateContext(self, () => context), (exit) => {
          reporter?.close()
          over = true
          if (running > 0) way.close()
          return Scope.closeUnsafe(scope, exit)
        })
      }),
    leave: (rest) =>
      Effect.withFiber((fiber) => {
        const principal = fiber.getRef(Principal)
        running++
        // Who goes on when the middleware is over is left behind from the start.
        if (over) way.close()
        const going = rest(principal === call.principal ? onward : { ...onward, principal })
        // What the library itself logs on the rest of the way is not for the client.
        const outside = Effect.updateContext(going, (context: Context.Context<never>) =>
          context === entered?.context ? entered.before : Context.add(Forward.remove(context), CurrentCall, undefined))
        return Effect.onExitPrimitive(outside, () => {
          running--
          return undefined
        })
      })
  }
}

// Of one who is left behind nothing more is told; and of one who runs again, no progress that was made before.
const wayBack = (back: Peer): { readonly back: Peer; readonly close: () => void } => {
  let open = true
  let last = Number.NEGATIVE_INFINITY
  const increases = (progress: unknown): boolean => {
    if (typeof progress !== "number" || progress <= last) return false
    last = progress
    return true
  }
  return {
    back: {
      request: back.request,
      notify: (notification) => {
        const { method, params, stale } = notification
        if (!open || (method === "notifications/progress" && !increases(params?.progress))) return Effect.void
        return back.notify({ ...notification, stale: () => !open || stale?.() === true })
      }
    },
    close: () => {
      open = false
    }
  }
}
