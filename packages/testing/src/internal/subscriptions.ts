/** The rules of changes: told to those who asked, in the way of their era, and to nobody else. */
import { assert } from "@effect/vitest"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Changes from "@mcp-effect/server/Changes"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { bytes, features, text } from "./offered.ts"

const tag = { [Meta.SUBSCRIPTION_ID]: "raw-0" }

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST tell of a resource that was subscribed to, and of nothing else",
    applies: ({ era }) => era === "stateful",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        yield* client.result("resources/subscribe", { uri: text.uri })
        yield* McpServer.changed(Changes.resource(bytes.uri))
        yield* McpServer.changed(Changes.resource(text.uri))
        yield* McpServer.changed(Changes.resource(text.uri))
        const told = yield* Queue.take(client.heard)
        assert.deepStrictEqual([told.method, told.params], ["notifications/resources/updated", { uri: text.uri }])
        yield* client.result("resources/unsubscribe", { uri: text.uri })
        yield* McpServer.changed(Changes.resource(text.uri))
        yield* client.result("resources/list")
        assert.deepStrictEqual(yield* Queue.clear(client.heard), [])
      })
  },
  {
    name: "MUST acknowledge a subscription first, tag what it tells, and end with its request",
    applies: ({ era }) => era === "stateless",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const notifications = { promptsListChanged: true, resourceSubscriptions: [text.uri, "test://nowhere"] }
        const listen = yield* Effect.forkChild(client.request("subscriptions/listen", { notifications }))
        const acknowledged = yield* Queue.take(client.tied)
        assert.strictEqual(acknowledged.method, "notifications/subscriptions/acknowledged")
        assert.deepStrictEqual(acknowledged.params?.notifications, {
          promptsListChanged: true,
          resourceSubscriptions: [text.uri]
        })
        // The caller's own id, whatever the connection has put on the wire.
        assert.strictEqual(Meta.of(acknowledged.params)?.[Meta.SUBSCRIPTION_ID], "raw-0")
        yield* McpServer.changed(Changes.tools)
        yield* Effect.forEach(Array.from({ length: 100 }), () => McpServer.changed(Changes.resource(text.uri)))
        const told = yield* Queue.take(client.tied)
        assert.strictEqual(told.method, "notifications/resources/updated")
        assert.deepStrictEqual(told.params, { uri: text.uri, _meta: tag })
        yield* McpServer.addPrompt(Prompt.make("late"), () => Effect.succeed("late"))
        const late = yield* Queue.take(client.tied)
        assert.deepStrictEqual([late.method, late.params], ["notifications/prompts/list_changed", { _meta: tag }])
        yield* Fiber.interrupt(listen)
        yield* McpServer.changed(Changes.resource(text.uri))
        yield* client.result("resources/list")
        assert.deepStrictEqual(yield* Queue.clear(client.tied), [])
      })
  },
  {
    name: "MUST tell a session that its lists have changed, once for a burst",
    applies: ({ era }) => era === "stateful",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        // Then the server has heard that the session is ready, and the client knows what there is.
        yield* client.result("resources/list")
        for (const name of ["late", "later"]) {
          yield* McpServer.addPrompt(Prompt.make(name), () => Effect.succeed(name))
          yield* McpServer.addResource(Resource.make({ uri: `test://${name}`, name }), () => Effect.succeed(name))
        }
        const told = [yield* Queue.take(client.heard), yield* Queue.take(client.heard)]
        assert.sameMembers(told.map(({ method }) => method), [
          "notifications/prompts/list_changed",
          "notifications/resources/list_changed"
        ])
        yield* client.result("resources/list")
        assert.deepStrictEqual(yield* Queue.clear(client.heard), [])
      })
  }
]
