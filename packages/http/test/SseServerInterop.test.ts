/** The official client of HTTP+SSE against our server. */
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ToolListChangedNotificationSchema
} from "@modelcontextprotocol/sdk/types.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { mkdtemp, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { features } from "./interopTools.ts"
import * as Sse from "./sse.ts"

const info = { name: "interop", version: "1.0.0" }

const failure = (call: Promise<unknown>): Promise<string> => call.then(() => "none", String)

const withClient = (
  test: (client: Client, interrupted: Promise<void>) => Promise<void>,
  capabilities: ConstructorParameters<typeof Client>[1] = {}
) =>
  Effect.scoped(Effect.gen(function*() {
    const interrupted = yield* Deferred.make<void>()
    const port = yield* Sse.serve(features(Effect.asVoid(Deferred.succeed(interrupted, undefined))))
    const client = new Client(info, capabilities)
    yield* Effect.promise(async () => {
      await client.connect(new SSEClientTransport(new URL(`http://127.0.0.1:${port}/sse`)))
      try {
        await test(client, Effect.runPromise(Deferred.await(interrupted)))
      } finally {
        await client.close()
      }
    })
  }))

describe("the official client, version 1", () => {
  it.live("MUST list and call our tools, with progress", () =>
    withClient(async (client) => {
      assert.strictEqual(client.getServerVersion()?.name, "sse")
      const { tools } = await client.listTools()
      assert.deepStrictEqual(tools.map(({ name }) => name).toSorted(), ["add", "count", "grow", "poem", "wait"])
      const add = await client.callTool({ name: "add", arguments: { a: 20, b: 22 } })
      assert.deepStrictEqual(add.structuredContent, { sum: 42 })
      const seen: Array<number> = []
      const count = await client.callTool({ name: "count", arguments: { to: 3 } }, undefined, {
        onprogress: ({ progress }) => seen.push(progress)
      })
      assert.deepStrictEqual([count.structuredContent, seen], [{ counted: 3 }, [1, 2, 3]])
    }))

  it.live("MUST answer a handler that asks twice", () =>
    withClient(async (client) => {
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }))
      client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
        role: "assistant",
        model: "poet",
        content: { type: "text", text: JSON.stringify(params.messages[0]?.content) }
      }))
      const { content } = await client.callTool({ name: "poem", arguments: {} })
      const text = JSON.stringify({ type: "text", text: "A poem for Ada" })
      assert.deepStrictEqual(content, [{ type: "text", text }])
    }, { capabilities: { elicitation: { form: {} }, sampling: {} } }))

  it.live("MUST interrupt our handler when it aborts a call", () =>
    withClient(async (client, interrupted) => {
      const abort = new AbortController()
      const failed = failure(client.callTool({ name: "wait", arguments: {} }, undefined, { signal: abort.signal }))
      // The call is sent before the ping.
      await client.ping()
      abort.abort("enough")
      await interrupted
      assert.include(await failed, "enough")
    }))

  it.live("MUST interrupt our handler when it closes", () =>
    withClient(async (client, interrupted) => {
      const failed = failure(client.callTool({ name: "wait", arguments: {} }))
      await client.ping()
      await client.close()
      await interrupted
      assert.include(await failed, "Connection closed")
    }))

  it.live("MUST hear of a tool that comes later", () =>
    withClient(async (client) => {
      const changed = new Promise<void>((resolve) =>
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve())
      )
      await client.callTool({ name: "grow", arguments: {} })
      await changed
      assert.include((await client.listTools()).tools.map(({ name }) => name), "later")
    }))
})

describe("mcp-remote", () => {
  it.live(
    "MUST carry a client of standard streams to our server, which may ask it",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const port = yield* Sse.serve(features(Effect.void))
        const manifest = createRequire(import.meta.url).resolve("mcp-remote/package.json")
        const config = yield* Effect.acquireRelease(
          Effect.promise(() => mkdtemp(join(tmpdir(), "mcp-remote-"))),
          (path) => Effect.promise(() => rm(path, { recursive: true }))
        )
        yield* Effect.promise(async () => {
          const client = new Client(info, { capabilities: { elicitation: { form: {} } } })
          client.setRequestHandler(ElicitRequestSchema, () => ({ action: "decline" }))
          await client.connect(
            new StdioClientTransport({
              command: process.execPath,
              args: [
                join(dirname(manifest), "dist/proxy.js"),
                `http://127.0.0.1:${port}/sse`,
                "--transport",
                "sse-only",
                "--allow-http"
              ],
              env: { ...getDefaultEnvironment(), MCP_REMOTE_CONFIG_DIR: config },
              stderr: "ignore"
            })
          )
          try {
            const add = await client.callTool({ name: "add", arguments: { a: 20, b: 22 } })
            assert.deepStrictEqual(add.structuredContent, { sum: 42 })
            const { content } = await client.callTool({ name: "poem", arguments: {} })
            assert.deepStrictEqual(content, [{ type: "text", text: "Decline" }])
          } finally {
            await client.close()
          }
        })
      })),
    30_000
  )
})
