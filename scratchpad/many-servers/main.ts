/**
 * Many servers from one configuration: two public ones from npm as child processes, the weather server over HTTP, and one that
 * does not exist, which harms nobody.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { McpClients, ServersConfig } from "@mcp-effect/client"
import { StreamableHttpClient, StreamableHttpServer } from "@mcp-effect/http"
import { ToolResult } from "@mcp-effect/protocol"
import { StdioClient } from "@mcp-effect/stdio"
import { Console, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { Weather } from "../weather/Tools.ts"

const require = createRequire(import.meta.url)
const here = fileURLToPath(new URL(".", import.meta.url))
const node = process.execPath

// As in the configuration files of many applications.
const configuration = (weather: string) => ({
  mcpServers: {
    files: { command: node, args: [require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"), here] },
    everything: { command: node, args: [require.resolve("@modelcontextprotocol/server-everything/dist/index.js")] },
    weather: { url: `${weather}/mcp` },
    missing: { command: "no-such-server" }
  }
})

const program = Effect.gen(function*() {
  const mcp = yield* McpClients.McpClients
  const tools = yield* mcp.listTools()
  for (const server of mcp.clients.keys()) {
    yield* Console.log(`${server}: ${tools.filter((tool) => tool.server === server).length} tools`)
  }
  const call = (name: string, args: Record<string, unknown>) =>
    Effect.flatMap(
      mcp.callTool(name, args),
      (result) => Console.log(`${name}: ${ToolResult.text(result).split("\n")[0]}`)
    )
  yield* call("files__read_text_file", { path: `${here}main.ts`, head: 1 })
  yield* call("everything__echo", { message: "hello" })
  yield* call("weather__get_weather", { city: "Beijing" })
})

const Served = HttpRouter.serve(StreamableHttpServer.layer(), { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provide(Weather),
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
)

const Clients = Layer.unwrap(HttpServer.addressFormattedWith((url) =>
  Effect.map(
    ServersConfig.servers(configuration(url), { stdio: StdioClient.layer, http: StreamableHttpClient.layer }),
    (servers) => McpClients.layer(servers, { name: "many", version: "1.0.0" })
  )
))

program.pipe(
  Effect.provide(Clients.pipe(
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.provide(NodeServices.layer),
    Layer.provide(Served)
  )),
  NodeRuntime.runMain
)
