/** The tools of the suite that are about HTTP: a stream that is closed and come back for, a header that mirrors an argument. */
import * as StreamableHttpServer from "@mcp-effect/http/StreamableHttpServer"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const http = Layer.mergeAll(
  McpServer.tool(
    Tool.make("test_reconnection", { description: "Closes its stream before it answers" }),
    () =>
      Effect.gen(function*() {
        yield* StreamableHttpServer.disconnect({ retry: "500 millis" })
        yield* Effect.sleep("100 millis")
        return "Reconnection test completed"
      })
  ),
  McpServer.tool(
    Tool.dynamic("test_header", {
      description: "Has an argument that a header mirrors",
      inputSchema: {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" } },
        required: ["region"]
      }
    }),
    () => Effect.succeed("Header evaluated")
  )
)
