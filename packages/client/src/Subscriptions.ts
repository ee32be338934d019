/**
 * Changes on the server as streams, over all connections: in 2026-07-28 by `subscriptions/listen`, before by
 * `resources/subscribe` and what a session is told.
 *
 * A stream tells once too often rather than once too little: after a connection was lost, changes may have been missed,
 * and each is told once when the next one is there.
 *
 * Source: `basic/patterns/subscriptions` of revision 2026-07-28, `server/resources#subscriptions` of the earlier ones.
 *
 * @since 0.1.0
 */
import type { Notification } from "@mcp-effect/protocol/JsonRpc"
import type * as McpError from "@mcp-effect/protocol/McpError"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Subscribing from "./internal/subscribing.ts"
import * as Topics from "./internal/topics.ts"
import * as Watches from "./internal/watches.ts"

/**
 * - `initial`: also tell once the subscription stands, so that whoever reads whenever something is told misses nothing
 *   (default `false`).
 *
 * @since 0.1.0
 * @category models
 */
export interface WatchOptions {
  readonly initial?: boolean
}

/**
 * Each stream fails with `MethodNotFound` if the server does not tell of such changes, and with `ConnectionClosed` when the
 * client gives up. However many watch the same thing, the server is asked once, until the last of them has gone; a client
 * watches 256 things at most. One who is slow is told of many changes once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Subscriptions {
  /**
   * The URI of what has changed, whenever it has: of the resource, or of one within it. More than 64 of these that wait for
   * a slow consumer become that of the resource.
   */
  readonly watchResource: (uri: string, options?: WatchOptions) => Stream.Stream<string, McpError.McpError>
  /** One of the lists has changed. */
  readonly watchList: (
    list: "tools" | "prompts" | "resources",
    options?: WatchOptions
  ) => Stream.Stream<void, McpError.McpError>
  /** The list of tools has changed. */
  readonly toolsChanged: Stream.Stream<void, McpError.McpError>
  /** The list of prompts has changed. */
  readonly promptsChanged: Stream.Stream<void, McpError.McpError>
  /** The list of resources, or of their templates, has changed. */
  readonly resourcesChanged: Stream.Stream<void, McpError.McpError>
}

/**
 * The streams, and what to call for each notification that belongs to no request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Made {
  readonly members: Subscriptions
  readonly heard: (notification: Notification) => void
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Omit<Subscribing.Options, "isClosed">
): Effect.Effect<Made, never, Scope.Scope> =>
  Effect.gen(function*() {
    const watches: Watches.Watches = yield* Watches.make(
      Subscribing.keep({ ...options, isClosed: () => watches.isClosed() })
    )
    const watchList: Subscriptions["watchList"] = (name, options) =>
      Stream.map(watch(watches, Topics.list(name), options), () => {})
    return {
      members: {
        watchResource: (uri, options) => watch(watches, Topics.resource(uri), options),
        watchList,
        toolsChanged: watchList("tools"),
        promptsChanged: watchList("prompts"),
        resourcesChanged: watchList("resources")
      },
      heard: watches.heard
    }
  })

// That a consumer may be behind.
const WAITING = 64

const watch = (
  watches: Watches.Watches,
  topic: Topics.Topic,
  { initial = false }: WatchOptions = {}
): Stream.Stream<string, McpError.McpError> =>
  Stream.suspend(() => {
    const waiting = new Set<string>()
    const watcher = (queue: Queue.Enqueue<void, McpError.McpError>): Watches.Watcher => ({
      initial,
      tell: (what) => {
        if (waiting.size < WAITING) waiting.add(what)
        else if (!waiting.has(what)) {
          waiting.clear()
          waiting.add(topic.name)
        }
        Queue.offerUnsafe(queue, undefined)
      },
      fail: (cause) => void Queue.failCauseUnsafe(queue, cause)
    })
    return Stream.callback<void, McpError.McpError>(
      (queue) =>
        Effect.acquireRelease(
          Effect.sync(() => watches.join(topic, watcher(queue))),
          (leave) => Effect.sync(leave)
        ),
      // What waits is in the set.
      { bufferSize: 1, strategy: "dropping" }
    ).pipe(Stream.flatMap(() => {
      const told = [...waiting]
      waiting.clear()
      return Stream.fromArray(told)
    }))
  })
