/** The official SDK, version 1, over Streamable HTTP: a transport and a server for each session, as in its examples. */
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { makeServer } from "../officialV1.ts"
import { announced, loopback } from "./listen.ts"

const sessions = new Map<string, StreamableHTTPServerTransport>()
const allowedHosts: Array<string> = []

const open = async (): Promise<StreamableHTTPServerTransport> => {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
    enableDnsRebindingProtection: true,
    allowedHosts
  })
  await makeServer().connect(transport)
  return transport
}

const server = announced(createServer(async (request, response) => {
  const id = request.headers["mcp-session-id"]
  // A transport without a session refuses all but `initialize`.
  const transport = typeof id === "string" ? sessions.get(id) : await open()
  if (transport !== undefined) return transport.handleRequest(request, response)
  response.writeHead(404).end()
}))

server.listen(loopback, () => {
  const address = server.address()
  if (address !== null && typeof address === "object") allowedHosts.push(`127.0.0.1:${address.port}`)
})
