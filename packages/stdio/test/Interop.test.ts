/** The official clients against our server, and our client against official servers. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@mcp-effect/client"
import { AjvValidator } from "@mcp-effect/json-schema"
import { ToolResult } from "@mcp-effect/protocol"
import { StdioClient } from "@mcp-effect/stdio"
import { Client as ClientV2 } from "@modelcontextprotocol/client"
import { StdioClientTransport as TransportV2 } from "@modelcontextprotocol/client/stdio"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js"
import { CreateMessageRequestSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

const parameters = {
  command: process.execPath,
  args: [fileURLToPath(new URL("fixtures/server.ts", import.meta.url))]
}
const info = { name: "interop", version: "1.0.0" }
const require = createRequire(import.meta.url)

const names = ["add", "count", "echo", "environment", "exit", "poem"]

// What a user and a model say to a server that asks.
const capabilities = { elicitation: { form: {} }, sampling: {} }
const form = { action: "accept" as const, content: { name: "Ada" } }
const message = (
  request: { readonly params: { readonly messages: ReadonlyArray<{ readonly content: unknown }> } }
) => ({
  role: "assistant" as const,
  model: "poet",
  content: { type: "text" as const, text: JSON.stringify(request.params.messages.map(({ content }) => content)) }
})
const poem = [{ type: "text" as const, text: JSON.stringify([{ type: "text", text: "A poem for Ada" }]) }]

describe("the official clients", () => {
  it.each(
    [
      ["legacy", "2025-11-25"],
      ["auto", "2026-07-28"]
    ] as const
  )("version 2 in mode %s MUST list and call our tools, with progress", async (mode, revision) => {
    const client = new ClientV2(info, { versionNegotiation: { mode } })
    await client.connect(new TransportV2(parameters))
    try {
      assert.strictEqual(client.getServerVersion()?.name, "fixture")
      assert.strictEqual(client.getNegotiatedProtocolVersion(), revision)
      const { tools } = await client.listTools()
      assert.deepStrictEqual(tools.map((tool) => tool.name), names)
      const echo = await client.callTool({ name: "echo", arguments: { text: "hello" } })
      assert.deepStrictEqual(echo.content, [{ type: "text", text: "hello" }])
      const add = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } })
      assert.deepStrictEqual(add.structuredContent, { sum: 3 })
      const seen: Array<number> = []
      const count = await client.callTool({ name: "count", arguments: { to: 3 } }, {
        onprogress: ({ progress }) => seen.push(progress)
      })
      assert.deepStrictEqual([count.structuredContent, seen], [{ counted: 3 }, [1, 2, 3]])
      const wrong = await client.callTool({ name: "add", arguments: { a: "one" } })
      assert.strictEqual(wrong.isError, true)
    } finally {
      await client.close()
    }
  })

  it.each(
    [
      ["legacy", "2025-11-25"],
      ["auto", "2026-07-28"]
    ] as const
  )("version 2 in mode %s MUST answer a handler that asks twice", async (mode, revision) => {
    const client = new ClientV2(info, { versionNegotiation: { mode }, capabilities })
    client.setRequestHandler("elicitation/create", () => form)
    client.setRequestHandler("sampling/createMessage", message)
    await client.connect(new TransportV2(parameters))
    try {
      assert.strictEqual(client.getNegotiatedProtocolVersion(), revision)
      const result = await client.callTool({ name: "poem", arguments: {} })
      assert.deepStrictEqual(result.content, poem)
    } finally {
      await client.close()
    }
  })

  it("version 1 MUST answer a handler that asks twice", async () => {
    const client = new ClientV1(info, { capabilities })
    client.setRequestHandler(ElicitRequestSchema, () => form)
    client.setRequestHandler(CreateMessageRequestSchema, message)
    await client.connect(new TransportV1(parameters))
    try {
      assert.deepStrictEqual((await client.callTool({ name: "poem", arguments: {} })).content, poem)
    } finally {
      await client.close()
    }
  })

  it("version 1 MUST list and call our tools, with progress", async () => {
    const client = new ClientV1(info)
    await client.connect(new TransportV1(parameters))
    try {
      const { tools } = await client.listTools()
      assert.deepStrictEqual(tools.map((tool) => tool.name), names)
      const seen: Array<number> = []
      const count = await client.callTool({ name: "count", arguments: { to: 3 } }, undefined, {
        onprogress: ({ progress }) => seen.push(progress)
      })
      assert.deepStrictEqual([count.structuredContent, seen], [{ counted: 3 }, [1, 2, 3]])
      const add = await client.callTool({ name: "add", arguments: { a: 20, b: 22 } })
      assert.deepStrictEqual(add.structuredContent, { sum: 42 })
    } finally {
      await client.close()
    }
  })
})

const client = (script: string, args: ReadonlyArray<string> = []) =>
  McpClient.layer(info).pipe(
    Layer.provide(StdioClient.layer({ command: process.execPath, args: [require.resolve(script), ...args] })),
    Layer.provide(AjvValidator.layer),
    Layer.provide(NodeServices.layer)
  )

describe("our client", () => {
  it.live(
    "MUST list and call the tools of server-everything, with structured output and progress",
    () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const tools = (yield* mcp.listTools()).map((tool) => tool.name)
        assert.includeMembers(tools, ["echo", "get-structured-content", "trigger-long-running-operation"])
        const echo = yield* mcp.callTool("echo", { message: "hello" })
        assert.include(ToolResult.text(echo), "hello")
        const structured = yield* mcp.callTool("get-structured-content", { location: "New York" })
        assert.isObject(structured.structuredContent)
        const seen: Array<number> = []
        yield* mcp.callTool("trigger-long-running-operation", { duration: 0.3, steps: 3 }, {
          onProgress: ({ progress }) => Effect.sync(() => seen.push(progress))
        })
        assert.deepStrictEqual(seen, [1, 2, 3])
      }).pipe(Effect.provide(client("@modelcontextprotocol/server-everything/dist/index.js"))),
    20_000
  )

  it.live("MUST read a file through server-filesystem", () => {
    const directory = fileURLToPath(new URL("fixtures", import.meta.url))
    return Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      assert.include((yield* mcp.listTools()).map((tool) => tool.name), "read_text_file")
      const text = yield* mcp.callTool("read_text_file", { path: `${directory}/server.ts`, head: 1 })
      assert.include(ToolResult.text(text), "A server for tests in other processes")
    }).pipe(
      Effect.provide(client("@modelcontextprotocol/server-filesystem/dist/index.js", [directory]))
    )
  }, 20_000)
})
