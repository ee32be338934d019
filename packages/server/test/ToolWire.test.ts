/** How a tool and its result are written in each revision. */
import { assert, describe, it } from "@effect/vitest"
import * as Content from "@mcp-effect/protocol/Content"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { serve, speak } from "./client.ts"

const Full = Tool.make("full", {
  title: "A title",
  description: "A description",
  annotations: { readOnlyHint: true },
  icons: [{ src: "https://example.com/icon.png" }],
  meta: { "example.com/key": 1 },
  input: { text: Schema.String },
  output: Schema.Struct({ text: Schema.String })
})
const List = Tool.make("list", { output: Schema.Array(Schema.Int) })
const Nothing = Tool.make("nothing", { output: Schema.Null })
const Rich = Tool.make("rich", {})

const rich: ReadonlyArray<Content.Content> = [
  Content.text("text", { annotations: { audience: ["user"], priority: 0.5 } }),
  Content.image({ data: Uint8Array.of(1, 2, 3), mimeType: "image/png" }),
  Content.audio({ data: "AQID", mimeType: "audio/wav" }),
  Content.resourceLink({ uri: "file:///a.txt", name: "a.txt", title: "A file" }),
  Content.resource({ uri: "file:///b.txt", mimeType: "text/plain", text: "b" })
]

const tools = Layer.mergeAll(
  McpServer.tool(Full, ({ text }) => Effect.succeed({ text })),
  McpServer.tool(List, () => Effect.succeed([1, 2])),
  McpServer.tool(Nothing, () => Effect.succeed(null)),
  McpServer.tool(Rich, () => Effect.succeed(["first", ...rich]))
)

const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] }
const base = { name: "full", description: "A description", inputSchema: input }
const annotated = { ...base, annotations: { readOnlyHint: true } }
const structured = { ...annotated, title: "A title", outputSchema: input, _meta: { "example.com/key": 1 } }
const iconed = { ...structured, icons: [{ src: "https://example.com/icon.png" }] }

const listed: Record<Revision.Name, JsonRpc.Params> = {
  "2024-11-05": base,
  "2025-03-26": annotated,
  "2025-06-18": structured,
  "2025-11-25": iconed,
  "2026-07-28": iconed
}

const listOf = Effect.fnUntraced(function*(name: Revision.Name) {
  const client = yield* speak(yield* serve(tools), name)
  const result = yield* client.result("tools/list")
  return new Map((result.tools as ReadonlyArray<JsonRpc.Params>).map((tool) => [tool.name, tool]))
})

const call = Effect.fnUntraced(function*(revision: Revision.Name, tool: string, args?: JsonRpc.Params) {
  const client = yield* speak(yield* serve(tools), revision)
  const { _meta, resultType: _, ...result } = yield* client.call(tool, args)
  return result
})

describe.each(Revisions.names)("in %s", (revision) => {
  it.effect("a listed tool MUST have the members of the revision and no others", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* listOf(revision)).get("full"), listed[revision])
    }))

  it.effect("a tool without texts MUST be listed by its name and an empty object schema", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* listOf(revision)).get("rich"), { name: "rich", inputSchema: { type: "object" } })
    }))

  it.effect("structured output MUST be there where the revision has it, and its JSON as text everywhere", () =>
    Effect.gen(function*() {
      const content = [{ type: "text", text: "{\"text\":\"hi\"}" }]
      assert.deepStrictEqual(
        yield* call(revision, "full", { text: "hi" }),
        revision < "2025-06-18" ? { content } : { content, structuredContent: { text: "hi" } }
      )
    }))

  it.effect("an output that is no object MUST be structured from 2026-07-28 on, and text before", () =>
    Effect.gen(function*() {
      const any = revision === "2026-07-28"
      const tools = yield* listOf(revision)
      assert.strictEqual("outputSchema" in (tools.get("list") ?? {}), any)
      assert.strictEqual("outputSchema" in (tools.get("nothing") ?? {}), any)
      const list = [{ type: "text", text: "[1,2]" }]
      const nothing = [{ type: "text", text: "null" }]
      assert.deepStrictEqual(
        yield* call(revision, "list"),
        any ? { content: list, structuredContent: [1, 2] } : { content: list }
      )
      assert.deepStrictEqual(
        yield* call(revision, "nothing"),
        any ? { content: nothing, structuredContent: null } : { content: nothing }
      )
    }))

  it.effect("rich content MUST be written as it is, or as the nearest kind that the revision has", () =>
    Effect.gen(function*() {
      const audio = revision < "2025-03-26"
        ? {
          type: "resource",
          resource: { uri: "attachment:audio", mimeType: "audio/wav", blob: "AQID" }
        }
        : { type: "audio", data: "AQID", mimeType: "audio/wav" }
      const link = revision < "2025-06-18"
        ? { type: "text", text: "A file: file:///a.txt" }
        : { type: "resource_link", uri: "file:///a.txt", name: "a.txt", title: "A file" }
      assert.deepStrictEqual(yield* call(revision, "rich"), {
        content: [
          { type: "text", text: "first" },
          { type: "text", text: "text", annotations: { audience: ["user"], priority: 0.5 } },
          { type: "image", data: "AQID", mimeType: "image/png" },
          audio,
          link,
          { type: "resource", resource: { uri: "file:///b.txt", mimeType: "text/plain", text: "b" } }
        ]
      })
    }))

  it.effect("invalid arguments MUST be an error up to 2025-06-18, and a result for the model after", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(tools), revision)
      const params = { name: "full", arguments: { text: 1 } }
      if (revision <= "2025-06-18") {
        const error = yield* client.error("tools/call", params)
        assert.strictEqual(error.code, -32602)
        assert.include(error.message, "\"text\"")
      } else {
        const result = yield* client.result("tools/call", params)
        assert.strictEqual(result.isError, true)
        assert.include(JSON.stringify(result.content), "Invalid arguments for tool full")
      }
    }))

  it.effect.each([{ arguments: [] }, { arguments: "text" }, { arguments: 1 }])(
    "arguments that are no object MUST be an error: %j",
    (args) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(tools), revision)
        const error = yield* client.error("tools/call", { name: "full", ...args })
        assert.strictEqual(error.code, -32602)
        assert.include(error.message, "\"arguments\"")
      })
  )

  it.effect.each([undefined, 1, null, ["full"]])(
    "a call of the tool named %j MUST be answered with -32602",
    (name) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(tools), revision)
        const error = yield* client.error("tools/call", { name, arguments: {} })
        assert.strictEqual(error.code, -32602)
        assert.include(error.message, "\"name\"")
      })
  )
})

describe("Tool.reply", () => {
  const Output = Tool.make("output", { output: Schema.Struct({ n: Schema.Int }) })
  const Plain = Tool.make("plain", {})
  const replies = Layer.mergeAll(
    McpServer.tool(
      Output,
      () =>
        Effect.succeed(
          Tool.reply({ output: { n: 1 }, content: [Content.text("before")], meta: { "example.com/m": 1 } })
        )
    ),
    McpServer.tool(Plain, () => Effect.succeed(Tool.reply({ content: [Content.text("only")], meta: { x: [1] } })))
  )

  it.effect("MUST put its content before the JSON of the output, and its meta into the result", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(replies), "2025-11-25")
      assert.deepStrictEqual(yield* client.call("output"), {
        content: [{ type: "text", text: "before" }, { type: "text", text: "{\"n\":1}" }],
        structuredContent: { n: 1 },
        _meta: { "example.com/m": 1 }
      })
      assert.deepStrictEqual(yield* client.call("plain"), {
        content: [{ type: "text", text: "only" }],
        _meta: { x: [1] }
      })
    }))

  it.effect("MUST keep its meta beside what the stateless era adds", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(replies), "2026-07-28")
      assert.deepStrictEqual((yield* client.call("plain"))._meta, {
        x: [1],
        "io.modelcontextprotocol/serverInfo": { name: "test", version: "1.0.0" }
      })
    }))
})

describe("a tool without an output schema", () => {
  const returns = (value: string | Content.Content | ReadonlyArray<string | Content.Content> | void) =>
    Effect.gen(function*() {
      const server = yield* serve(McpServer.tool(Tool.make("any", {}), () => Effect.succeed(value)))
      return (yield* (yield* speak(server, "2025-11-25")).call("any")).content
    })

  it.effect("MAY return nothing, text, one piece of content, or several", () =>
    Effect.gen(function*() {
      const a = Content.text("a")
      assert.deepStrictEqual(yield* returns(undefined), [])
      assert.deepStrictEqual(yield* returns([]), [])
      assert.deepStrictEqual(yield* returns("a"), [a])
      assert.deepStrictEqual(yield* returns(""), [Content.text("")])
      assert.deepStrictEqual(yield* returns(a), [a])
      assert.deepStrictEqual(yield* returns(["a", a]), [a, a])
    }))
})
