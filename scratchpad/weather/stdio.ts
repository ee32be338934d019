/** The weather server over standard input and output. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { McpServer } from "@mcp-effect/server"
import { StdioServer } from "@mcp-effect/stdio"
import { Layer } from "effect"
import { Weather } from "./Tools.ts"

StdioServer.layer.pipe(
  Layer.provide(Weather),
  Layer.provide(NodeStdio.layer),
  McpServer.launch,
  NodeRuntime.runMain
)
