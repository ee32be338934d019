/** This project: `McpServer` over `StreamableHttpServer`, on the router of `effect/http`. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as StreamableHttpServer from "@mcp-effect/http/StreamableHttpServer"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import { Server } from "../mcpEffect.ts"
import { announced, loopback } from "./listen.ts"

HttpRouter.serve(StreamableHttpServer.layer({ path: "/mcp" }), { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provide(Server),
  Layer.provide(NodeHttpServer.layer(() => announced(createServer()), loopback)),
  McpServer.launch,
  NodeRuntime.runMain
)
