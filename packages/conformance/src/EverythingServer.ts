/**
 * The server that the official conformance suite is run against: it offers all that the suite asks for.
 *
 * Knows no transport, but for the tools that are about HTTP. Tasks and skills are not in it.
 */
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Layer from "effect/Layer"
import { http } from "./everything/http.ts"
import { inputs } from "./everything/inputs.ts"
import { prompts } from "./everything/prompts.ts"
import { resources } from "./everything/resources.ts"
import { tools } from "./everything/tools.ts"

export const layer = Layer.mergeAll(tools, http, inputs, resources, prompts, McpServer.logging({ level: "info" })).pipe(
  Layer.provideMerge(McpServer.layer({ name: "everything", version: "1.0.0" }))
)
