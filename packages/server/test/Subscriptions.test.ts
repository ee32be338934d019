import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as Meta from "@mcp-effect/protocol/Meta"
import { type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type { Change } from "@mcp-effect/server/Changes"
import * as Changes from "@mcp-effect/server/Changes"
import type { Extension } from "@mcp-effect/server/Extensions"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { connect, meta, recorder, serve, speak } from "./client.ts"
import { logged } from "./log.ts"

type Params = JsonRpc.Params
type Server = McpServer.McpServer["Service"]

const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

const about = (n: number): Change => ({ method: "notifications/thing", params: { n } })
const all: Change = { method: "notifications/things" }

/** What has as many different changes as one likes. */
const things: Extension = {
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
const capabilities = { extensions: { [things.id]: {} } }

const withTools = serve(McpServer.extension(things), { declare: ["tools"] })

const listen = (server: Server, notifications: Params, back: Peer, id: JsonRpc.Id = "sub") =>
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
const told = (server: Server, notifications: Params) =>
  Effect.gen(function*() {
    const heard: Array<JsonRpc.Notification> = []
    return { ...yield* listen(server, notifications, recorder(heard)), heard }
  })

const tag = { [Meta.SUBSCRIPTION_ID]: "sub" }

const acknowledged = (notifications: Params) =>
  JsonRpc.notification("notifications/subscriptions/acknowledged", { _meta: tag, notifications })

const toolsChanged = JsonRpc.notification("notifications/tools/list_changed", { _meta: tag })

/** A source of changes that counts its observers. */
const counting = () => {
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
const slow = () => {
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

// Effect itself gives way now and then.
const inOneTurn = (effects: ReadonlyArray<Effect.Effect<void>>) =>
  Effect.sync(() => effects.forEach((effect) => Effect.runSync(effect)))

describe("a burst of changes", () => {
  it.effect("MUST be one notification of each kind", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const { heard } = yield* told(server, { toolsListChanged: true, things: true })
      yield* inOneTurn(Array.from({ length: 1000 }, (_, n) =>
        Effect.andThen(server.changes.publish(Changes.tools), server.changes.publish(about(n % 2)))))
      yield* settle
      assert.deepStrictEqual(heard.slice(1).map(({ method, params }) => [method, params?.n]), [
        ["notifications/tools/list_changed", undefined],
        ["notifications/thing", 0],
        ["notifications/thing", 1]
      ])
    }))

  it.effect("MUST be told again for what comes while it is being taken", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const { back, most, open, taken } = slow()
      yield* listen(server, { toolsListChanged: true }, back)
      for (let n = 0; n < 100; n++) yield* Effect.andThen(server.changes.publish(Changes.tools), settle)
      assert.deepStrictEqual([taken, most.waiting], [[], 1])
      yield* open
      yield* settle
      assert.strictEqual(taken.length, 2)
    }))
})

describe("a subscription whose reader is slow", () => {
  const few = { ...Limits.defaults, inFlight: 10 }

  it.effect("MUST NOT have more than one notification waiting in the connection, whatever changes", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const { back, most, open, taken } = slow()
      yield* listen(server, { things: true }, back)
      for (let n = 0; n < 500; n++) {
        yield* server.changes.publish(about(n))
        if (n % 10 === 0) yield* settle
      }
      assert.strictEqual(most.waiting, 1)
      yield* open
      yield* settle
      assert.deepStrictEqual(taken.map(({ params }) => params?.n), Array.from({ length: 500 }, (_, n) => n))
    }))

  it.effect("MUST be told coarsely past its bound, and go on", () =>
    Effect.gen(function*() {
      const server = yield* withTools
      const { back, open, taken } = slow()
      const { listening } = yield* listen(server, { coarsely: true }, back)
      for (let n = 0; n < 1000; n++) {
        yield* server.changes.publish(about(n))
        if (n === 0) yield* settle
      }
      assert.isUndefined(listening.pollUnsafe())
      yield* open
      yield* settle
      assert.deepStrictEqual(
        taken.map(({ method, params }) => params?.n ?? method),
        [...Array.from({ length: 11 }, (_, n) => n), all.method]
      )
    }).pipe(Effect.provideService(Limits.Limits, few)))

  it.effect("MUST be ended with a complete result where there is nothing coarse, and be told nothing after", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const server = yield* withTools
        const { back, open, taken } = slow()
        const { listening } = yield* listen(server, { things: true }, back)
        for (let n = 0; n < 1000; n++) {
          yield* server.changes.publish(about(n))
          if (n === 0) yield* settle
        }
        const response = yield* Fiber.join(listening)
        assert.deepStrictEqual(response._tag === "Success" && response.result.resultType, "complete")
        yield* open
        yield* settle
        assert.deepStrictEqual(taken, [])
        assert.lengthOf(lines.filter((line) => line.startsWith("Warn A subscription was ended")), 1)
      }).pipe(Effect.provideService(Limits.Limits, few))
    ))
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
