/**
 * Roots, as a client tells of them: the directories and files that a server may look at.
 *
 * They inform a server; they do not bind it.
 *
 * Source: `client/roots` of the specification.
 *
 * @since 0.1.0
 */
import type { Root } from "@mcp-effect/protocol/Roots"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"

/**
 * The roots now, and each list that they become.
 *
 * @since 0.1.0
 * @category services
 */
export class Roots extends Context.Service<Roots, {
  readonly current: Effect.Effect<ReadonlyArray<Root>>
  readonly changes: Stream.Stream<ReadonlyArray<Root>>
}>()("@mcp-effect/client/Roots") {}

/**
 * Tells servers of these roots; of those of a `SubscriptionRef` again whenever it changes, where their revision has a message
 * for that.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  roots: ReadonlyArray<Root> | SubscriptionRef.SubscriptionRef<ReadonlyArray<Root>>
): Layer.Layer<Roots> =>
  Layer.succeed(
    Roots,
    isLive(roots)
      // The list at the time of subscription is no change.
      ? { current: SubscriptionRef.get(roots), changes: Stream.drop(SubscriptionRef.changes(roots), 1) }
      : { current: Effect.succeed(roots), changes: Stream.empty }
  )

const isLive = (
  roots: ReadonlyArray<Root> | SubscriptionRef.SubscriptionRef<ReadonlyArray<Root>>
): roots is SubscriptionRef.SubscriptionRef<ReadonlyArray<Root>> => SubscriptionRef.isSubscriptionRef(roots)
