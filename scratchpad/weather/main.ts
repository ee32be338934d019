/**
 * The main job, shown four times: a client and a server in two processes, the same over HTTP and in memory with only the
 * transport replaced, and a public server from npm.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { type ClientTransport, McpClient } from "@mcp-effect/client"
import { StreamableHttpClient, StreamableHttpServer } from "@mcp-effect/http"
import { InMemory } from "@mcp-effect/memory"
import { ToolResult } from "@mcp-effect/protocol"
import { StdioClient } from "@mcp-effect/stdio"
import { Effect, Fiber, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
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

const served = HttpRouter.serve(StreamableHttpServer.layer({ path: "/mcp" }), {
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provide(Weather),
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
)

const overHttp = Layer.unwrap(
  HttpServer.addressFormattedWith((url) => Effect.succeed(StreamableHttpClient.layer({ url: `${url}/mcp` })))
).pipe(Layer.provide(served), Layer.provide(NodeHttpClient.layerUndici))

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
  yield* show("The same over HTTP; only the transport's layer is another:", overHttp, client)
  yield* show("The same in one process; only the transport's layer is another:", inMemory, client)
  yield* show("This repository's README.md, through the public server-filesystem:", filesystem, readReadme)
}).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
