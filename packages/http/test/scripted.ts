/** A hand-written HTTP server on loopback that says what a test tells it to, and a client connection to it. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { JsonRpc, Meta } from "@mcp-effect/protocol"
import type * as Peer from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as StreamableHttpClient from "../src/StreamableHttpClient.ts"

export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  readonly message: Record<string, unknown> & { readonly params?: Record<string, unknown> }
}

export type Handler = (seen: Seen, response: Http.ServerResponse) => void

export interface Server {
  readonly url: string
  readonly seen: Array<Seen>
  /** Waits for a request that fits. */
  readonly until: (fits: (seen: Seen) => boolean) => Effect.Effect<Seen>
}

const textOf = async (request: Http.IncomingMessage): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

export const serve = (handler: Handler): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen: Array<Seen> = []
      const server = Http.createServer((request, response) => {
        void textOf(request).then((text) => {
          const one: Seen = {
            method: request.method ?? "",
            path: request.url ?? "",
            headers: request.headers,
            message: text === "" ? {} : JSON.parse(text)
          }
          seen.push(one)
          handler(one, response)
        }, () => {})
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const until: Server["until"] = (fits) =>
        Effect.suspend(() => {
          const found = seen.find(fits)
          return found === undefined ? Effect.andThen(Effect.sleep(5), until(fits)) : Effect.succeed(found)
        })
      return { server, seen, until, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` }
    }),
    ({ server }) =>
      Effect.promise(() =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        })
      )
  )

export const json = (response: Http.ServerResponse, value: unknown, status = 200, headers = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(value))
}

export const events = (response: Http.ServerResponse, headers = {}): Http.ServerResponse => {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers })
  response.flushHeaders()
  return response
}

export const event = (value: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`

export const result = ({ message }: Seen, result: unknown): unknown => ({ jsonrpc: "2.0", id: message.id, result })

/** A stateful server with a session, and what else a test wants of it. */
export const stateful = (handler: Handler, version = "2025-11-25"): Handler => (seen, response) => {
  switch (seen.message.method ?? seen.method) {
    case "initialize":
      return json(
        response,
        result(seen, { protocolVersion: version, capabilities: {}, serverInfo: { name: "scripted", version: "1" } }),
        200,
        { "mcp-session-id": "the-session" }
      )
    case "notifications/initialized":
      return void response.writeHead(202).end()
    case "DELETE":
      return void response.writeHead(200).end()
    default:
      handler(seen, response)
  }
}

export const noStream: Handler = (seen, response) => {
  response.writeHead(seen.method === "GET" ? 405 : 202).end()
}

const meta = { [Meta.PROTOCOL_VERSION]: "2026-07-28", [Meta.CLIENT_CAPABILITIES]: {} }

/** A request of the stateless era. */
export const stateless = (id: JsonRpc.Id, method: string, params: JsonRpc.Params = {}): JsonRpc.Request =>
  JsonRpc.request(id, method, Meta.assign(params, meta))

/** What the client was told and asked. */
export interface Heard extends Peer.Peer {
  readonly heard: Array<JsonRpc.Notification>
  readonly asked: Array<JsonRpc.Request>
}

export const hearing = (): Heard => {
  const heard: Array<JsonRpc.Notification> = []
  const asked: Array<JsonRpc.Request> = []
  return {
    heard,
    asked,
    notify: (notification) => Effect.sync(() => void heard.push(notification)),
    request: (request) =>
      Effect.sync(() => {
        asked.push(request)
        return JsonRpc.success(request.id, { answer: 42 })
      })
  }
}

export const clients = [
  ["fetch", FetchHttpClient.layer],
  ["undici", NodeHttpClient.layerUndici]
] as const

export const connect = (url: string, local: Peer.Peer = hearing(), headers = {}) =>
  StreamableHttpClient.connect({ url, headers }, local)

/** Connects and does what a client of a stateful revision begins with. */
export const session = (url: string, local: Peer.Peer = hearing()) =>
  Effect.tap(connect(url, local), (connection) =>
    Effect.gen(function*() {
      yield* connection.request(JsonRpc.request("initialize", "initialize", { protocolVersion: "2025-11-25" }), local)
      yield* connection.notify(JsonRpc.notification("notifications/initialized"))
    }))

export const fork = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Fiber.Fiber<A, E>, never, R> =>
  Effect.forkChild(effect, { startImmediately: true })

export const eventually = (condition: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => condition() ? Effect.void : Effect.andThen(Effect.sleep(5), eventually(condition)))
