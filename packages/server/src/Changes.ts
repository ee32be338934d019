/**
 * The one source of changes: what is published here reaches every session and subscription that asked for it.
 *
 * Knows neither sessions nor eras. A server of several processes provides its own, on whatever joins them.
 *
 * @since 0.1.0
 */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * A change, as the notification that tells of it. It is plain JSON, so that it can travel between processes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Change {
  readonly method: string
  readonly params?: JsonRpc.Params
}

/**
 * The list of tools has changed.
 *
 * @since 0.1.0
 * @category changes
 */
export const tools: Change = { method: "notifications/tools/list_changed" }

/**
 * The list of prompts has changed.
 *
 * @since 0.1.0
 * @category changes
 */
export const prompts: Change = { method: "notifications/prompts/list_changed" }

/**
 * The list of resources, or of their templates, has changed.
 *
 * @since 0.1.0
 * @category changes
 */
export const resources: Change = { method: "notifications/resources/list_changed" }

/**
 * What a resource holds has changed.
 *
 * @since 0.1.0
 * @category changes
 */
export const resource = (uri: string): Change => ({ method: "notifications/resources/updated", params: { uri } })

/**
 * Whoever observes is called back for every change, in order, and must not wait; what `observe` returns ends it.
 *
 * @since 0.1.0
 * @category services
 */
export class Changes extends Context.Service<Changes, {
  readonly publish: (change: Change) => Effect.Effect<void>
  readonly observe: (f: (change: Change) => void) => () => void
}>()("@mcp-effect/server/Changes") {}

/**
 * Changes within this process. An observer that throws breaks its contract: that is logged, and keeps nobody from hearing
 * of the change.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Changes["Service"] => {
  const observers = new Set<(change: Change) => void>()
  return {
    publish: (change) =>
      Effect.suspend(() => {
        const defects: Array<unknown> = []
        for (const observe of observers) {
          try {
            observe(change)
          } catch (defect) {
            defects.push(defect)
          }
        }
        return Effect.forEach(
          defects,
          (defect) => Effect.logError(`An observer of ${change.method} failed`, Cause.die(defect)),
          { discard: true }
        )
      }),
    observe: (f) => {
      observers.add(f)
      return () => void observers.delete(f)
    }
  }
}

/**
 * Changes within this process. A server that is given none makes its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Changes> = Layer.sync(Changes, make)
