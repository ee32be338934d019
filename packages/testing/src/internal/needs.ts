/** The rules of what a client must have declared: who lacks it is told so before anything runs. */
import { assert } from "@effect/vitest"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"

const needs = { sampling: { tools: {} }, roots: {} }

const requests = [
  ["tools/call", { name: "needy" }],
  ["prompts/get", { name: "needy" }],
  ["resources/read", { uri: "test://needy" }],
  ["resources/read", { uri: "needy://1" }]
] as const

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST refuse what needs more than the client declared, say what that is, and run none of it",
    // Sessions are told of what there is when they begin.
    options: { declare: ["tools", "prompts", "resources"] },
    test: (revision) =>
      Effect.gen(function*() {
        let ran = 0
        const run = () => Effect.sync(() => `ran ${++ran}`)
        yield* McpServer.addTool(Tool.make("needy", { needs }), run)
        yield* McpServer.addPrompt(Prompt.make("needy", { needs }), run)
        yield* McpServer.addResource(Resource.make({ uri: "test://needy", name: "needy", needs }), run)
        yield* McpServer.addResourceTemplate(Resource.template("needy://{id}", { name: "needies", needs }), run)
        const lacking = [
          [{}, needs],
          [{ sampling: {}, roots: {} }, { sampling: needs.sampling }],
          [{ sampling: { tools: {} } }, { roots: {} }]
        ] as const
        for (const [capabilities, requiredCapabilities] of lacking) {
          const client = yield* RawClient.connect(revision.name, { capabilities })
          for (const [method, params] of requests) {
            const error = yield* client.error(method, params)
            assert.strictEqual(error.code, revision.wire.missingCapability, method)
            assert.deepStrictEqual(error.data, { requiredCapabilities })
          }
        }
        assert.strictEqual(ran, 0)
        const client = yield* RawClient.connect(revision.name, { capabilities: needs })
        for (const [method, params] of requests) yield* client.result(method, params)
        assert.strictEqual(ran, requests.length)
      })
  }
]
