/** Ours, with the platform's layers that are fastest. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as McpClient from "@mcp-effect/client/McpClient"
import * as StreamableHttpClient from "@mcp-effect/http/StreamableHttpClient"
import * as StdioClient from "@mcp-effect/stdio/StdioClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checked, INFO, target, TEXT } from "./driven.ts"
import { driven } from "./effectful.ts"

const transport = target.transport === "stdio"
  ? StdioClient.layer({ command: process.execPath, args: [target.server, "2"] }).pipe(Layer.provide(NodeServices.layer))
  : StreamableHttpClient.layer({ url: target.server }).pipe(Layer.provide(NodeHttpClient.layerUndici))

const program = Effect.gen(function*() {
  const mcp = yield* McpClient.McpClient
  yield* driven(
    Effect.map(
      mcp.callTool("echo", { text: TEXT }),
      ({ content: [first] }) => checked(first?.type === "text" ? first.text : first)
    )
  )
})

await Effect.runPromise(
  Effect.provide(
    program,
    McpClient.layer({ ...INFO, revisions: [target.revision] }).pipe(Layer.provide(transport))
  )
)
