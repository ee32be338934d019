import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import { type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Changes from "@mcp-effect/server/Changes"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { recorder, speak } from "./client.ts"
import {
  about,
  acknowledged,
  capabilities,
  counting,
  listen,
  settle,
  slow,
  tag,
  told,
  toolsChanged,
  withTools
} from "./listening.ts"

describe("subscriptions/listen", () => {
  it.effect("MUST be acknowledged first, with its id, and with just what is asked for and supported", () =>
    Effect.gen(function*() {
      const { heard } = yield* told(yield* withTools, {
        toolsListChanged: true,
        promptsListChanged: true,
        resourceSubscriptions: [],
        resourcesListChanged: false,
        unheardOf: { any: "thing" },
        constructor: true
      })
      assert.deepStrictEqual(heard, [acknowledged({ toolsListChanged: true })])
    }))

  it.effect("MUST be acknowledged with an empty filter where nothing is asked for, and told of nothing", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const { heard, listening } = yield* told(server, {})
      yield* server.changes.publish(Changes.tools)
      yield* settle
      assert.deepStrictEqual(heard, [acknowledged({})])
      assert.isUndefined(listening.pollUnsafe())
    }))

  it.effect("MUST be acknowledged before it is told of a change that happens meanwhile", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const heard: Array<JsonRpc.Notification> = []
      const { notify } = recorder(heard)
      const gate = yield* Deferred.make<void>()
      let calls = 0
      const back = {
        ...recorder([]),
        notify: (notification: JsonRpc.Notification) =>
          // Taking the acknowledgement takes its time.
          Effect.andThen(Effect.suspend(() => ++calls === 1 ? Deferred.await(gate) : Effect.void), notify(notification))
      }
      yield* listen(server, { toolsListChanged: true }, back)
      yield* server.changes.publish(Changes.tools)
      yield* settle
      assert.deepStrictEqual([calls, heard], [1, []])
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.deepStrictEqual(heard, [acknowledged({ toolsListChanged: true }), toolsChanged])
    }))

  it.effect("MUST be told what it asked for, tagged with its id, and nothing else", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const { heard } = yield* told(server, { toolsListChanged: true })
      for (const change of [Changes.tools, Changes.prompts, Changes.resources, Changes.resource("a:b"), about(1)]) {
        yield* server.changes.publish(change)
      }
      yield* settle
      assert.deepStrictEqual(heard.slice(1), [toolsChanged])
    }))

  it.effect("MUST keep what a change says in its own `_meta`", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const { heard } = yield* told(server, { things: true })
      yield* server.changes.publish({ method: "notifications/thing", params: { n: 1, _meta: { own: true } } })
      yield* settle
      assert.deepStrictEqual(heard[1]?.params, { n: 1, _meta: { own: true, ...tag } })
    }))

  it.effect("MAY be there twice on one connection, each with its own filter and id", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const client = yield* speak(server, "2026-07-28", capabilities)
      yield* Effect.forkChild(client.ask("subscriptions/listen", { notifications: { toolsListChanged: true } }))
      yield* Effect.forkChild(client.ask("subscriptions/listen", { notifications: { things: [] } }))
      yield* settle
      yield* server.changes.publish(Changes.tools)
      yield* server.changes.publish(about(7))
      yield* settle
      assert.deepStrictEqual(
        client.tied.map(({ method, params }) => [method, Meta.of(params)?.[Meta.SUBSCRIPTION_ID]]),
        [
          ["notifications/subscriptions/acknowledged", 0],
          ["notifications/subscriptions/acknowledged", 1],
          ["notifications/tools/list_changed", 0],
          ["notifications/thing", 1]
        ]
      )
      assert.deepStrictEqual(client.heard, [])
    }))

  const malformed: ReadonlyArray<readonly [notifications: unknown, names: string]> = [
    [undefined, "\"notifications\""],
    [null, "\"notifications\""],
    [[], "\"notifications\""],
    ["toolsListChanged", "\"notifications\""],
    [{ toolsListChanged: "true" }, "\"toolsListChanged\""],
    [{ promptsListChanged: null }, "\"promptsListChanged\""],
    [{ resourcesListChanged: 1 }, "\"resourcesListChanged\""],
    [{ resourceSubscriptions: "file:///a" }, "\"resourceSubscriptions\""],
    [{ resourceSubscriptions: [1] }, "\"resourceSubscriptions\""]
  ]
  it.effect.each(malformed)("MUST refuse the filter %j with -32602, naming what is wrong, and acknowledge nothing", (
    [notifications, names]
  ) =>
    Effect.gen(function*() {
      const client = yield* speak(yield* withTools, "2026-07-28")
      const error = yield* client.error("subscriptions/listen", { notifications })
      assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
      assert.include(error.message, names)
      assert.deepStrictEqual(client.tied, [])
    }))

  it.effect.each(["2025-11-25", "2024-11-05"] as const)("MUST NOT exist in %s", (revision) =>
    Effect.gen(function*() {
      const client = yield* speak(yield* withTools, revision)
      const { code } = yield* client.error("subscriptions/listen", { notifications: { toolsListChanged: true } })
      assert.strictEqual(code, JsonRpc.METHOD_NOT_FOUND)
    }))
})

describe("the end of a subscription", () => {
  it.effect("MUST leave no observer behind, after 1000 that were cancelled", () =>
    Effect.gen(function*() {
      const { layer, observers } = counting()
      const server = yield* Effect.provide(withTools, layer)
      const client = yield* speak(server, "2026-07-28")
      const before = observers()
      for (let round = 0; round < 1000; round++) {
        const listening = yield* Effect.forkChild(
          client.ask("subscriptions/listen", { notifications: { toolsListChanged: true } })
        )
        yield* Effect.yieldNow
        if (round === 0) assert.strictEqual(observers(), before + 1)
        yield* Fiber.interrupt(listening)
      }
      assert.strictEqual(observers(), before)
      const acknowledged = client.tied.length
      yield* server.changes.publish(Changes.tools)
      yield* settle
      assert.strictEqual(client.tied.length, acknowledged)
    }))

  it.effect("MUST NOT tell a client that has cancelled of what was waiting for it", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const { back, open, taken } = slow()
      const { listening } = yield* listen(server, { toolsListChanged: true }, back)
      yield* server.changes.publish(Changes.tools)
      yield* settle
      yield* server.changes.publish(Changes.tools)
      yield* Fiber.interrupt(listening)
      yield* open
      yield* settle
      assert.deepStrictEqual(taken, [])
    }))

  it.effect("MUST be a complete result with its id when the server ends the connection", () =>
    Effect.gen(function*() {
      const { connection, listening } = yield* told(yield* withTools, { toolsListChanged: true })
      yield* connection.ending
      const response = yield* Fiber.join(listening)
      assert.deepStrictEqual(response._tag === "Success" && response.result, {
        resultType: "complete",
        _meta: { ...tag, [Meta.SERVER_INFO]: { name: "test", version: "1.0.0" } }
      })
    }))

  it.effect("MUST come when its client has gone, acknowledged or not, and leave no observer", () =>
    Effect.gen(function*() {
      const { layer, observers } = counting()
      const server = yield* Effect.provide(withTools, layer)
      const error = new TransportError({ reason: "closed", processed: "no", message: "gone" })
      for (const lostFrom of [1, 2]) {
        let calls = 0
        const back: Peer = {
          ...recorder([]),
          notify: () => Effect.suspend(() => ++calls >= lostFrom ? Effect.fail(error) : Effect.void)
        }
        const { listening } = yield* listen(server, { toolsListChanged: true }, back)
        const before = observers()
        if (lostFrom === 2) {
          assert.isUndefined(listening.pollUnsafe())
          yield* server.changes.publish(Changes.tools)
        }
        yield* Fiber.join(listening)
        assert.strictEqual(observers(), lostFrom === 2 ? before - 1 : before)
      }
    }))
})
