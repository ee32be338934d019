/** What a client must have declared, and what a revision must have, for a handler to run or to ask. */
import { assert, describe, it } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Sampling from "@mcp-effect/protocol/Sampling"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { serve, speak } from "./client.ts"

const form = Elicitation.form({ message: "Who?", fields: { name: Schema.String } })
const url = Elicitation.url({ message: "Pay", url: "https://example.com/" })
const poem = Sampling.make({ messages: "A poem", maxTokens: 10 })

const asking = (name: string, ask: Effect.Effect<unknown, ClientInput.InputError>) =>
  McpServer.tool(Tool.make(name), () => Effect.as(ask, "done"))

const tools = Layer.mergeAll(
  asking("form", ClientInput.elicit(form)),
  asking("url", ClientInput.elicit(url)),
  asking("poem", ClientInput.sample(poem)),
  asking("roots", ClientInput.roots()),
  McpServer.tool(Tool.make("agent", { needs: { sampling: { tools: {} } } }), () => Effect.die("it ran")),
  McpServer.tool(Tool.make("needy", { needs: { elicitation: { form: {} }, roots: {} } }), () => Effect.die("it ran"))
)

const refused = (revision: Revision.Name, name: string, capabilities: JsonRpc.Params) =>
  Effect.gen(function*() {
    const client = yield* speak(yield* serve(tools), revision, capabilities)
    const { data, message } = yield* client.error("tools/call", { name })
    return [message, (data as { readonly requiredCapabilities: unknown }).requiredCapabilities] as const
  })

describe.each(["2024-11-05", "2025-03-26"] as const)("in %s", (revision) => {
  it.effect.each([{}, { elicitation: {} }, { elicitation: { form: {}, url: {} } }])(
    "elicitation MUST be refused as what the revision has not, with what was asked for: %j was declared",
    (capabilities) =>
      Effect.gen(function*() {
        const message = `tools/call needs elicitation, and revision ${revision} of the protocol has no elicitation`
        assert.deepStrictEqual(yield* refused(revision, "form", capabilities), [
          message,
          { elicitation: { form: {} } }
        ])
        assert.deepStrictEqual(yield* refused(revision, "url", capabilities), [message, { elicitation: { url: {} } }])
      })
  )

  it.effect("a tool that needs elicitation MUST be refused before it runs, whatever was declared", () =>
    Effect.gen(function*() {
      const [message, required] = yield* refused(revision, "needy", { elicitation: { form: {} }, roots: {} })
      assert.include(message, `The tool needy needs elicitation, and revision ${revision}`)
      assert.deepStrictEqual(required, { elicitation: { form: {} } })
    }))

  it.effect("what every revision has MUST be refused as what the client did not declare", () =>
    Effect.gen(function*() {
      const said = "tools/call needs capabilities that the client did not declare: "
      assert.deepStrictEqual(yield* refused(revision, "poem", {}), [`${said}sampling`, { sampling: {} }])
      assert.deepStrictEqual(yield* refused(revision, "roots", {}), [`${said}roots`, { roots: {} }])
    }))
})

describe.each(["2025-06-18", "2025-11-25", "2026-07-28"] as const)("in %s", (revision) => {
  it.effect("what the revision has MUST be refused as what the client did not declare, and what it has not, as that", () =>
    Effect.gen(function*() {
      const undeclared = (name: string) => `needs capabilities that the client did not declare: ${name}`
      const unsaid = (name: string) =>
        revision === "2025-06-18"
          ? `needs ${name}, and revision 2025-06-18 of the protocol has no ${name}`
          : undeclared(name)
      for (
        const [tool, message, required] of [
          ["form", `tools/call ${undeclared("elicitation.form")}`, { elicitation: { form: {} } }],
          ["url", `tools/call ${unsaid("elicitation.url")}`, { elicitation: { url: {} } }],
          ["agent", `The tool agent ${unsaid("sampling.tools")}`, { sampling: { tools: {} } }]
        ] as const
      ) assert.deepStrictEqual(yield* refused(revision, tool, { sampling: {} }), [message, required])
    }))
})
