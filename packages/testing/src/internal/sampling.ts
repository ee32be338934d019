/** The rules of asking for a message of a language model: all that can be said of it, and tools where there are any. */
import { assert } from "@effect/vitest"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
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
import { json, texts } from "./texts.ts"

const Weather = Tool.make("weather", { description: "The weather there", input: { city: Schema.String } })

const question = Sampling.make({ messages: "Is it warm?", maxTokens: 100, tools: [Weather] })

// The loop of an agent, once around.
const agent = Effect.gen(function*() {
  const wanted = yield* ClientInput.sample({ ...question, toolChoice: { mode: "required" } })
  const results = Sampling.toolUses(wanted).map((use) => Sampling.toolResult(use, `${use.input.city}: 30 degrees`))
  const messages = [...question.messages, Sampling.assistant(wanted.content), Sampling.user(results)]
  const message = yield* ClientInput.sample({ ...question, messages, toolChoice: { mode: "none" } })
  return `${wanted.stopReason} ${Sampling.textOf(message)}`
})

const said = {
  maxTokens: 50,
  systemPrompt: "Be brief",
  temperature: 0.5,
  stopSequences: ["\n\n"],
  modelPreferences: { hints: [{ name: "small" }], costPriority: 1, speedPriority: 0.5, intelligencePriority: 0 },
  includeContext: "thisServer",
  metadata: { seed: 7 }
} as const

const pixel = { data: Uint8Array.of(1), mimeType: "image/png" }

const features = Layer.mergeAll(
  McpServer.tool(Tool.make("agent"), () => agent),
  McpServer.tool(Tool.make("all"), () =>
    Effect.map(
      ClientInput.sample({
        ...said,
        messages: [
          Sampling.user([Sampling.text("What is this?"), Sampling.image(pixel)]),
          Sampling.assistant("A pixel."),
          Sampling.user("Sure?")
        ]
      }),
      (message) => JSON.stringify(message)
    ))
)

const connect = (revision: Revision.Revision, sampling: JsonRpc.Params, ...replies: ReadonlyArray<JsonRpc.Params>) => {
  const left = [...replies]
  return RawClient.connect(revision.name, {
    capabilities: { sampling },
    answers: {
      "sampling/createMessage": () => Effect.sync(() => ({ role: "assistant", model: "small-1", ...left.shift() }))
    }
  })
}

const text = (text: string) => ({ type: "text", text })
const use = (id: string, city: string) => ({ type: "tool_use", id, name: "weather", input: { city } })
const result = (toolUseId: string, said: string) => ({ type: "tool_result", toolUseId, content: [text(said)] })

const hasTools = ({ wire }: Revision.Revision): boolean => wire.samplingTools

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST let a handler run the tools that the model wants, and choose when it may want any",
    applies: hasTools,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const uses = [use("1", "Paris"), use("2", "Oslo")]
        const client = yield* connect(
          revision,
          { tools: {} },
          { content: uses, stopReason: "toolUse" },
          { content: text("It is."), stopReason: "endTurn" }
        )
        assert.deepStrictEqual(texts(yield* client.call("tools/call", { name: "agent" })), ["toolUse It is."])
        const [first = {}, second = {}] = client.asked.map(({ params }) => params)
        const asked = { role: "user", content: text("Is it warm?") }
        assert.deepStrictEqual([first.messages, first.toolChoice], [[asked], { mode: "required" }])
        assert.deepStrictEqual([second.tools, second.toolChoice], [first.tools, { mode: "none" }])
        const [tool] = first.tools as ReadonlyArray<JsonRpc.Params>
        assert.deepInclude(tool, { name: "weather", description: "The weather there" })
        assert.nestedPropertyVal(tool, "inputSchema.properties.city.type", "string")
        assert.deepStrictEqual(second.messages, [
          asked,
          { role: "assistant", content: uses },
          { role: "user", content: [result("1", "Paris: 30 degrees"), result("2", "Oslo: 30 degrees")] }
        ])
      })
  },
  {
    name: "MUST NOT offer tools to the model of a client that declared sampling without them",
    applies: hasTools,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* connect(revision, {})
        const error = yield* client.error("tools/call", { name: "agent" })
        assert.strictEqual(error.code, revision.wire.missingCapability)
        assert.deepStrictEqual(error.data, { requiredCapabilities: { sampling: { tools: {} } } })
        assert.deepStrictEqual(client.asked, [])
      })
  },
  {
    name: "MUST make a tool failure of tools where sampling has none",
    applies: (revision) => !hasTools(revision),
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* connect(revision, { tools: {} })
        const result = yield* client.call("tools/call", { name: "agent" })
        assert.deepStrictEqual([result.isError, client.asked], [true, []])
        assert.include(texts(result)[0], "no tools in this revision")
      })
  },
  {
    name: "MUST say all that a handler says of the message it wants, and hand it the message with its model",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const reply = { content: text("Yes."), stopReason: "maxTokens" }
        const client = yield* connect(revision, { context: {} }, reply)
        assert.deepStrictEqual(json(yield* client.call("tools/call", { name: "all" })), {
          role: "assistant",
          model: "small-1",
          ...reply,
          content: [reply.content]
        })
        const blocks = [text("What is this?"), { type: "image", data: "AQ==", mimeType: pixel.mimeType }]
        // A request of its own has a token of its own.
        const [{ method, params: { _meta, ...params } } = assert.fail("nothing was asked")] = client.asked
        assert.deepStrictEqual({ method, params }, {
          method: "sampling/createMessage",
          params: {
            ...said,
            messages: [
              // Where a message holds one block, several are as many messages.
              ...(hasTools(revision)
                ? [{ role: "user", content: blocks }]
                : blocks.map((content) => ({ role: "user", content }))),
              { role: "assistant", content: text("A pixel.") },
              { role: "user", content: text("Sure?") }
            ]
          }
        })
      })
  }
]
