/** The rules of what a result says of itself where the revision has that: its type, who answers, and how long it keeps. */
import { assert } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Resource from "@mcp-effect/protocol/Resource"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { features, text } from "./offered.ts"

const prompt = { name: "review", arguments: { code: "x" } }
const completion = { ref: { type: "ref/prompt", name: "review" }, argument: { name: "code", value: "" } }

const requests: ReadonlyArray<readonly [method: string, params: JsonRpc.Params]> = [
  ["server/discover", {}],
  ["ping", {}],
  ["tools/list", {}],
  ["tools/call", { name: "log" }],
  ["prompts/list", {}],
  ["prompts/get", prompt],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: text.uri }],
  ["resources/subscribe", { uri: text.uri }],
  ["completion/complete", completion],
  ["logging/setLevel", { level: "error" }]
]

/** The results of every method that the revision has, by method. */
const results = (revision: Revision.Revision) =>
  Effect.gen(function*() {
    const client = yield* RawClient.connect(revision.name)
    const had = requests.filter(([method]) => revision.methods.serverRequests.has(method))
    const results = yield* Effect.forEach(had, ([method, params]) => client.result(method, params))
    return had.map(([method], index) => [method, results[index] ?? {}] as const)
  })

const isTyped = ({ wire }: Revision.Revision): boolean => wire.results === "typed"

const hints = ({ cacheScope, ttlMs }: JsonRpc.Params) => cacheScope === undefined ? undefined : [ttlMs, cacheScope]

const serverInfo = { name: "contract", version: "1.0.0" }

const who = ClientInput.elicit(Elicitation.form({ message: "Who are you?", fields: { name: Schema.String } }))

const asking = Layer.mergeAll(
  McpServer.tool(Tool.make("ask"), () => Effect.as(who, "done")),
  McpServer.resource(Resource.make({ uri: "test://ask", name: "ask" }), () => Effect.as(who, "done"))
)

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST say in every result that it is complete and who answers where the revision has that, and nowhere else",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        for (const [method, result] of yield* results(revision)) {
          assert.strictEqual(result.resultType, isTyped(revision) ? "complete" : undefined, method)
          assert.deepStrictEqual(
            Meta.of(result),
            isTyped(revision) ? { [Meta.SERVER_INFO]: serverInfo } : undefined,
            method
          )
        }
      })
  },
  {
    name: "MUST say of a result that asks that it does, and who asks, and that nobody may keep it",
    applies: isTyped,
    features: asking,
    options: { caching: { ttl: "1 minute" } },
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name, { capabilities: { elicitation: {} } })
        for (
          const [method, params] of [["tools/call", { name: "ask" }], ["resources/read", {
            uri: "test://ask"
          }]] as const
        ) {
          const result = yield* client.result(method, params)
          assert.strictEqual(result.resultType, "input_required")
          assert.lengthOf(Object.keys(result.inputRequests as object), 1)
          assert.deepStrictEqual(Meta.of(result), { [Meta.SERVER_INFO]: serverInfo })
          assert.isUndefined(hints(result))
        }
      })
  },
  {
    name: "MUST give hints for what can be kept where the revision has them, of no use by default, and nowhere else",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        for (const [method, result] of yield* results(revision)) {
          const kept = isTyped(revision) && /(list|read|discover)$/.test(method)
          assert.deepStrictEqual(hints(result), kept ? [0, "private"] : undefined, method)
        }
      })
  },
  {
    name: "MUST give the hints of the server, of the method, and of the resource, the nearest first",
    applies: isTyped,
    features: Layer.merge(
      features,
      McpServer.resource(
        Resource.make({ uri: "test://kept", name: "kept" }),
        () => Effect.succeed("kept"),
        { caching: { ttl: "1 hour" } }
      )
    ),
    options: { caching: { ttl: "1 minute", scope: "public", methods: { "resources/read": { scope: "private" } } } },
    test: (revision) =>
      Effect.gen(function*() {
        const expected = (method: string) => method === "resources/read" ? [60_000, "private"] : [60_000, "public"]
        for (const [method, result] of yield* results(revision)) {
          if (/(list|read|discover)$/.test(method)) assert.deepStrictEqual(hints(result), expected(method), method)
          else assert.isUndefined(hints(result), method)
        }
        const client = yield* RawClient.connect(revision.name)
        const kept = yield* client.result("resources/read", { uri: "test://kept" })
        assert.deepStrictEqual(hints(kept), [3_600_000, "private"])
      })
  }
]
