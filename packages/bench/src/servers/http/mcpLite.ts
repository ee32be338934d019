/** mcp-lite, with sessions in memory: its `fetch` handler, on `node:http` by as little as that takes. */
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from "mcp-lite"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { z } from "zod"
import { ECHO, INFO, PROGRESS, REPORTS } from "../tools.ts"
import { announced, loopback } from "./listen.ts"

// Sound: all schemas below are made by zod.
const mcp = new McpServer({ ...INFO, schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType) })
mcp.tool("echo", {
  description: ECHO,
  inputSchema: z.object({ text: z.string() }),
  handler: ({ text }) => ({ content: [{ type: "text", text }] })
})
mcp.tool("progress", {
  description: PROGRESS,
  handler: async (_, context) => {
    for (let progress = 1; progress <= REPORTS; progress++) await context.progress?.({ progress, total: REPORTS })
    return { content: [{ type: "text", text: "done" }] }
  }
})

const allowedHosts: Array<string> = []
const handle = new StreamableHttpTransport({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
  allowedHosts
}).bind(mcp)

const read = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => resolve(Buffer.concat(chunks).toString()))
    request.on("error", reject)
  })

const write = async (from: Response, to: ServerResponse): Promise<void> => {
  const headers = Object.fromEntries(from.headers)
  if (from.headers.get("content-type") !== "text/event-stream") {
    const text = await from.text()
    to.writeHead(from.status, { ...headers, "content-length": Buffer.byteLength(text) }).end(text)
    return
  }
  to.writeHead(from.status, headers)
  const reader = from.body?.getReader()
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) to.write(next.value)
  to.end()
}

const server = announced(createServer(async (request, response) => {
  const { headers, method = "GET", url } = request
  const body = method === "POST" ? { body: await read(request) } : undefined
  // Sound: a header that came several times is one text here, but for `set-cookie`, which clients do not send.
  const asked = new Request(`http://${headers.host}${url}`, {
    method,
    headers: headers as Record<string, string>,
    ...body
  })
  await write(await handle(asked), response)
}))

server.listen(loopback, () => {
  const address = server.address()
  if (address !== null && typeof address === "object") allowedHosts.push(`127.0.0.1:${address.port}`)
})
