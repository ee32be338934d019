/** The MCP server that Effect itself ships, over Streamable HTTP. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as McpServer from "effect/ai/McpServer"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { createServer } from "node:http"
import { options } from "../effectAi.ts"
import { announced, loopback } from "./listen.ts"

HttpRouter.serve(McpServer.layerHttp({ ...options, path: "/mcp" }), { disableLogger: true, disableListenLog: true })
  .pipe(
    Layer.provide(NodeHttpServer.layer(() => announced(createServer()), loopback)),
    Layer.provide(Layer.succeed(Logger.LogToStderr, true)),
    Layer.launch,
    NodeRuntime.runMain
  )
