/** The official SDK, version 2: the server, without a transport. */
import { McpServer } from "@modelcontextprotocol/server"
import { z } from "zod"
import { ECHO, FILLER, fillers, INFO, PROGRESS, REPORTS } from "./tools.ts"

export const makeServer = (): McpServer => {
  const server = new McpServer(INFO, { capabilities: { tools: {} } })
  server.registerTool(
    "echo",
    { description: ECHO, inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({ content: [{ type: "text", text }] })
  )
  server.registerTool("progress", { description: PROGRESS }, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken ?? 0
    for (let progress = 1; progress <= REPORTS; progress++) {
      await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: REPORTS } })
    }
    return { content: [{ type: "text", text: "done" }] }
  })
  for (const name of fillers) {
    const inputSchema = z.object({ text: z.string(), count: z.number() })
    server.registerTool(name, { description: FILLER, inputSchema }, () => ({ content: [] }))
  }
  return server
}
