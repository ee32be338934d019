/** Streams of changes, and the server that tells of them in either era. */
import { assert } from "@effect/vitest"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type * as McpError from "@mcp-effect/protocol/McpError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Era } from "./opening.ts"
import { type Sent, type Server, settle } from "./wire.ts"

export const URI = "test://a"

export const UPDATED = "notifications/resources/updated"

/** What a stream has told so far, and the fiber that runs it. */
export const watching = <A>(stream: Stream.Stream<A, McpError.McpError>) =>
  Effect.gen(function*() {
    const told: Array<A> = []
    const fiber = yield* Effect.forkScoped(Stream.runForEach(stream, (what) => Effect.sync(() => void told.push(what))))
    yield* settle
    return { told, fiber }
  })

export const subscriptionId = (listen: Sent): Params => ({
  _meta: { "io.modelcontextprotocol/subscriptionId": listen.id }
})

/** Subscribes as the era does, and yields how the server tells of changes. */
export const subscribed = (server: Server, era: Era, notifications: Params = { resourceSubscriptions: [URI] }) =>
  Effect.gen(function*() {
    if (era === "stateful") {
      const request = yield* server.expect("resources/subscribe")
      yield* server.reply(request, {})
      yield* settle
      return {
        request,
        tell: (method: string, params?: Params) => Effect.andThen(server.notify(method, params), settle)
      }
    }
    const request = yield* server.expect("subscriptions/listen")
    assert.deepStrictEqual(request.params?.notifications, notifications)
    const tag = subscriptionId(request)
    yield* server.notify("notifications/subscriptions/acknowledged", { ...tag, notifications })
    yield* settle
    return {
      request,
      tell: (method: string, params?: Params) => Effect.andThen(server.notify(method, { ...params, ...tag }), settle)
    }
  })
