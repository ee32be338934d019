/** This project: `McpServer` over `StdioServer`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as StdioServer from "@mcp-effect/stdio/StdioServer"
import * as Layer from "effect/Layer"
import { Server } from "../mcpEffect.ts"

StdioServer.layer.pipe(
  Layer.provide(Server),
  Layer.provide(NodeStdio.layer),
  McpServer.launch,
  NodeRuntime.runMain
)
