/** What the hand-written server makes of a message, in each era. */
import { randomUUID } from "node:crypto"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { CAPABILITIES, list, type Message, statelessList, textResult, VERSION } from "../floor.ts"
import { INFO, REPORTS } from "../tools.ts"
import { accepted, Events, json, refuse, result } from "./floorReply.ts"

export const STATELESS = "2026-07-28"
const STATEFUL = ["2025-11-25", "2025-06-18"]
const IDLE_MS = 30 * 60_000
const MAX_SESSIONS = 10_000

interface Session {
  readonly version: string
  seen: number
}

const sessions = new Map<string, Session>()

setInterval(() => {
  const since = performance.now() - IDLE_MS
  for (const [id, { seen }] of sessions) if (seen < since) sessions.delete(id)
}, 60_000).unref()

/** DELETE: the client is done with its session. */
export const end = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  if (!sessions.delete(String(headers["mcp-session-id"]))) return refuse(response, 404, "There is no such session")
  response.writeHead(204)
  response.end()
}

export const stateful = (message: Message, { headers }: IncomingMessage, response: ServerResponse): void => {
  const { id, method, params } = message
  if (method === "initialize" && id !== undefined) return open(id, params, response)
  const name = headers["mcp-session-id"]
  if (typeof name !== "string") return refuse(response, 400, "Mcp-Session-Id is missing", { id })
  const session = sessions.get(name)
  if (session === undefined) return refuse(response, 404, "There is no such session", { id })
  const version = headers["mcp-protocol-version"]
  if (version !== undefined && version !== session.version) {
    return refuse(response, 400, `MCP-Protocol-Version must be ${session.version}`, { id })
  }
  session.seen = performance.now()
  if (id === undefined) return accepted(response)
  switch (method) {
    case "ping":
      return result(response, id, {})
    case "tools/list":
      return json(response, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${list}}`)
    case "tools/call":
      return call(id, params, false, response)
    default:
      return refuse(response, 200, "Method not found", { id, code: -32601 })
  }
}

const open = (id: string | number, params: Message["params"], response: ServerResponse): void => {
  if (sessions.size >= MAX_SESSIONS) return refuse(response, 503, "There are too many sessions", { id })
  const asked = params?.protocolVersion
  if (typeof asked !== "string") return refuse(response, 400, "protocolVersion is missing", { id, code: -32602 })
  const version = STATEFUL.includes(asked) ? asked : "2025-11-25"
  const name = randomUUID()
  sessions.set(name, { version, seen: performance.now() })
  response.setHeader("mcp-session-id", name)
  result(response, id, { protocolVersion: version, capabilities: { tools: {} }, serverInfo: INFO })
}

export const stateless = (message: Message, { headers }: IncomingMessage, response: ServerResponse): void => {
  const { id, method, params } = message
  if (id === undefined) return accepted(response)
  const version = params?._meta?.[VERSION]
  if (typeof version !== "string" || typeof params?._meta?.[CAPABILITIES] !== "object") {
    return refuse(response, 400, "_meta must have the version and the capabilities", { id, code: -32602 })
  }
  const mismatch = problemOfHeaders(headers, version, message)
  if (mismatch !== undefined) return refuse(response, 400, `Header mismatch: ${mismatch}`, { id, code: -32020 })
  if (version !== STATELESS) {
    const data = { supported: [STATELESS, ...STATEFUL], requested: version }
    return refuse(response, 400, "Unsupported protocol version", { id, code: -32022, data })
  }
  switch (method) {
    case "server/discover":
      return result(response, id, {
        resultType: "complete",
        supportedVersions: [STATELESS, ...STATEFUL],
        capabilities: { tools: {} },
        ttlMs: 60_000,
        cacheScope: "public",
        _meta: { "io.modelcontextprotocol/serverInfo": INFO }
      })
    case "tools/list":
      return json(response, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${statelessList}}`)
    case "tools/call":
      return call(id, params, true, response)
    default:
      return refuse(response, 404, "Method not found", { id, code: -32601 })
  }
}

const problemOfHeaders = (headers: IncomingHttpHeaders, version: string, message: Message): string | undefined => {
  if (headers["mcp-protocol-version"] !== version) return "MCP-Protocol-Version"
  if (headers["mcp-method"] !== message.method) return "Mcp-Method"
  if (message.method === "tools/call" && decoded(headers["mcp-name"]) !== message.params?.name) return "Mcp-Name"
  return undefined
}

const decoded = (header: string | ReadonlyArray<string> | undefined): string | undefined => {
  if (typeof header !== "string") return undefined
  return header.startsWith("=?base64?") && header.endsWith("?=")
    ? Buffer.from(header.slice(9, -2), "base64").toString()
    : header
}

const call = (id: string | number, params: Message["params"], isStateless: boolean, response: ServerResponse): void => {
  switch (params?.name) {
    case "echo": {
      const text = params.arguments?.text
      return result(
        response,
        id,
        typeof text === "string"
          ? textResult(text, isStateless)
          : { ...textResult("Invalid arguments: text must be a string", isStateless), isError: true }
      )
    }
    case "progress": {
      const progressToken = params._meta?.progressToken
      if (progressToken === undefined) return result(response, id, textResult("done", isStateless))
      return void progress(id, progressToken, isStateless, response)
    }
    default:
      return refuse(response, 200, "Unknown tool", { id, code: -32602 })
  }
}

const progress = async (
  id: string | number,
  progressToken: string | number,
  isStateless: boolean,
  response: ServerResponse
): Promise<void> => {
  const events = new Events(response)
  for (let progress = 1; progress <= REPORTS; progress++) {
    const params = { progressToken, progress, total: REPORTS }
    const more = events.send({ jsonrpc: "2.0", method: "notifications/progress", params })
    if (!more) await events.drained()
    if (events.closed) return
  }
  events.send({ jsonrpc: "2.0", id, result: textResult("done", isStateless) })
  events.end()
}
