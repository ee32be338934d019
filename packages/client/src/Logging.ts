/**
 * What a server logs, as far as the client wants to hear of it.
 *
 * A session of the stateful revisions has one level, set by `logging/setLevel`; in 2026-07-28 each request says its own.
 *
 * Source: `server/utilities/logging` of the specification.
 *
 * @since 0.1.0
 */
import type { Notification } from "@mcp-effect/protocol/JsonRpc"
import type { Level, Message } from "@mcp-effect/protocol/Logging"
import type * as McpError from "@mcp-effect/protocol/McpError"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as LogLevel from "./internal/logLevel.ts"
import * as ServerLog from "./internal/serverLog.ts"
import type { Ready, Send } from "./Requests.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Logging {
  /** What the server logs from now on. A slow subscriber keeps the last 256 notifications. */
  readonly logs: Stream.Stream<Message>
  /** From now on, and in every later session, hear of messages of this level and above. */
  readonly setLogLevel: (level: Level) => Effect.Effect<void, McpError.McpError>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly wanted: LogLevel.Wanted
  readonly current: () => Ready | undefined
  readonly send: Send
  readonly notifications: Stream.Stream<Notification>
}): Logging => ({
  logs: options.notifications.pipe(
    Stream.filter(ServerLog.isLog),
    Stream.mapEffect(ServerLog.read),
    Stream.filter(Predicate.isNotUndefined)
  ),
  setLogLevel: (level) =>
    Effect.suspend(() => {
      options.wanted.level = level
      const ready = options.current()
      // A session that is still to come is told when it begins.
      return ready !== undefined && LogLevel.isOfSession(ready.era.server.revision)
        ? Effect.asVoid(options.send(LogLevel.SET_LEVEL, { level }, { capability: "logging" }))
        : Effect.void
    })
})
