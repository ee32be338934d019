/**
 * The main job, shown three times: a client and a server in two processes, the same in one process with only the
 * transport replaced, and a public server from npm.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { McpClient } from "@mcp-effect/client"
import { InMemory } from "@mcp-effect/memory"
import { ToolResult } from "@mcp-effect/protocol"
import { StdioClient } from "@mcp-effect/stdio"
import { Effect, Layer } from "effect"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { client } from "./client.ts"
import { Weather } from "./Tools.ts"

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const McpClientLive = McpClient.layerBackground({ name: "weather-client", version: "1.0.0" })

const overStdio = StdioClient.layer({
  command: process.execPath,
  args: ["--import", "tsx", path("stdio.ts")],
  cwd: path("..")
})

const inMemory = InMemory.layer.pipe(Layer.provide(Weather))

const readReadme = Effect.gen(function*() {
  const mcp = yield* McpClient.McpClient
  const { info, revision } = yield* mcp.server
  console.log(`  server: ${info?.name} ${info?.version}, revision ${revision.name}`)
  const result = yield* mcp.callTool("read_text_file", { path: path("../../README.md"), head: 5 })
  console.log(ToolResult.text(result).trimEnd().replaceAll(/^/gm, "  | "))
})

const filesystem = StdioClient.layer({
  command: process.execPath,
  args: [createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/dist/index.js"), path("../..")]
})

Effect.gen(function*() {
  console.log("The weather server as a child process:")
  yield* client.pipe(Effect.provide(McpClientLive.pipe(Layer.provide(overStdio))))

  console.log("\nThe same in one process; only the transport's layer is another:")
  yield* client.pipe(Effect.provide(McpClientLive.pipe(Layer.provide(inMemory))))

  console.log("\nThis repository's README.md, through the public server-filesystem:")
  yield* readReadme.pipe(Effect.provide(McpClientLive.pipe(Layer.provide(filesystem))))
}).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
