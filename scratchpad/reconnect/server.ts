/** A server that says which process it is. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { McpServer } from "@mcp-effect/server"
import { StdioServer } from "@mcp-effect/stdio"
import { Effect, Layer } from "effect"
import { Pid } from "./Pid.ts"

StdioServer.layer.pipe(
  Layer.provide(McpServer.tool(Pid, () => Effect.succeed({ pid: process.pid }))),
  Layer.provide(McpServer.layer({ name: "mortal", version: "1.0.0" })),
  Layer.provide(NodeStdio.layer),
  McpServer.launch,
  NodeRuntime.runMain
)
