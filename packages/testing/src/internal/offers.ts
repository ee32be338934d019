/** The rules of what a server offers besides tools: resources, prompts, completion, logs, changes, in every revision. */
import { assert } from "@effect/vitest"
import * as Content from "@mcp-effect/protocol/Content"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Changes from "@mcp-effect/server/Changes"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"

type Params = JsonRpc.Params

const text = Resource.make({ uri: "test://text", name: "text", title: "Text", mimeType: "text/plain", size: 5 })
const bytes = Resource.make({ uri: "test://bytes", name: "bytes", mimeType: "image/png" })
const several = Resource.make({ uri: "test://several", name: "several" })
const item = Resource.template("test://items/{id}{?lang}", {
  name: "item",
  variables: { id: Schema.FiniteFromString },
  mimeType: "application/json"
})
const review = Prompt.make("review", {
  title: "Review",
  description: "Reviews code",
  arguments: { code: Schema.String, times: Schema.optionalKey(Schema.FiniteFromString) }
})

const many = Array.from({ length: 150 }, (_, n) => `value ${n}`)

const features = Layer.mergeAll(
  McpServer.resource(text, () => Effect.succeed("hello")),
  McpServer.resource(bytes, () => Effect.succeed(Uint8Array.of(1, 2, 3))),
  McpServer.resource(
    several,
    () => Effect.succeed([Resource.text("test://several/a", "a"), Resource.text("test://several/b", "b")])
  ),
  McpServer.resourceTemplate(
    item,
    ({ id, lang }) => Effect.succeed(JSON.stringify({ id, lang: lang ?? null })),
    { complete: { id: (value) => Effect.succeed(["1", "12", "23"].filter((id) => id.startsWith(value))) } }
  ),
  McpServer.prompt(review, ({ code, times = 1 }) =>
    Effect.succeed([
      Prompt.user(`Review ${code} ${times} times`),
      Prompt.assistant(Content.image({ data: Uint8Array.of(1), mimeType: "image/png" })),
      Prompt.user(Content.resource({ uri: "test://code", text: code }))
    ]), {
    complete: {
      code: (value, { arguments: { times } }) => Effect.succeed(times === undefined ? many : [`${value} ${times}`])
    }
  }),
  McpServer.tool(
    Tool.make("log"),
    () => Effect.as(Effect.andThen(Effect.logDebug("little"), Effect.logWarning("much")), "done")
  ),
  McpServer.logging()
)

const contents = (result: Params): unknown => result.contents

const resources: ReadonlyArray<Rule> = [
  {
    name: "MUST list resources and templates with the members of the revision",
    tools: features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const listed = (yield* client.result("resources/list")).resources as ReadonlyArray<Params>
        assert.deepStrictEqual(listed.map(({ uri }) => uri), ["test://bytes", "test://several", "test://text"])
        assert.strictEqual("title" in (listed[2] ?? {}), revision.wire.fields.resource.has("title"))
        const templates = (yield* client.result("resources/templates/list")).resourceTemplates as ReadonlyArray<Params>
        assert.deepStrictEqual(templates.map(({ uriTemplate }) => uriTemplate), ["test://items/{id}{?lang}"])
      })
  },
  {
    name: "MUST read text, bytes, several contents and templates, and nothing else",
    tools: features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const read = (uri: string) => Effect.map(client.result("resources/read", { uri }), contents)
        assert.deepStrictEqual(yield* read("test://text"), [
          { uri: "test://text", mimeType: "text/plain", text: "hello" }
        ])
        assert.deepStrictEqual(yield* read("test://bytes"), [
          { uri: "test://bytes", mimeType: "image/png", blob: "AQID" }
        ])
        assert.deepStrictEqual(yield* read("test://several"), [
          { uri: "test://several/a", text: "a" },
          { uri: "test://several/b", text: "b" }
        ])
        const uri = "test://items/7?other=1&lang=fr%2Dca"
        assert.deepStrictEqual(yield* read(uri), [
          { uri, mimeType: "application/json", text: "{\"id\":7,\"lang\":\"fr-ca\"}" }
        ])
        const unknown = yield* client.error("resources/read", { uri: "test://nowhere" })
        assert.strictEqual(unknown.code, revision.wire.resourceNotFound)
        assert.deepStrictEqual(unknown.data, { uri: "test://nowhere" })
        const unfit = yield* client.error("resources/read", { uri: "test://items/seven" })
        assert.strictEqual(unfit.code, -32602)
      })
  }
]

const prompts: ReadonlyArray<Rule> = [
  {
    name: "MUST list prompts with their arguments, and get one with typed arguments",
    tools: features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const [listed] = (yield* client.result("prompts/list")).prompts as ReadonlyArray<Params>
        assert.deepInclude(listed, {
          name: "review",
          arguments: [{ name: "code", required: true }, { name: "times", required: false }]
        })
        const got = yield* client.result("prompts/get", { name: "review", arguments: { code: "x", times: "2" } })
        const messages = got.messages as ReadonlyArray<{ readonly role: string; readonly content: Params }>
        assert.deepStrictEqual(messages.map(({ content, role }) => [role, content.type]), [
          ["user", "text"],
          ["assistant", "image"],
          ["user", "resource"]
        ])
        assert.strictEqual(messages[0]?.content.text, "Review x 2 times")
        for (const params of [{ name: "review" }, { name: "unheard" }, { name: "review", arguments: { code: 1 } }]) {
          assert.strictEqual((yield* client.error("prompts/get", params)).code, -32602)
        }
      })
  },
  {
    name: "MUST complete arguments and variables, with those before them, 100 at most",
    tools: features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const complete = (ref: Params, argument: Params, context?: Params) =>
          Effect.map(
            client.result("completion/complete", { ref, argument, ...(context === undefined ? {} : { context }) }),
            ({ completion }) => completion as Params
          )
        const prompt = { type: "ref/prompt", name: "review" }
        const all = yield* complete(prompt, { name: "code", value: "" })
        assert.deepStrictEqual([(all.values as ReadonlyArray<string>).length, all.total, all.hasMore], [100, 150, true])
        const one = yield* complete(prompt, { name: "code", value: "x" }, { arguments: { times: "3" } })
        assert.deepStrictEqual(one.values, ["x 3"])
        const variable = yield* complete({ type: "ref/resource", uri: item.uriTemplate }, { name: "id", value: "1" })
        assert.deepStrictEqual(variable.values, ["1", "12"])
        assert.strictEqual(
          client.initialized === undefined || "completions" in (client.initialized.capabilities as Params),
          revision.wire.completions
        )
      })
  }
]

const heard = (client: RawClient.RawClient, queue: "tied" | "heard", method: string) =>
  Effect.map(
    Queue.clear(client[queue]),
    (notifications) => notifications.filter((notification) => notification.method === method)
  )

const logs: ReadonlyArray<Rule> = [
  {
    name: "MUST send logs to the client that wants them, ahead of the result",
    tools: features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const stateful = revision.era === "stateful"
        if (stateful) yield* client.result("logging/setLevel", { level: "debug" })
        else yield* client.error("logging/setLevel", { level: "debug" })
        const meta = stateful ? {} : { _meta: { [Meta.LOG_LEVEL]: "debug" } }
        yield* client.result("tools/call", { name: "log", ...meta })
        const all = [
          ...(yield* heard(client, "tied", "notifications/message")),
          ...(yield* heard(client, "heard", "notifications/message"))
        ]
        assert.deepStrictEqual(all.map(({ params }) => [params?.level, params?.data]), [
          ["debug", "little"],
          ["warning", "much"]
        ])
        if (stateful) return
        yield* client.result("tools/call", { name: "log" })
        assert.deepStrictEqual(yield* heard(client, "heard", "notifications/message"), [])
      })
  }
]

const changes: ReadonlyArray<Rule> = [
  {
    name: "MUST tell of a resource that was subscribed to, and of nothing else",
    applies: ({ era }) => era === "stateful",
    tools: features,
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
        assert.deepStrictEqual(yield* heard(client, "heard", "notifications/resources/updated"), [])
      })
  },
  {
    name: "MUST acknowledge a subscription first, tag what it tells, and end with its request",
    applies: ({ era }) => era === "stateless",
    tools: features,
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
        const id = Meta.of(acknowledged.params)?.[Meta.SUBSCRIPTION_ID]
        yield* McpServer.changed(Changes.tools)
        yield* McpServer.changed(Changes.resource(text.uri))
        const told = yield* Queue.take(client.tied)
        assert.strictEqual(told.method, "notifications/resources/updated")
        assert.deepStrictEqual(told.params, { uri: text.uri, _meta: { [Meta.SUBSCRIPTION_ID]: id } })
        yield* Fiber.interrupt(listen)
        yield* McpServer.changed(Changes.resource(text.uri))
        yield* client.result("resources/list")
        assert.deepStrictEqual(yield* Queue.clear(client.tied), [])
      })
  }
]

// What another revision has, or what nobody has declared.
const absent = (revision: Revision.Revision): ReadonlyArray<string> =>
  [
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "initialize"
  ].filter((method) => !revision.methods.serverRequests.has(method))

const absence: ReadonlyArray<Rule> = [
  {
    name: "MUST answer the methods of other revisions with -32601, and go on",
    tools: features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        for (const method of [...absent(revision), "unheard/of"]) {
          assert.strictEqual((yield* client.error(method, {})).code, -32601, method)
        }
        yield* client.result("resources/list")
      })
  },
  {
    name: "MUST answer the methods of features that nobody has declared with -32601",
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const methods = [
          "resources/list",
          "resources/templates/list",
          "resources/read",
          "prompts/list",
          "prompts/get",
          "completion/complete",
          "logging/setLevel"
        ]
        for (const method of methods) assert.strictEqual((yield* client.error(method, {})).code, -32601, method)
      })
  }
]

export const rules: ReadonlyArray<Rule> = [...resources, ...prompts, ...logs, ...changes, ...absence]
