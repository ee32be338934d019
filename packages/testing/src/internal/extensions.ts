/** The rules of extensions: there for the clients that declared them, and for nobody else. */
import { assert } from "@effect/vitest"
import * as Meta from "@mcp-effect/protocol/Meta"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { texts } from "./texts.ts"

const ID = "com.example/thing"
const CHANGED = "notifications/example/changed"

const features = Layer.mergeAll(
  McpServer.tool(Tool.make("greet"), () => Effect.succeed("hello")),
  McpServer.method(
    "example/depth",
    { extension: ID, params: Schema.Struct({ below: Schema.Int }), result: Schema.Struct({ depth: Schema.Int }) },
    ({ below }) => Effect.succeed({ depth: below + 1 })
  ),
  McpServer.extension({
    id: ID,
    settings: { depth: 2 },
    around: {
      "tools/call": (call, next) =>
        Effect.map(
          next(call),
          (inner) => ({ ...inner, value: Meta.assign(inner.value, { [ID]: "around" }), key: undefined })
        )
    },
    listens: {
      things: (requested) =>
        requested === true ? { honoured: true, matches: ({ method }) => method === CHANGED } : undefined
    },
    announces: () => ({ matches: ({ method }) => method === CHANGED })
  })
)

/** A client that declares these extensions, in the words of its era. */
const connect = (revision: Revision.Revision, ...ids: ReadonlyArray<string>) => {
  const declared = Object.fromEntries(ids.map((id) => [id, {}]))
  const capabilities = revision.era === "stateless" ? { extensions: declared } : { experimental: declared }
  return RawClient.connect(revision.name, { capabilities })
}

const others = (revision: Revision.Revision) => Effect.all([connect(revision), connect(revision, "com.example/other")])

const changed = McpServer.changed({ method: CHANGED, params: { to: 1 } })

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST declare an extension with its settings, whoever asks",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        for (const client of [yield* connect(revision, ID), yield* connect(revision)]) {
          const { experimental, extensions } = yield* client.declared
          assert.deepInclude(extensions, { [ID]: { depth: 2 } })
          // Clients of that era know extensions by either name.
          if (revision.era === "stateful") assert.deepStrictEqual(experimental, extensions)
          else assert.isUndefined(experimental)
        }
      })
  },
  {
    name: "MUST serve the method of an extension to clients that declared it, and tell the others what is missing",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* connect(revision, ID)
        assert.strictEqual((yield* client.result("example/depth", { below: 4 })).depth, 5)
        for (const other of yield* others(revision)) {
          const error = yield* other.error("example/depth", { below: 4 })
          assert.strictEqual(error.code, revision.wire.missingCapability)
          assert.deepStrictEqual(error.data, { requiredCapabilities: { extensions: { [ID]: {} } } })
        }
      })
  },
  {
    name: "MUST wrap the requests of clients that declared the extension, and leave those of the others as they are",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const seen = (client: RawClient.RawClient) =>
          Effect.map(client.result("tools/call", { name: "greet" }), (result) => {
            assert.deepStrictEqual(texts(result), ["hello"])
            return Meta.of(result)?.[ID]
          })
        assert.strictEqual(yield* seen(yield* connect(revision, ID)), "around")
        for (const other of yield* others(revision)) assert.isUndefined(yield* seen(other))
      })
  },
  {
    name: "MUST tell sessions that declared the extension what it announces, and no others",
    applies: ({ era }) => era === "stateful",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* connect(revision, ID)
        const rest = yield* others(revision)
        // Then the server has heard that the sessions are ready.
        for (const { result } of [client, ...rest]) yield* result("tools/list")
        yield* changed
        const told = yield* Queue.take(client.heard)
        assert.deepStrictEqual([told.method, told.params], [CHANGED, { to: 1 }])
        for (const { heard, result } of rest) {
          yield* result("tools/list")
          assert.deepStrictEqual(yield* Queue.clear(heard), [])
        }
      })
  },
  {
    name: "MUST let clients that declared the extension listen for what it has, and no others",
    applies: ({ era }) => era === "stateless",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const listen = (client: RawClient.RawClient) =>
          Effect.gen(function*() {
            yield* Effect.forkChild(client.request("subscriptions/listen", { notifications: { things: true } }))
            return (yield* Queue.take(client.tied)).params?.notifications
          })
        const client = yield* connect(revision, ID)
        assert.deepStrictEqual(yield* listen(client), { things: true })
        const rest = yield* others(revision)
        for (const other of rest) assert.deepStrictEqual(yield* listen(other), {})
        yield* changed
        const told = yield* Queue.take(client.tied)
        assert.deepStrictEqual(
          [told.method, told.params],
          [CHANGED, { to: 1, _meta: { [Meta.SUBSCRIPTION_ID]: "raw-0" } }]
        )
        for (const { result, tied } of rest) {
          yield* result("tools/list")
          assert.deepStrictEqual(yield* Queue.clear(tied), [])
        }
      })
  }
]
