/**
 * How far a request has come. A handler reports from anywhere inside it; whether and how it travels is not its concern.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * `progress` increases with each report; `total` is in the same unit, if it is known.
 *
 * @since 0.1.0
 * @category models
 */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/**
 * Where the reports of the current request go; nowhere outside of one.
 *
 * @since 0.1.0
 * @category references
 */
export const Reporter: Context.Reference<(progress: Progress) => Effect.Effect<void>> = Context.Reference<
  (progress: Progress) => Effect.Effect<void>
>("@mcp-effect/protocol/Progress/Reporter", { defaultValue: () => () => Effect.void })

/**
 * Reports progress of the request that is being handled. A report that does not increase is dropped, as the
 * specification wants; outside of a request, and when the caller did not ask for progress, it does nothing.
 *
 * @since 0.1.0
 * @category reporting
 */
export const report = (progress: Progress): Effect.Effect<void> =>
  Effect.withFiber((fiber) => fiber.getRef(Reporter)(progress))
