/** The rules of asking the client: the same handler in both eras, whichever way its questions travel. */
import { assert } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Sampling from "@mcp-effect/protocol/Sampling"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { texts } from "./texts.ts"

const name = Elicitation.form({ message: "Who are you?", fields: { name: Schema.String } })

// Asks twice, in direct style.
const Poem = Tool.make("poem", { output: { poem: Schema.String } })
const poem = Effect.gen(function*() {
  const answer = yield* ClientInput.elicit(name)
  if (answer._tag !== "Accept") return { poem: `nothing: ${answer._tag}` }
  const message = yield* ClientInput.sample(
    Sampling.make({ messages: `A poem for ${answer.content.name}`, maxTokens: 100 })
  )
  return { poem: Sampling.textOf(message) }
})

const Roots = Tool.make("roots", {})

const features = Layer.mergeAll(
  McpServer.tool(Poem, () => poem),
  McpServer.tool(Roots, () => Effect.map(ClientInput.roots(), (roots) => roots.map(({ uri }) => uri)))
)

const answers: RawClient.Answers = {
  "elicitation/create": () => Effect.succeed({ action: "accept", content: { name: "Ada" } }),
  "sampling/createMessage": ({ messages }) => {
    const [{ content }] = messages as readonly [{ readonly content: { readonly text: string } }]
    return Effect.succeed({ role: "assistant", content: { type: "text", text: `${content.text}: ...` }, model: "poet" })
  },
  "roots/list": () => Effect.succeed({ roots: [{ uri: "file:///home" }, { uri: "file:///work", name: "work" }] })
}

const capabilities = { elicitation: {}, sampling: {}, roots: {} }

const hasElicitation = (revision: Revision.Revision): boolean => revision.wire.elicitation !== "none"

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST let a handler ask twice, elicitation and then sampling",
    applies: hasElicitation,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name, { capabilities, answers })
        const result = yield* client.call("tools/call", { name: "poem", arguments: {} })
        assert.deepStrictEqual(texts(result), [JSON.stringify({ poem: "A poem for Ada: ..." })])
        assert.deepStrictEqual(client.asked.map(({ method }) => method), [
          "elicitation/create",
          "sampling/createMessage"
        ])
      })
  },
  {
    name: "MUST give a decline and a cancellation to the handler as values",
    applies: hasElicitation,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        for (const [action, tag] of [["decline", "Decline"], ["cancel", "Cancel"]] as const) {
          const client = yield* RawClient.connect(revision.name, {
            capabilities,
            answers: { "elicitation/create": () => Effect.succeed({ action }) }
          })
          const result = yield* client.call("tools/call", { name: "poem" })
          assert.deepStrictEqual(texts(result), [JSON.stringify({ poem: `nothing: ${tag}` })])
          assert.strictEqual(client.asked.length, 1)
        }
      })
  },
  {
    name: "MUST hand the client's roots to a handler",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name, { capabilities, answers })
        assert.deepStrictEqual(texts(yield* client.call("tools/call", { name: "roots" })), [
          "file:///home",
          "file:///work"
        ])
      })
  },
  {
    name: "MUST refuse a call whose client lacks what it asks for, before anything is asked",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name, { answers })
        for (const name of ["poem", "roots"]) {
          const error = yield* client.error("tools/call", { name, arguments: {} })
          assert.strictEqual(error.code, revision.wire.missingCapability)
          assert.containsAllKeys(error.data, ["requiredCapabilities"])
        }
        assert.deepStrictEqual(client.asked, [])
      })
  },
  {
    name: "MUST make a tool failure of an answer that cannot be used, and say why",
    applies: hasElicitation,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name, {
          capabilities,
          answers: { "elicitation/create": () => Effect.succeed({ action: "accept", content: { name: 7 } }) }
        })
        const result = yield* client.call("tools/call", { name: "poem" })
        assert.strictEqual(result.isError, true)
        assert.include(texts(result)[0], "\"name\"")
      })
  },
  {
    name: "MUST make a tool failure of an ask that the client refuses",
    applies: (revision) => revision.era === "stateful",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name, {
          capabilities,
          answers: { "roots/list": () => Effect.fail({ code: JsonRpc.INTERNAL_ERROR, message: "no disk" }) }
        })
        const result = yield* client.call("tools/call", { name: "roots" })
        assert.strictEqual(result.isError, true)
        assert.include(texts(result)[0], "no disk")
      })
  }
]
