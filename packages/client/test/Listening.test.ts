/** `subscriptions/listen`: acknowledged or not, and asked for again when it ends. */
import { assert, describe, it } from "@effect/vitest"
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as McpClient from "@mcp-effect/client/McpClient"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { type Connection, TransportError } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { client, complete, count } from "./opening.ts"
import { advance, everySecond } from "./reconnecting.ts"
import { subscribed, subscriptionId, UPDATED, URI, watching } from "./watching.ts"
import { discovery, settle } from "./wire.ts"

describe("subscriptions/listen", () => {
  it.effect.each([
    { declared: { resources: { subscribe: true } }, tag: "ResourceNotFound", says: URI },
    { declared: { resources: {} }, tag: "MethodNotFound", says: "\"resources.subscribe\"" }
  ])(
    "MUST fail when the server leaves out what it was asked for, and end the request: $tag",
    (expected) =>
      Effect.gen(function*() {
        const { mcp, server } = yield* client("stateless", {}, expected.declared)
        const { fiber } = yield* watching(mcp.watchResource(URI))
        const listen = yield* server.expect("subscriptions/listen")
        const tag = subscriptionId(listen)
        yield* server.notify("notifications/subscriptions/acknowledged", { ...tag, notifications: {} })
        const error = yield* Effect.flip(Fiber.join(fiber))
        assert.strictEqual(error._tag, expected.tag)
        assert.include(error.message, expected.says)
        assert.strictEqual((yield* server.expect("notifications/cancelled")).params?.requestId, listen.id)
      })
  )

  it.effect("MUST fail when it is not acknowledged in time, and stay as long as it likes when it is", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless", { timeout: "10 seconds", maxTimeout: "20 seconds" })
      const silent = yield* watching(mcp.toolsChanged)
      yield* server.expect("subscriptions/listen")
      yield* advance("10 seconds")
      const error = yield* Effect.flip(Fiber.join(silent.fiber))
      assert.ok(error._tag === "RequestTimeout" && error.method === "subscriptions/listen")
      yield* server.expect("notifications/cancelled")
      const { told } = yield* watching(mcp.toolsChanged)
      const { tell } = yield* subscribed(server, "stateless", { toolsListChanged: true })
      yield* advance("1 hour")
      yield* tell("notifications/tools/list_changed")
      assert.lengthOf(told, 1)
    }))

  it.effect("MUST be asked for again, after a pause, when the server ends it, and give up with the schedule", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless", { reconnect: everySecond })
      const { fiber, told } = yield* watching(mcp.watchResource(URI))
      for (let attempt = 0; attempt < 4; attempt++) {
        const { request } = yield* subscribed(server, "stateless")
        yield* server.reply(request, complete({}, subscriptionId(request)))
        yield* settle
        assert.lengthOf(told, attempt)
        assert.strictEqual(yield* count(server, "subscriptions/listen"), attempt + 1)
        yield* advance("1 second")
      }
      const error = yield* Effect.flip(Fiber.join(fiber))
      assert.ok(error._tag === "ConnectionClosed" && error.message.includes("ended"))
    }))

  it.effect("MUST be asked for again, after a pause, when its stream breaks and the connection stands", () =>
    Effect.gen(function*() {
      let listens = 0
      const connection: Connection = {
        closed: Effect.never,
        notify: () => Effect.void,
        request: ({ id, method }, back) => {
          if (method === "server/discover") return Effect.succeed(JsonRpc.success(id, discovery()))
          listens++
          const acknowledged = JsonRpc.notification("notifications/subscriptions/acknowledged", {
            notifications: { toolsListChanged: true }
          })
          const broken = new TransportError({ reason: "closed", processed: "unknown", message: "It broke" })
          return Effect.andThen(Effect.ignore(back.notify(acknowledged)), Effect.fail(broken))
        }
      }
      const mcp = yield* Effect.provideService(
        McpClient.make({ name: "test", version: "1.0.0", reconnect: everySecond }),
        ClientTransport,
        { connect: () => Effect.succeed(connection) }
      )
      const { fiber, told } = yield* watching(mcp.toolsChanged)
      yield* advance("999 millis")
      assert.deepStrictEqual([listens, told.length], [1, 0])
      yield* advance("1 millis")
      assert.deepStrictEqual([listens, told.length], [2, 1])
      yield* advance("10 seconds")
      const error = yield* Effect.flip(Fiber.join(fiber))
      assert.ok(error._tag === "ConnectionClosed" && error.message === "It broke")
      assert.strictEqual(listens, 4)
    }))

  it.effect("MUST have its pauses anew when it has stood for a while", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless", { reconnect: everySecond })
      const { fiber } = yield* watching(mcp.watchResource(URI))
      for (let attempt = 0; attempt < 10; attempt++) {
        const { request } = yield* subscribed(server, "stateless")
        yield* advance("30 seconds")
        yield* server.reply(request, complete({}, subscriptionId(request)))
        yield* settle
        yield* advance("1 second")
      }
      assert.isUndefined(fiber.pollUnsafe())
    }))

  it.effect("MUST take a change for an acknowledgement, in whichever way the server writes the URI", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless", { timeout: "10 seconds" })
      const { told } = yield* watching(mcp.watchResource("test://a b"))
      const listen = yield* server.expect("subscriptions/listen")
      yield* server.notify(UPDATED, { uri: "test://a%20b", ...subscriptionId(listen) })
      yield* server.notify(UPDATED, subscriptionId(listen))
      yield* advance("1 hour")
      assert.deepStrictEqual(told, ["test://a%20b", "test://a b"])
    }))
})
