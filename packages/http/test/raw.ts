/** A client of Streamable HTTP in plain `node:http`, whose connections are kept and counted. */
import { once } from "node:events"
import * as Http from "node:http"
import * as Sse from "./sse.ts"

export const stateful = "2025-11-25"

export const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

type Headers = Readonly<Record<string, string>>

/** Sends a request, and yields the response as it begins. */
export const send = async (
  port: number,
  method: string,
  options: { readonly agent?: Http.Agent; readonly headers?: Headers; readonly body?: unknown } = {}
): Promise<Sse.Opened> => {
  const { agent = false, body, headers = {} } = options
  const request = Http.request({ host: "127.0.0.1", port, path: "/mcp", method, headers, agent })
  request.end(body === undefined ? undefined : JSON.stringify(body))
  const [response]: Array<Http.IncomingMessage> = await once(request, "response")
  if (response === undefined) throw new Error("There is no response")
  return new Sse.Opened(response).read()
}

/** A request of the stateless era, with the headers that mirror it. */
export const stateless = (
  id: number | string,
  method: string,
  params: Readonly<Record<string, unknown>>,
  token?: string
) => ({
  headers: {
    ...json,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof params.name === "string" ? { "mcp-name": params.name } : {})
  },
  body: {
    jsonrpc: "2.0",
    id,
    method,
    params: { ...params, _meta: { ...Sse.stateless, ...(token === undefined ? {} : { progressToken: token }) } }
  }
})

/** Opens a session, and yields the headers that name it. */
export const open = async (port: number, agent?: Http.Agent): Promise<Headers> => {
  const options = agent === undefined ? {} : { agent }
  const opened = await send(port, "POST", { ...options, headers: json, body: Sse.initialize(stateful) })
  await opened.ended
  const headers = {
    ...json,
    "mcp-protocol-version": stateful,
    "mcp-session-id": String(opened.headers["mcp-session-id"])
  }
  const initialized = await send(port, "POST", { ...options, headers, body: Sse.initialized })
  await initialized.ended
  return headers
}
