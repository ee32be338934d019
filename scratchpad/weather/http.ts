/** The weather server over HTTP, at http://127.0.0.1:3000/mcp; `PORT` sets another port. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { StreamableHttpServer } from "@mcp-effect/http"
import { McpServer } from "@mcp-effect/server"
import { Config, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { createServer } from "node:http"
import { Weather } from "./Tools.ts"

const port = Config.Port("PORT").pipe(Config.withDefault(3000))

HttpRouter.serve(StreamableHttpServer.layer({ path: "/mcp" })).pipe(
  Layer.provide(Weather),
  Layer.provide(NodeHttpServer.layerConfig(createServer, { port, host: Config.succeed("127.0.0.1") })),
  McpServer.launch,
  NodeRuntime.runMain
)
