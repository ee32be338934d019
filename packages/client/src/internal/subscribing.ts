/**
 * How a subscription is kept up, in both eras: `resources/subscribe` in each session, or `subscriptions/listen` for as long
 * as the server lets it.
 *
 * Knows not who watches.
 */
import type { Notification } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Server } from "../Handshake.ts"
import type * as Reconnect from "../Reconnect.ts"
import type { Ready, Send } from "../Requests.ts"
import * as Declared from "./declared.ts"
import { type Link, pauses } from "./link.ts"
import { LISTEN, type Topic } from "./topics.ts"
import type { Keep, Subscription } from "./watches.ts"

export interface Options {
  readonly link: Link
  readonly send: Send
  /** How long a subscription may take to be acknowledged, in milliseconds. */
  readonly timeout: number
  readonly reconnect: Reconnect.Options | false
  readonly isClosed: () => boolean
}

// What has stood for so long, in milliseconds, is no attempt that failed.
const STOOD = 30_000

export const keep = (options: Options): Keep => {
  const { link } = options
  return (subscription) =>
    Effect.gen(function*() {
      const pause = yield* pauses(options.reconnect)
      for (;;) {
        const ready = yield* link.ready
        const since = yield* Clock.currentTimeMillis
        const fell = yield* Effect.ensuring(once(options, subscription, ready), Effect.sync(subscription.fell))
        // The next connection has pauses of its own.
        if (yield* isLost(ready)) {
          yield* left(link, ready)
          continue
        }
        if ((yield* Clock.currentTimeMillis) - since >= STOOD) yield* pause.reset
        if (!(yield* pause.next(fell))) return yield* Effect.fail(fell)
      }
    })
}

const isLost = ({ connection }: Ready): Effect.Effect<boolean> =>
  Effect.raceFirst(Effect.as(connection.closed, true), Effect.as(Effect.yieldNow, false))

// Whoever waits for the end of a connection may hear of it before the link does.
const left = (link: Link, ready: Ready): Effect.Effect<void> =>
  Effect.suspend(() => link.current() === ready ? Effect.andThen(Effect.yieldNow, left(link, ready)) : Effect.void)

// Until it is over, and why; fails when there is no point in another attempt.
const once = (options: Options, subscription: Subscription, ready: Ready) => {
  const { methods } = ready.era.server.revision
  return Effect.catchTag(
    methods.serverRequests.has(LISTEN)
      ? listen(options, subscription, ready)
      : inSession(options, subscription, ready),
    "ConnectionClosed",
    Effect.succeed
  )
}

type Over = Effect.Effect<McpError.McpError, McpError.McpError>

const listen = ({ send, timeout }: Options, { stands, tell, topic }: Subscription, ready: Ready): Over =>
  Effect.suspend(() => {
    let stood = false
    const refused = Deferred.makeUnsafe<never, McpError.McpError>()
    const heard = (notification: Notification): void => {
      if (notification.method === "notifications/subscriptions/acknowledged") {
        const filter = notification.params?.notifications
        // One that says nothing has nothing against it.
        if (filter === undefined || topic.honoured(filter)) {
          stood = true
          stands()
        } else Deferred.doneUnsafe(refused, Effect.fail(missing(topic, ready.era.server)))
        return
      }
      const what = topic.told(notification, true)
      if (what === undefined) return
      stood = true
      tell(what)
    }
    const listening = send(LISTEN, { notifications: topic.filter }, {
      timeout: Number.POSITIVE_INFINITY,
      maxTimeout: Number.POSITIVE_INFINITY,
      heard
    })
    const late: Over = Effect.suspend(() =>
      stood ? Effect.never : Effect.flatMap(isLost(ready), (lost) =>
        lost
          ? Effect.succeed(ended())
          : Effect.fail(new McpError.RequestTimeout({ method: LISTEN, millis: timeout, kind: "timeout" })))
    )
    return Effect.raceAllFirst([
      Effect.map(listening, ended),
      Deferred.await(refused),
      Effect.andThen(Effect.sleep(timeout), late)
    ])
  })

const missing = ({ capability, missing }: Topic, server: Server): McpError.McpError =>
  Declared.isDeclared(server, capability) ? missing() : Declared.missing(LISTEN, capability)

const ended = (): McpError.McpError =>
  new McpError.ConnectionClosed({ processed: "unknown", message: "The server has ended the subscription" })

const inSession = (options: Options, subscription: Subscription, { connection, era }: Ready): Over => {
  const { capability, method, uri } = subscription.topic
  const stand = Effect.sync(subscription.stands)
  const lost = Effect.map(connection.closed, (error) => McpError.fromTransport("resources/subscribe", error))
  // Before the reply to a subscription, which a change may follow at once.
  subscription.toSession = true
  if (uri === undefined) {
    return Declared.isDeclared(era.server, capability)
      ? Effect.andThen(stand, lost)
      : Effect.fail(Declared.missing(method, capability))
  }
  const subscribed = options.send("resources/subscribe", { uri }, { capability })
  const unsubscribe = Effect.suspend(() =>
    options.isClosed() || options.link.current() === undefined
      ? Effect.void
      : Effect.catch(options.send("resources/unsubscribe", { uri }), ({ message }) =>
        Effect.logDebug(`The subscription to a resource could not be ended: ${message}`))
  )
  return Effect.onInterrupt(Effect.andThen(subscribed, Effect.andThen(stand, lost)), () => unsubscribe)
}
