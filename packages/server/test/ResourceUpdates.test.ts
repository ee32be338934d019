/** Who hears that a resource, or the list of them, has changed. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Changes from "@mcp-effect/server/Changes"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Client, serve, speak } from "./client.ts"
import { ada, forAda, note, notFoundCode } from "./resources.ts"

const empty = () => Effect.succeed("")

const at = (uri: string, options?: Parameters<typeof note>[1]) => note(empty, { uri, ...options })

const offered = Layer.mergeAll(
  at("note:///a"),
  at("note:///b/"),
  at("note:///a/secret", forAda),
  at("note:///hidden", forAda),
  McpServer.resourceTemplate(Resource.template("day:{date}", { name: "t" }), empty)
)

const open = Layer.mergeAll(at("note:///a"), at("note:///b/"), at("note:///%7Ec"))

const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

const publish = (server: McpServer.McpServer["Service"], ...uris: ReadonlyArray<string>) =>
  Effect.andThen(
    Effect.forEach(uris, (uri) => McpServer.changed(Changes.resource(uri)), { discard: true }).pipe(
      Effect.provideService(McpServer.McpServer, server)
    ),
    settle
  )

const addLater = (server: McpServer.McpServer["Service"]) =>
  Effect.andThen(
    Effect.provideService(
      McpServer.addResource(Resource.make({ uri: "note:///new", name: "new" }), empty),
      McpServer.McpServer,
      server
    ),
    settle
  )

const urisOf = (heard: ReadonlyArray<JsonRpc.Notification>) =>
  heard.flatMap(({ method, params }) => method === "notifications/resources/updated" ? [params?.uri] : [])

const methodsOf = (heard: ReadonlyArray<JsonRpc.Notification>) => heard.map(({ method }) => method)

const subscribe = (client: Client, uri: string) => client.result("resources/subscribe", { uri })

const stateful = Revisions.ofEra(Revisions.all, "stateful").map(({ name }) => name)

const bounded = (inFlight: number) => Effect.provideService(Limits.Limits, { ...Limits.defaults, inFlight })

describe.each(stateful)("a session of %s", (revision) => {
  it.effect("MUST hear of updates of what it has subscribed to, until it unsubscribes", () =>
    Effect.gen(function*() {
      const server = yield* serve(offered)
      const client = yield* speak(server, revision)
      const other = yield* speak(server, revision)
      yield* publish(server, "note:///a")
      assert.deepStrictEqual(yield* subscribe(client, "note:///a"), {})
      assert.deepStrictEqual(yield* subscribe(client, "day:1"), {})
      yield* publish(server, "note:///a", "note:///b/", "day:1", "day:2")
      assert.deepStrictEqual(urisOf(client.heard), ["note:///a", "day:1"])
      assert.deepStrictEqual(yield* client.result("resources/unsubscribe", { uri: "note:///a" }), {})
      yield* publish(server, "note:///a")
      assert.deepStrictEqual(urisOf(client.heard), ["note:///a", "day:1"])
      assert.deepStrictEqual(other.heard, [])
    }))

  it.effect("MUST NOT subscribe to what does not exist for it", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(offered), revision)
      for (const uri of ["note:///none", "note:///hidden"]) {
        const error = yield* client.error("resources/subscribe", { uri })
        assert.strictEqual(error.code, notFoundCode(revision))
        assert.deepStrictEqual(error.data, { uri })
      }
      assert.deepStrictEqual(yield* ada(subscribe(client, "note:///hidden")), {})
    }))

  it.effect("MUST hear that the list has changed", () =>
    Effect.gen(function*() {
      const server = yield* serve(offered)
      const client = yield* speak(server, revision)
      yield* addLater(server)
      assert.deepStrictEqual(methodsOf(client.heard), ["notifications/resources/list_changed"])
    }))
})

describe("resources/subscribe", () => {
  it.effect("MUST be refused past the bound, and not for what is subscribed already", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(offered), "2025-11-25")
      yield* subscribe(client, "day:1")
      yield* subscribe(client, "day:2")
      yield* subscribe(client, "day:2")
      const error = yield* client.error("resources/subscribe", { uri: "day:3" })
      assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
      assert.include(error.message, "has 2 subscriptions")
      yield* client.result("resources/unsubscribe", { uri: "day:1" })
      yield* subscribe(client, "day:3")
    }).pipe(bounded(2)))

  it.effect.each(["resources/subscribe", "resources/unsubscribe"])(
    "%s MUST have a URI",
    (method) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(offered), "2025-11-25")
        assert.strictEqual((yield* client.error(method, { uri: 1 })).code, JsonRpc.INVALID_PARAMS)
        assert.strictEqual((yield* client.error(method)).code, JsonRpc.INVALID_PARAMS)
      })
  )

  it.effect("unsubscribing MUST succeed for what is not subscribed, or not there", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(offered), "2025-11-25")
      assert.deepStrictEqual(yield* client.result("resources/unsubscribe", { uri: "note:///none" }), {})
    }))

  it.effect("MUST know a URI in another spelling", () =>
    Effect.gen(function*() {
      const server = yield* serve(open)
      const client = yield* speak(server, "2025-11-25")
      yield* subscribe(client, "note:///~c")
      yield* publish(server, "note:///%7Ec")
      assert.deepStrictEqual(urisOf(client.heard), ["note:///%7Ec"])
      yield* client.result("resources/unsubscribe", { uri: "note:///%7ec" })
      yield* publish(server, "note:///~c")
      assert.strictEqual(client.heard.length, 1)
    }))
})

describe("what is in a resource", () => {
  it.effect("MUST be told to those who have subscribed to the resource", () =>
    Effect.gen(function*() {
      const server = yield* serve(open)
      const client = yield* speak(server, "2025-11-25")
      yield* subscribe(client, "note:///a")
      yield* subscribe(client, "note:///b/")
      const inside = ["note:///a/", "note:///a/b/c", "note:///b/c", "note:///b//d"]
      yield* publish(server, ...inside, "note:///ab", "note:///b", "note:///", "note:///a?b", "other:///a/b")
      assert.deepStrictEqual(urisOf(client.heard), inside)
    }))

  it.effect("MUST NOT be told to those who may not see it", () =>
    Effect.gen(function*() {
      const server = yield* serve(offered)
      const client = yield* speak(server, "2025-11-25")
      const adas = yield* speak(server, "2025-11-25")
      yield* subscribe(client, "note:///a")
      yield* ada(subscribe(adas, "note:///a"))
      yield* publish(server, "note:///a/secret")
      assert.deepStrictEqual(urisOf(client.heard), [])
      assert.deepStrictEqual(urisOf(adas.heard), ["note:///a/secret"])
    }))
})

describe("subscriptions/listen", () => {
  /** A client that listens, and what it was told that it gets. */
  const listen = (server: McpServer.McpServer["Service"], notifications: JsonRpc.Params) =>
    Effect.gen(function*() {
      const client = yield* speak(server, "2026-07-28")
      yield* Effect.forkScoped(client.ask("subscriptions/listen", { notifications }))
      yield* settle
      const [acknowledged] = client.tied
      assert.strictEqual(acknowledged?.method, "notifications/subscriptions/acknowledged")
      return { client, honoured: acknowledged?.params?.notifications }
    })

  it.effect("MUST tell of the list, and only when it was asked to", () =>
    Effect.gen(function*() {
      const server = yield* serve(offered)
      const one = yield* listen(server, { resourcesListChanged: true })
      const other = yield* listen(server, { resourcesListChanged: false, resourceSubscriptions: ["note:///a"] })
      assert.deepStrictEqual(one.honoured, { resourcesListChanged: true })
      assert.deepStrictEqual(other.honoured, { resourceSubscriptions: ["note:///a"] })
      yield* addLater(server)
      assert.deepStrictEqual(methodsOf(one.client.tied.slice(1)), ["notifications/resources/list_changed"])
      assert.deepStrictEqual(other.client.tied.slice(1), [])
    }))

  it.effect("MUST tell of updates of the resources that it was asked for, tagged, and of what is in them", () =>
    Effect.gen(function*() {
      const server = yield* serve(open)
      const { client } = yield* listen(server, { resourceSubscriptions: ["note:///a"] })
      yield* publish(server, "note:///a", "note:///a/1", "note:///b/")
      assert.deepStrictEqual(
        client.tied.slice(1).map(({ params }) => params),
        ["note:///a", "note:///a/1"].map((uri) => ({ uri, _meta: { [Meta.SUBSCRIPTION_ID]: 0 } }))
      )
    }))

  it.effect("MUST leave out what does not exist for the client, and say so", () =>
    Effect.gen(function*() {
      const server = yield* serve(offered)
      const resourceSubscriptions = ["note:///none", "note:///hidden", "day:1", "note:///a", "note:///a"]
      const { client, honoured } = yield* listen(server, { resourceSubscriptions })
      assert.deepStrictEqual(honoured, { resourceSubscriptions: ["day:1", "note:///a"] })
      yield* publish(server, "note:///none", "note:///hidden", "note:///a/secret", "day:1")
      assert.deepStrictEqual(urisOf(client.tied), ["day:1"])
      assert.deepStrictEqual((yield* ada(listen(server, { resourceSubscriptions }))).honoured, {
        resourceSubscriptions: ["note:///hidden", "day:1", "note:///a"]
      })
    }))

  it.effect("MUST honour no more than the bound, the first of them", () =>
    Effect.gen(function*() {
      const { honoured } = yield* listen(yield* serve(offered), { resourceSubscriptions: ["day:1", "day:2", "day:3"] })
      assert.deepStrictEqual(honoured, { resourceSubscriptions: ["day:1", "day:2"] })
    }).pipe(bounded(2)))
})
