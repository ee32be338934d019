/** A client and servers that break the rules: each is survived, or an error that says what happened. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@mcp-effect/client"
import * as AjvValidator from "@mcp-effect/json-schema/AjvValidator"
import { ToolResult } from "@mcp-effect/protocol"
import { StdioClient } from "@mcp-effect/stdio"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { fileURLToPath } from "node:url"

const rogue = fileURLToPath(new URL("fixtures/rogue.mjs", import.meta.url))

const client = (...args: ReadonlyArray<string>) =>
  McpClient.layerBackground({ name: "test", version: "1.0.0", timeout: "10 seconds" }).pipe(
    Layer.provide(StdioClient.layer({ command: process.execPath, args: [rogue, ...args], exitAfter: "300 millis" })),
    Layer.provide(AjvValidator.layer),
    Layer.provide(NodeServices.layer)
  )

const text = (result: ToolResult.ToolResult) => ToolResult.text(result)

describe("a server that", () => {
  it.live("replies twice MUST be heard once, and serve the next call", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      assert.strictEqual(text(yield* mcp.callTool("twice")), "first")
      assert.strictEqual(text(yield* mcp.callTool("twice")), "first")
    }).pipe(Effect.provide(client("plain"))))

  it.live("replies to what nobody asked, or to nothing, MUST NOT harm the call it serves", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      const outcome = yield* Effect.result(mcp.callTool("strays"))
      // With one request in flight, an error without an id can only be its.
      assert.ok(outcome._tag === "Failure" && outcome.failure._tag === "RemoteError")
      assert.deepInclude(outcome.failure, { code: -32700, message: "What was that?" })
      // With more than one, it is nobody's.
      yield* Effect.forkChild(mcp.callTool("is never answered"))
      yield* mcp.listTools()
      assert.strictEqual(text(yield* mcp.callTool("strays")), "hello")
    }).pipe(Effect.provide(client("plain"))))

  it.live("reports progress after its result MUST NOT have it reported, nor harm the next call", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      const seen: Array<number> = []
      const onProgress = ({ progress }: { readonly progress: number }) => Effect.sync(() => void seen.push(progress))
      for (const _ of [1, 2]) assert.strictEqual(text(yield* mcp.callTool("late", {}, { onProgress })), "hello")
      assert.deepStrictEqual(seen, [1, 1])
    }).pipe(Effect.provide(client("plain"))))

  it.live("sends 50 MB MUST fail that call, which says how much is allowed, and serve the next", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      const error = yield* Effect.flip(mcp.callTool("huge"))
      assert.ok(error._tag === "InvalidResult")
      assert.include(error.message, "larger than 10485760 bytes")
      assert.strictEqual(text(yield* mcp.callTool("twice")), "first")
    }).pipe(Effect.provide(client("plain"))))

  it.live("sends a reply that never ends MUST fail that call, and MUST NOT be held in memory", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      yield* mcp.server
      const before = process.memoryUsage().rss
      const error = yield* Effect.flip(mcp.callTool("endless", {}, { timeout: "2 seconds" }))
      assert.include(["RequestTimeout", "InvalidResult"], error._tag)
      assert.isBelow(process.memoryUsage().rss - before, 300 * 1024 * 1024)
    }).pipe(Effect.provide(client("plain"))))

  it.live("lists tools for ever MUST be given up on", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      const error = yield* Effect.flip(mcp.listTools())
      assert.ok(error._tag === "InvalidResult")
      assert.include(error.message, "more than 100 pages")
    }).pipe(Effect.provide(client("pages"))))

  it.live.each(["https://example.com/schema.json", "#/$defs/missing", "file:///etc/passwd"])(
    "advertises a schema with a reference that cannot be resolved MUST have it named, and never fetched: %s",
    (ref) =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const error = yield* Effect.flip(mcp.callTool("structured"))
        assert.ok(error._tag === "InvalidResult")
        assert.include(error.message, ref)
      }).pipe(Effect.provide(client("refs", ref)))
  )

  it.live("leaves in the middle of a call MUST fail it with how it has ended", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      const error = yield* Effect.flip(mcp.callTool("leaves"))
      assert.ok(error._tag === "ConnectionClosed" && error.processed === "unknown")
      assert.match(error.message, /exited with code 0|closed its standard output/u)
    }).pipe(Effect.provide(client("plain"))))
})
