/**
 * The main job, shown three times: a client and a server in two processes, the same in one process with only the
 * transport replaced, and a public server from npm.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { type ClientTransport, McpClient } from "@mcp-effect/client"
import { InMemory } from "@mcp-effect/memory"
import { ToolResult } from "@mcp-effect/protocol"
import { StdioClient } from "@mcp-effect/stdio"
import { Effect, Fiber, Layer } from "effect"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { client, watch } from "./client.ts"
import { Weather } from "./Tools.ts"

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const overStdio = StdioClient.layer({
  command: process.execPath,
  args: ["--import", "tsx", path("stdio.ts")],
  cwd: path("..")
})

const inMemory = InMemory.layer.pipe(Layer.provide(Weather))

const filesystem = StdioClient.layer({
  command: process.execPath,
  args: [createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/dist/index.js"), path("../..")]
})

const readReadme = Effect.gen(function*() {
  const mcp = yield* McpClient.McpClient
  const { info, revision } = yield* mcp.server
  console.log(`  server: ${info?.name} ${info?.version}, revision ${revision.name}`)
  const result = yield* mcp.callTool("read_text_file", { path: path("../../README.md"), head: 5 })
  console.log(ToolResult.text(result).trimEnd().replaceAll(/^/gm, "  | "))
})

/** Runs a program with a client over a transport, and shows the states of its session from the first to the last. */
const show = <E, E2, R>(
  title: string,
  transport: Layer.Layer<ClientTransport.ClientTransport, E2, R>,
  program: Effect.Effect<void, E, McpClient.McpClient>
) =>
  Effect.gen(function*() {
    console.log(title)
    const states = yield* Effect.scoped(Effect.gen(function*() {
      const context = yield* Layer.build(
        McpClient.layerBackground({ name: "weather-client", version: "1.0.0" }).pipe(Layer.provide(transport))
      )
      const states = yield* Effect.forkChild(Effect.provideContext(watch, context), { startImmediately: true })
      yield* Effect.provideContext(program, context)
      return states
    }))
    yield* Fiber.join(states)
    console.log()
  })

Effect.gen(function*() {
  yield* show("The weather server as a child process:", overStdio, client)
  yield* show("The same in one process; only the transport's layer is another:", inMemory, client)
  yield* show("This repository's README.md, through the public server-filesystem:", filesystem, readReadme)
}).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
