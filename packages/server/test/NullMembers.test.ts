/** Some clients write `null` for what they leave out: that is no reason to refuse a request. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { serve, speak } from "./client.ts"
import { byPrefix, complete, ofPrompt, whole } from "./completing.ts"

const Greet = Prompt.make("greet", {
  arguments: { name: Schema.optionalKey(Schema.String), tone: Schema.optionalKey(Schema.String) }
})

const greet = McpServer.prompt(Greet, (args) => Effect.succeed(JSON.stringify(args)), { complete: { name: byPrefix } })

describe.each(Revisions.all)("null in $name", ({ name }) => {
  const open = Effect.flatMap(serve(greet), (server) => speak(server, name))

  it.effect("MUST be as good as no cursor", () =>
    Effect.gen(function*() {
      const client = yield* open
      assert.deepStrictEqual(
        yield* client.result("prompts/list", { cursor: null }),
        yield* client.result("prompts/list", {})
      )
    }))

  it.effect("MUST be as good as no arguments, and as no argument", () =>
    Effect.gen(function*() {
      const client = yield* open
      const made = (args: unknown) =>
        Effect.map(client.result("prompts/get", { name: "greet", arguments: args }), ({ messages }) => messages)
      const messages = (args: object) => [{ role: "user", content: { type: "text", text: JSON.stringify(args) } }]
      assert.deepStrictEqual(yield* made(null), messages({}))
      assert.deepStrictEqual(yield* made({ name: "a", tone: null }), messages({ name: "a" }))
      for (const wrong of [[], "a", 1, { name: 1 }]) {
        const { code } = yield* client.error("prompts/get", { name: "greet", arguments: wrong })
        assert.strictEqual(code, JsonRpc.INVALID_PARAMS)
      }
    }))

  it.effect("MUST be as good as no context, title or meta of a completion", () =>
    Effect.gen(function*() {
      const client = yield* open
      for (const more of [{ context: null }, { context: { arguments: null } }]) {
        const params = ofPrompt("greet", { name: "name", value: "ru" }, more)
        assert.deepStrictEqual(
          yield* complete(client, { ...params, ref: { ...params.ref, title: null } }),
          whole(["rust"])
        )
      }
      for (
        const wrong of [{ ref: null }, { argument: null }, { context: 1 }, { context: { arguments: { a: null } } }]
      ) {
        const params = ofPrompt("greet", { name: "name", value: "" }, wrong)
        assert.strictEqual((yield* client.error("completion/complete", params)).code, JsonRpc.INVALID_PARAMS)
      }
    }))
})
