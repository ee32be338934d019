/**
 * The floor: both eras on `node:http`, written by hand for these tools only, with no framework. It checks what a correct
 * server must, reads a body within a bound, keeps sessions, and streams where there is something to stream; it has no
 * stream of a session's own and no replay, which are optional.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { isStateless, type Message } from "../floor.ts"
import * as Floor from "./floorEras.ts"
import { refuse } from "./floorReply.ts"
import { announced, loopback } from "./listen.ts"

const MAX_BYTES = 4 * 1024 * 1024
const hosts = new Set<string | undefined>()

const server = announced(createServer((request, response) => {
  const { headers, method } = request
  if (!hosts.has(headers.host)) return refuse(response, 403, "The host is not allowed")
  if (headers.origin !== undefined && !isOrigin(headers.origin)) {
    return refuse(response, 403, "The origin is not allowed")
  }
  if (request.url !== "/mcp") return refuse(response, 404, "There is nothing here")
  if (method === "DELETE") return Floor.end(request, response)
  if (method !== "POST") {
    response.setHeader("allow", "POST, DELETE")
    return refuse(response, 405, "The method must be POST or DELETE")
  }
  if (!isJson(headers["content-type"])) return refuse(response, 415, "Content-Type must be application/json")
  if (!acceptsBoth(headers.accept)) {
    return refuse(response, 406, "Accept must list both application/json and text/event-stream")
  }
  read(request, response)
}))

server.listen(loopback, () => {
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  for (const name of ["127.0.0.1", "localhost", "[::1]"]) hosts.add(`${name}:${port}`)
})

const isOrigin = (origin: string): boolean => URL.canParse(origin) && hosts.has(new URL(origin).host)

const isJson = (type: string | undefined): boolean =>
  type === "application/json" || type?.split(";", 1)[0]?.trim().toLowerCase() === "application/json"

const acceptsBoth = (accept: string | undefined): boolean =>
  accept !== undefined && (accept.includes("application/json") && accept.includes("text/event-stream"))

// `node:http` itself bounds the time that a request may take.
const read = (request: IncomingMessage, response: ServerResponse): void => {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BYTES) return tooLarge(response)
  const chunks: Array<Buffer> = []
  let bytes = 0
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= MAX_BYTES) chunks.push(chunk)
    else if (!response.headersSent) tooLarge(response)
  })
  request.on("end", () => {
    const [first] = chunks
    if (bytes > MAX_BYTES) return
    answer((chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)).toString(), request, response)
  })
}

const tooLarge = (response: ServerResponse): void => {
  response.setHeader("connection", "close")
  refuse(response, 413, `The message is larger than ${MAX_BYTES} bytes`)
}

const answer = (text: string, request: IncomingMessage, response: ServerResponse): void => {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return refuse(response, 400, "The message is no JSON", { code: -32700 })
  }
  if (!isMessage(message)) return refuse(response, 400, "The message is no request and no notification")
  return isStateless(message.params) || request.headers["mcp-protocol-version"] === Floor.STATELESS
    ? Floor.stateless(message, request, response)
    : Floor.stateful(message, request, response)
}

const isMessage = (value: unknown): value is Message => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  // Sound: an object, whose members are looked at before they are used.
  const { id, jsonrpc, method, params } = value as Record<string, unknown>
  return jsonrpc === "2.0" && typeof method === "string" &&
    (id === undefined || typeof id === "string" || typeof id === "number") &&
    (params === undefined || (typeof params === "object" && params !== null))
}
