/** The rules of completion, for arguments of prompts and variables of templates. */
import { assert } from "@effect/vitest"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Effect from "effect/Effect"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { features, item } from "./offered.ts"

type Params = JsonRpc.Params

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST complete arguments and variables, with those before them, 100 at most",
    features,
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
        assert.strictEqual("completions" in (yield* client.declared), revision.wire.completions)
      })
  }
]
