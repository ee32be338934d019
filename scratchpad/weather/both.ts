/** One weather server over standard input and output and over HTTP at once. HTTP goes on when the input has ended. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { StreamableHttpServer } from "@mcp-effect/http"
import { McpServer } from "@mcp-effect/server"
import { StdioServer } from "@mcp-effect/stdio"
import { Config, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { createServer } from "node:http"
import { Weather } from "./Tools.ts"

const port = Config.Port("PORT").pipe(Config.withDefault(3000))

const Http = HttpRouter.serve(StreamableHttpServer.layer({ path: "/mcp" })).pipe(
  Layer.provide(NodeHttpServer.layerConfig(createServer, { port, host: Config.succeed("127.0.0.1") }))
)

Layer.merge(StdioServer.layer.pipe(Layer.provide(NodeStdio.layer)), Http).pipe(
  Layer.provide(Weather),
  McpServer.launch,
  NodeRuntime.runMain
)
