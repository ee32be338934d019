/** Subscriptions for tests, to what has as many different changes as one likes. */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Peer } from "@mcp-effect/protocol/Peer"
import * as Changes from "@mcp-effect/server/Changes"
import type { Extension } from "@mcp-effect/server/Extensions"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { connect, meta, recorder, serve } from "./client.ts"

type Params = JsonRpc.Params
/** The server. */
export type Server = McpServer.McpServer["Service"]

/** Turns enough for messages to cross, without time. */
export const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

/** A change of its own for each number. */
export const about = (n: number): Changes.Change => ({ method: "notifications/thing", params: { n } })
/** What to say instead of many of them. */
export const all: Changes.Change = { method: "notifications/things" }

/** What has as many different changes as one likes. */
export const things: Extension = {
  id: "com.example/things",
  listens: {
    things: () => ({ honoured: ["all"], matches: ({ method }) => method.startsWith("notifications/thing") }),
    coarsely: () => ({
      honoured: true,
      matches: ({ method }) => method.startsWith("notifications/thing"),
      coarse: () => all
    })
  }
}
/** Those of a client that declared the extension. */
export const capabilities = { extensions: { [things.id]: {} } }

/** A server with tools, and the extension. */
export const withTools = serve(McpServer.extension(things), { declare: ["tools"] })

/** A subscription on a connection of its own. */
export const listen = (server: Server, notifications: Params, back: Peer, id: JsonRpc.Id = "sub") =>
  Effect.gen(function*() {
    const { connection } = yield* connect(server)
    const params = { notifications, _meta: meta(capabilities) }
    const listening = yield* Effect.forkChild(
      connection.request(JsonRpc.request(id, "subscriptions/listen", params), back)
    )
    yield* settle
    return { connection, listening }
  })

/** A subscription, with what its client is told. */
export const told = (server: Server, notifications: Params) =>
  Effect.gen(function*() {
    const heard: Array<JsonRpc.Notification> = []
    return { ...yield* listen(server, notifications, recorder(heard)), heard }
  })

/** The `_meta` of what it is told. */
export const tag = { [Meta.SUBSCRIPTION_ID]: "sub" }

/** Its acknowledgement. */
export const acknowledged = (notifications: Params) =>
  JsonRpc.notification("notifications/subscriptions/acknowledged", { _meta: tag, notifications })

/** The change of tools, as it is told. */
export const toolsChanged = JsonRpc.notification("notifications/tools/list_changed", { _meta: tag })

/** A source of changes that counts its observers. */
export const counting = () => {
  const changes = Changes.make()
  let observers = 0
  const observe: Changes.Changes["Service"]["observe"] = (f) => {
    observers++
    const stop = changes.observe(f)
    return () => {
      observers--
      stop()
    }
  }
  return { layer: Layer.succeed(Changes.Changes, { ...changes, observe }), observers: () => observers }
}

/** A client that takes what it is told only when it is let. */
export const slow = () => {
  const taken: Array<JsonRpc.Notification> = []
  const gate = Deferred.makeUnsafe<void>()
  const most = { waiting: 0 }
  let waiting = 0
  const back: Peer = {
    ...recorder([]),
    notify: (notification) =>
      Effect.suspend(() => {
        if (notification.method.endsWith("/acknowledged")) return Effect.void
        most.waiting = Math.max(most.waiting, ++waiting)
        return Effect.ensuring(
          Effect.andThen(Deferred.await(gate), Effect.sync(() => void taken.push(notification))),
          Effect.sync(() => void waiting--)
        )
      })
  }
  return { back, taken, most, open: Deferred.succeed(gate, undefined) }
}
