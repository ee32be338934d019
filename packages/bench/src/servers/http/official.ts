/**
 * The official SDK, version 2, over Streamable HTTP: its handler for 2026-07-28, and beside it, as it documents, a transport
 * and a server for each session of the older revisions.
 */
import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeIncomingMessageLike,
  toNodeHandler
} from "@modelcontextprotocol/node"
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { createServer } from "node:http"
import { makeServer } from "../official.ts"
import { announced, loopback } from "./listen.ts"

const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id)
  })
  await makeServer().connect(transport)
  return transport
}

const modern = createMcpHandler(makeServer, { legacy: "reject" })

const handler = toNodeHandler({
  fetch: async (request) => {
    const id = request.headers.get("mcp-session-id")
    if (id !== null) return sessions.get(id)?.handleRequest(request) ?? new Response(null, { status: 404 })
    // Parsed once, which is the faster of the two ways that it has.
    const parsedBody = await request.json().catch(() => undefined)
    if (!await isLegacyRequest(request, parsedBody)) return modern.fetch(request, { parsedBody })
    // A transport without a session refuses all but `initialize`.
    return (await open()).handleRequest(request, { parsedBody })
  }
})

const isHost = localhostHostValidation()
const isOrigin = localhostOriginValidation()

announced(createServer((request, response) => {
  // Sound: the two differ in whether a member that is not there may be `undefined`.
  if (isHost(request, response) && isOrigin(request, response)) {
    void handler(request as NodeIncomingMessageLike, response)
  }
})).listen(loopback)
