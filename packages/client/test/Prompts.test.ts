/** Prompts and completions as a client uses them. */
import { assert, describe, it } from "@effect/vitest"
import * as Completion from "@mcp-effect/protocol/Completion"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { logged } from "./log.ts"
import { asked, client, complete, count, eras, refused } from "./opening.ts"
import { text } from "./wire.ts"

const review = Prompt.make("review", {
  arguments: { code: Schema.String, times: Schema.optionalKey(Schema.FiniteFromString) }
})

describe.each(eras)("prompts, %s", (era) => {
  it.effect("MUST be listed, all at once and as they come", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const prompts = [{ name: "review", arguments: [{ name: "code", required: true }] }, { name: "other" }]
      const result = complete({ prompts: [...prompts, { title: "no name" }] })
      assert.deepStrictEqual((yield* asked(server, "prompts/list", mcp.listPrompts(), result)).value, prompts)
      const streamed = yield* asked(server, "prompts/list", Stream.runCollect(mcp.prompts()), result)
      assert.deepStrictEqual(streamed.value, prompts)
    }))

  it.effect("MUST be got by name with texts, and by definition with values", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const result = { description: "D", messages: [{ role: "user", content: text("hello") }] } as const
      const byName = yield* asked(server, "prompts/get", mcp.getPrompt("p", { a: "1" }), complete(result))
      assert.deepStrictEqual([byName.sent.params?.name, byName.sent.params?.arguments], ["p", { a: "1" }])
      assert.deepStrictEqual(byName.value, result)
      const typed = yield* asked(
        server,
        "prompts/get",
        mcp.prompt(review, { code: "x", times: 3 }),
        complete(result)
      )
      assert.deepStrictEqual(typed.sent.params?.arguments, { code: "x", times: "3" })
    }))

  it.effect("MUST fail for what is not there, and for a message that is malformed", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const unknown = { code: -32602, message: "Unknown prompt: p" }
      const missing = yield* refused(server, "prompts/get", mcp.getPrompt("p"), unknown)
      assert.ok(missing._tag === "PromptNotFound" && missing.prompt === "p")
      const { value } = yield* asked(
        server,
        "prompts/get",
        Effect.flip(mcp.getPrompt("p")),
        complete({ messages: [{ role: "system", content: text("x") }] })
      )
      assert.ok(value._tag === "InvalidResult" && value.message.includes("role"))
    }))

  it.effect("MUST NOT be asked for with arguments that do not fit the definition", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const error = yield* Effect.flip(mcp.prompt(review, { code: 7 } as never))
      assert.strictEqual(error._tag, "InvalidParams")
      assert.strictEqual(yield* count(server, "prompts/get"), 0)
    }))
})

describe.each(eras)("completion, %s", (era) => {
  const result = complete({ completion: { values: ["a", "ab"], total: 5, hasMore: true } })

  it.effect("MUST name what is completed, what was typed, and the context", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const item = Resource.template("test://{id}", { name: "item" })
      const prompt = { type: "ref/prompt", name: "review" }
      for (
        const [of, ref] of [
          [review, prompt],
          [Completion.prompt("review"), prompt],
          [item, { type: "ref/resource", uri: "test://{id}" }]
        ] as const
      ) {
        const context = { other: "x" }
        const typed = mcp.complete({ of, argument: "id", value: "a", context })
        const { sent, value } = yield* asked(server, "completion/complete", typed, result)
        assert.deepStrictEqual(value, { values: ["a", "ab"], total: 5, hasMore: true })
        assert.deepStrictEqual(sent.params?.ref, ref)
        assert.deepStrictEqual(sent.params?.argument, { name: "id", value: "a" })
        assert.deepStrictEqual(sent.params?.context, { arguments: context })
      }
      const bare = mcp.complete({ of: review, argument: "code", value: "" })
      assert.notProperty((yield* asked(server, "completion/complete", bare, result)).sent.params, "context")
    }))

  it.effect("MUST drop what is no text with a warning, and fail where there is no list", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { mcp, server } = yield* client(era)
        const typed = mcp.complete({ of: review, argument: "code", value: "" })
        const some = complete({ completion: { values: ["a", 7, null], total: "many" } })
        assert.deepStrictEqual((yield* asked(server, "completion/complete", typed, some)).value, { values: ["a"] })
        assert.lengthOf(lines.filter((line) => line.startsWith("Warn Dropped 2 suggested values")), 1)
        const none = yield* asked(server, "completion/complete", Effect.flip(typed), complete({ completion: [] }))
        assert.strictEqual(none.value._tag, "InvalidResult")
      })
    ))
})
