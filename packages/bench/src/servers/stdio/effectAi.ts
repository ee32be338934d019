/** The MCP server that Effect itself ships, over stdio. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as McpServer from "effect/ai/McpServer"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { options } from "../effectAi.ts"

McpServer.layerStdio(options).pipe(
  Layer.provide(NodeStdio.layer),
  Layer.provide(Layer.succeed(Logger.LogToStderr, true)),
  Layer.launch,
  NodeRuntime.runMain
)
