/** The tools of a server as a language model calls them. */
import { assert, describe, it } from "@effect/vitest"
import * as ToolkitBridge from "@mcp-effect/client/ToolkitBridge"
import * as McpError from "@mcp-effect/protocol/McpError"
import type { ToolResult } from "@mcp-effect/protocol/ToolResult"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as AiTool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { text } from "./wire.ts"

const listed = (name: string, more?: object) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: "object", properties: { n: { type: "number" } } },
  ...more
})

const results: Record<string, ToolResult> = {
  plain: { content: [text("hello")] },
  structured: { content: [], structuredContent: { sum: 3 } },
  failing: { content: [text("There is no such city")], isError: true },
  rich: {
    content: [
      { type: "image", data: "AA==", mimeType: "image/png" },
      { type: "resource", resource: { uri: "u:1", text: "inside" } },
      { type: "resource_link", uri: "u:2", name: "two" }
    ]
  }
}

const calls: Array<unknown> = []

const source: ToolkitBridge.Source = {
  listTools: () =>
    Effect.succeed([
      listed("plain", { title: "Plain", annotations: { readOnlyHint: true } }),
      listed("structured"),
      listed("failing"),
      listed("rich"),
      listed("lost"),
      listed("with.dots")
    ]),
  callTool: (name, args, options) =>
    Effect.gen(function*() {
      calls.push([name, args])
      yield* options?.onProgress?.({ progress: 1, total: 2 }) ?? Effect.void
      const result = results[name] ?? { content: [text(name)] }
      if (name === "lost") return yield* new McpError.ConnectionClosed({ processed: "unknown", message: "It is gone" })
      return result
    })
}

const calling = (name: string, args: unknown = { n: 1 }) =>
  Effect.gen(function*() {
    const { handle, tools } = yield* ToolkitBridge.make(source)
    assert.isTrue(Object.hasOwn(tools, name))
    return yield* Stream.runCollect(yield* handle(name, args))
  })

describe("ToolkitBridge.make", () => {
  it.effect("MUST describe tools as the server does, with hints", () =>
    Effect.gen(function*() {
      const { tools } = yield* ToolkitBridge.make(source)
      const { plain, structured } = tools
      assert.ok(plain !== undefined && structured !== undefined)
      assert.strictEqual(AiTool.getDescription(plain), "Does plain")
      assert.deepStrictEqual(AiTool.getJsonSchema(plain), { type: "object", properties: { n: { type: "number" } } })
      assert.strictEqual(Context.get(plain.annotations, AiTool.Readonly), true)
      assert.strictEqual(Context.get(structured.annotations, AiTool.Readonly), false)
    }))

  it.effect("MUST give tools names that models take, and call them by their own", () =>
    Effect.gen(function*() {
      const { tools } = yield* ToolkitBridge.make(source)
      const name = Object.keys(tools).find((name) => name.startsWith("with"))
      assert.match(name ?? "", /^with_dots_[0-9a-f]{8}$/u)
      yield* calling(name ?? "", { a: 1 })
      assert.deepStrictEqual(calls.at(-1), ["with.dots", { a: 1 }])
    }))

  it.effect.each([
    { name: "plain", output: [{ type: "text", text: "hello" }] },
    { name: "structured", output: [{ type: "text", text: "{\"sum\":3}" }] },
    {
      name: "rich",
      output: [
        { type: "file", mediaType: "image/png", data: "AA==" },
        { type: "text", text: "inside" },
        { type: "text", text: "two: u:2" }
      ]
    }
  ])("MUST show the model what a tool returns: $name", ({ name, output }) =>
    Effect.gen(function*() {
      const [progress, last] = yield* calling(name)
      assert.isTrue(progress?.preliminary)
      assert.deepStrictEqual(progress?.encodedResult, { content: [text("1 of 2")] })
      assert.isFalse(last?.preliminary)
      assert.deepStrictEqual(last?.encodedResult, results[name])
      const parts: unknown = last?.modelOutput?.map((part) =>
        part.type === "text"
          ? { type: part.type, text: part.text }
          : { type: part.type, mediaType: part.mediaType, data: part.data }
      )
      assert.deepStrictEqual(parts, output)
    }))

  it.effect.each([
    { name: "failing", says: "There is no such city" },
    { name: "lost", says: "ConnectionClosed: It is gone" }
  ])("MUST let the model read what went wrong: $name", ({ name, says }) =>
    Effect.gen(function*() {
      const last = (yield* calling(name)).at(-1)
      assert.isTrue(last?.isFailure)
      assert.strictEqual(last?.encodedResult, says)
    }))

  it.effect("MUST offer only what is selected, and ask for approval where that is wanted", () =>
    Effect.gen(function*() {
      const { tools } = yield* ToolkitBridge.make(source, {
        select: ({ name }) => name === "plain" || name === "structured",
        needsApproval: ({ annotations }) => annotations?.readOnlyHint !== true
      })
      assert.deepStrictEqual(
        Object.values(tools).map(({ name, needsApproval }) => [name, needsApproval]),
        [["plain", false], ["structured", true]]
      )
    }))

  it.effect("MUST serve a language model", () =>
    Effect.gen(function*() {
      const model = yield* LanguageModel.make({
        generateText: () => Effect.succeed([{ type: "tool-call" as const, id: "1", name: "plain", params: { n: 2 } }]),
        streamText: () => Stream.empty
      })
      const toolkit = yield* ToolkitBridge.make(source)
      const response = yield* model.generateText({ prompt: "Do it", toolkit })
      assert.deepStrictEqual(calls.at(-1), ["plain", { n: 2 }])
      assert.deepStrictEqual(response.toolResults.map(({ encodedResult }) => encodedResult), [results.plain])
    }))
})
