/** What a client sends may be as large as a message: the server must not take long over it, keep all of it, or send it back. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as UriTemplate from "@mcp-effect/protocol/UriTemplate"
import * as Changes from "@mcp-effect/server/Changes"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { serve, speak } from "./client.ts"
import { settle } from "./listening.ts"

const files = McpServer.resourceTemplate(
  Resource.template("file:///{+path}", { name: "file" }),
  ({ path }) => Effect.succeed(path)
)

const anything = McpServer.prompt(Prompt.dynamic("anything"), () => Effect.succeed("x"))

const open = Effect.flatMap(
  serve(Layer.merge(files, anything)),
  (server) => Effect.map(speak(server, "2025-11-25"), (client) => ({ client, server }))
)

const MiB = 1024 * 1024

describe("a URI", () => {
  it.effect("that is longer than any that is read MUST be refused, and neither encoded nor sent back", () =>
    Effect.gen(function*() {
      const { client } = yield* open
      const uri = `file:///${"é ".repeat(2 * MiB)}`
      for (const method of ["resources/read", "resources/subscribe", "resources/unsubscribe"]) {
        const error = yield* client.error(method, { uri })
        assert.deepStrictEqual(error, {
          code: JsonRpc.INVALID_PARAMS,
          message: `Invalid params: "uri" has ${uri.length} characters, and ${UriTemplate.MAX_URI} at most are read`
        })
      }
    }))

  it.effect("that is as long as one that is read MUST be read", () =>
    Effect.gen(function*() {
      const { client } = yield* open
      const path = "a".repeat(UriTemplate.MAX_URI - "file:///".length)
      const { contents } = yield* client.result("resources/read", { uri: `file:///${path}` })
      assert.deepStrictEqual(contents, [{ uri: `file:///${path}`, text: path }])
    }))
})

describe("an error", () => {
  const long = "x".repeat(MiB)
  it.effect.each([
    ["prompts/get", { name: long }],
    ["completion/complete", { ref: { type: "ref/resource", uri: long }, argument: { name: "a", value: "" } }],
    ["completion/complete", {
      ref: { type: "ref/resource", uri: "file:///{+path}" },
      argument: { name: long, value: "" }
    }],
    ["prompts/get", { name: "anything", arguments: { [long]: 1 } }],
    [long, {}]
  ])(
    "MUST NOT quote more than a few kilobytes of what the client has sent",
    ([method, params]) =>
      Effect.gen(function*() {
        const { server } = yield* open
        // Completion is there for what completes.
        const { message } = yield* (yield* speak(server, "2024-11-05")).error(String(method), Object(params))
        assert.isBelow(message.length, 9000)
      })
  )

  it.effect("MUST be told at once of arguments that are too many", () =>
    Effect.gen(function*() {
      const { client } = yield* open
      const args = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]))
      const { message } = yield* client.error("prompts/get", { name: "anything", arguments: args(1001) })
      assert.strictEqual(message, "Invalid arguments for prompt anything: they are 1001, and 1000 at most are read")
      yield* client.result("prompts/get", { name: "anything", arguments: args(Prompt.MAX_ARGUMENTS) })
    }))
})

describe("the subscriptions of a session", () => {
  it.effect("MUST NOT be longer than a message together", () =>
    Effect.gen(function*() {
      const { client } = yield* open
      const uri = (n: number) => `file:///${n}${"a".repeat(91)}`
      for (let n = 0; n < 10; n++) yield* client.result("resources/subscribe", { uri: uri(n) })
      const { code, message } = yield* client.error("resources/subscribe", { uri: uri(10) })
      assert.strictEqual(code, JsonRpc.INVALID_PARAMS)
      assert.include(message, "longer than 1000 characters")
      // One that is there already, and one in the place of another.
      yield* client.result("resources/subscribe", { uri: uri(3) })
      yield* client.result("resources/unsubscribe", { uri: uri(3) })
      yield* client.result("resources/subscribe", { uri: uri(3) })
    }).pipe(Effect.provideService(Limits.Limits, { ...Limits.defaults, messageBytes: 1000 })))

  it.effect("MUST hear of a resource however deep it is in what they are to, in no time", () =>
    Effect.gen(function*() {
      const { client, server } = yield* open
      for (const uri of ["file:///b", "file:///a", "file:///a/a/"]) yield* client.result("resources/subscribe", { uri })
      const updated = (uri: string) => JsonRpc.notification("notifications/resources/updated", { uri })
      for (const deep of [`file:///${"a/".repeat(60_000)}`, `file:///b${"/".repeat(120_000)}`]) {
        client.heard.length = 0
        yield* server.changes.publish(Changes.resource(deep))
        yield* settle
        assert.deepStrictEqual(client.heard, [updated(deep)])
      }
      client.heard.length = 0
      yield* server.changes.publish(Changes.resource(`file:///ab${"/c".repeat(100)}`))
      yield* settle
      assert.deepStrictEqual(client.heard, [])
    }), 2000)
})
