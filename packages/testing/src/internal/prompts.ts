/** The rules of prompts: listed with their arguments, and made of them. */
import { assert } from "@effect/vitest"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Effect from "effect/Effect"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { features } from "./offered.ts"

type Params = JsonRpc.Params

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST list prompts with their arguments, and get one with typed arguments",
    features,
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
  }
]
