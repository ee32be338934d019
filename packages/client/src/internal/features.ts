/** Every feature of the protocol but tools, on one client: its members, and what they hear and say. */
import type { Notification } from "@mcp-effect/protocol/JsonRpc"
import type * as Levels from "@mcp-effect/protocol/Logging"
import type { Peer } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as Completions from "../Completions.ts"
import * as Logging from "../Logging.ts"
import * as Prompts from "../Prompts.ts"
import type * as Reconnect from "../Reconnect.ts"
import type { Ready, Send, SendOver } from "../Requests.ts"
import * as Resources from "../Resources.ts"
import type * as ResponseCache from "../ResponseCache.ts"
import * as Subscriptions from "../Subscriptions.ts"
import * as Caching from "./caching.ts"
import * as Declared from "./declared.ts"
import type { Link } from "./link.ts"
import * as LogLevel from "./logLevel.ts"
import * as ServerLog from "./serverLog.ts"

export interface Members
  extends Resources.Resources, Prompts.Prompts, Completions.Completions, Logging.Logging, Subscriptions.Subscriptions
{}

export interface Options {
  readonly cache?: ResponseCache.Sharing | false
  readonly logLevel?: Levels.Level
  readonly forwardLogs?: boolean
  readonly reconnect?: Reconnect.Options | false
}

export interface Features {
  /** What goes around each request. */
  readonly around: (send: SendOver) => SendOver
  readonly heard: (notification: Notification) => Effect.Effect<void>
  /** A session has begun. */
  readonly began: (ready: Ready, local: Peer) => void
  readonly members: (made: {
    readonly link: Link
    readonly send: Send
    readonly notifications: Stream.Stream<Notification>
  }) => Effect.Effect<Members, never, Scope.Scope>
}

/** `timeout`, in milliseconds, is that of requests. */
export const make = (options: Options, timeout: number): Effect.Effect<Features> =>
  Effect.gen(function*() {
    const caching = yield* Caching.make(options.cache ?? {})
    const wanted: LogLevel.Wanted = { level: options.logLevel }
    const run = Effect.runForkWith(yield* Effect.context<never>())
    let link: Link | undefined
    let subscriptions: Subscriptions.Made | undefined
    let sessions = 0
    return {
      // The cache sees what was asked, and not how.
      around: (send) => Declared.around(caching.around(LogLevel.around(wanted)(send))),
      heard: (notification) => {
        const invalidated = caching.heard(notification)
        subscriptions?.heard(notification)
        if (options.forwardLogs !== true || !ServerLog.isLog(notification)) return invalidated
        return ServerLog.forward(notification, link?.current()?.era.server.info?.name)
      },
      began: (ready, local) => {
        run(LogLevel.began(ready, wanted, local, timeout))
        if (sessions++ > 0) run(caching.reconnected)
      },
      members: Effect.fnUntraced(function*(made) {
        const { notifications, send } = made
        link = made.link
        subscriptions = yield* Subscriptions.make({ link, send, timeout, reconnect: options.reconnect ?? {} })
        return {
          ...Resources.make(send),
          ...Prompts.make(send),
          ...Completions.make(send),
          ...Logging.make({ wanted, current: link.current, send, notifications }),
          ...subscriptions.members
        }
      })
    }
  })
