/** The official SDK, version 1: the maintenance line, which most published servers still use. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { z } from "zod"
import { ECHO, FILLER, fillers, INFO, PROGRESS, REPORTS } from "./tools.ts"

export const makeServer = (): McpServer => {
  const server = new McpServer(INFO)
  server.registerTool(
    "echo",
    { description: ECHO, inputSchema: { text: z.string() } },
    ({ text }) => ({ content: [{ type: "text", text }] })
  )
  server.registerTool("progress", { description: PROGRESS }, async (extra) => {
    const progressToken = extra._meta?.progressToken ?? 0
    for (let progress = 1; progress <= REPORTS; progress++) {
      await extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress, total: REPORTS }
      })
    }
    return { content: [{ type: "text", text: "done" }] }
  })
  for (const name of fillers) {
    const inputSchema = { text: z.string(), count: z.number() }
    server.registerTool(name, { description: FILLER, inputSchema }, () => ({ content: [] }))
  }
  return server
}
