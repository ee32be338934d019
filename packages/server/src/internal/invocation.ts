/** Runs a handler for one call: in the context of its layer, with what is only this call's. */
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { Call } from "../Call.ts"
import * as Captured from "./captured.ts"
import { CurrentCall } from "./currentCall.ts"
import * as Forward from "./forward.ts"
import type { Reporter } from "./reporter.ts"

export interface Invocation<in R> {
  /** Everything that `body` starts in its scope ends with it; nothing is reported after it. */
  readonly run: <A, E>(call: Call, reporter: Reporter, body: Effect.Effect<A, E, R>) => Effect.Effect<A, E>
}

export const make = <R>(): Effect.Effect<Invocation<R>, never, Exclude<R, Scope.Scope>> =>
  Effect.map(Captured.make<Exclude<R, Scope.Scope>>(), (captured) => ({
    run: (call, reporter, body) =>
      Effect.withFiber((fiber) => {
        const scope = Scope.makeUnsafe()
        let context = Context.add(
          Context.add(captured(fiber.context), Progress.Reporter, reporter.progress),
          Scope.Scope,
          scope
        )
        context = Context.add(context, CurrentCall, call)
        if (call.logLevel !== undefined) context = Forward.add(context, call.logLevel, reporter)
        // Sound: `captured` has everything in `R` but the scope.
        return Effect.onExitPrimitive(Effect.updateContext(body, () => context as Context.Context<R>), (exit) => {
          reporter.close()
          return Scope.closeUnsafe(scope, exit)
        })
      })
  }))
