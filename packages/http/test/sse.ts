/** A server of HTTP+SSE on a real socket, and a client of it in plain `node:http`. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as SseServer from "@mcp-effect/http/SseServer"
import { Principal } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServer } from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { once } from "node:events"
import * as Http from "node:http"

/** Whoever sends the header `x-subject` is that principal. */
export const authenticated = HttpRouter.middleware((handler) =>
  Effect.flatMap(HttpServerRequest, ({ headers }) => {
    const subject = headers["x-subject"]
    return subject === undefined
      ? handler
      : Effect.provideService(handler, Principal.Principal, Principal.make({ subject }))
  })
).layer

export const program = <E>(
  features: Layer.Layer<never, E, McpServer.McpServer>,
  options: SseServer.Options = {},
  node: Http.Server = Http.createServer(),
  prefix?: string
) => {
  const routes = SseServer.layer(options).pipe(Layer.provide(authenticated))
  const prefixed = prefix === undefined
    ? routes
    : Layer.provide(
      routes,
      Layer.effect(HttpRouter.HttpRouter, Effect.map(HttpRouter.HttpRouter, (router) => router.prefixed(prefix)))
    )
  return HttpRouter.serve(prefixed, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(features),
    Layer.provide(McpServer.layer({ name: "sse", version: "1.0.0", declare: ["tools"] })),
    Layer.provideMerge(NodeHttpServer.layer(() => node, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 500 }))
  )
}

/** Serves for as long as the scope is open; yields the port. */
export const serve = <E>(...args: Parameters<typeof program<E>>) =>
  Effect.map(Layer.build(program(...args)), (context) => portOf(Context.get(context, HttpServer)))

export const portOf = ({ address }: HttpServer["Service"]): number =>
  "port" in address && typeof address.port === "number" ? address.port : 0

export interface Event {
  readonly event: string | undefined
  readonly data: string
}

/** An open response. `comments` are the lines of it that say nothing. */
export class Opened {
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  readonly ended: Promise<void>
  readonly comments: Array<string> = []
  text = ""
  private readonly response: Http.IncomingMessage
  private readonly events: Array<Event> = []
  private wake: (() => void) | undefined

  constructor(response: Http.IncomingMessage) {
    this.response = response
    this.status = response.statusCode ?? 0
    this.headers = response.headers
    this.ended = new Promise((resolve) => response.once("close", resolve))
    response.on("error", () => {})
  }

  /** Takes what is sent from now on. */
  read(): this {
    let rest = ""
    this.response.setEncoding("utf8")
    this.response.on("data", (chunk: string) => {
      this.text += chunk
      const frames = (rest + chunk).split("\n\n")
      rest = frames.pop() ?? ""
      for (const frame of frames) this.take(frame)
      this.wake?.()
    })
    return this
  }

  private take(frame: string): void {
    if (frame.startsWith(":")) return void this.comments.push(frame)
    const lines = frame.split("\n")
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    this.events.push({ event: field("event"), data: field("data") ?? "" })
  }

  readonly next = async (): Promise<Event> => {
    while (true) {
      const event = this.events.shift()
      if (event !== undefined) return event
      if (this.response.closed) throw new Error(`The stream has ended after ${JSON.stringify(this.text)}`)
      await Promise.race([new Promise<void>((resolve) => this.wake = resolve), this.ended])
    }
  }

  /** The next message, as JSON. */
  readonly message = async (): Promise<Record<string, unknown>> => {
    const { data, event } = await this.next()
    if (event !== "message") throw new Error(`Not a message: ${event}`)
    return JSON.parse(data)
  }

  readonly pause = (): void => void this.response.pause()

  readonly resume = (): void => void this.response.resume()

  readonly drop = (): void => void this.response.destroy()
}

type Headers = Readonly<Record<string, string>>

/** Sends a request, and yields the response as it begins. */
export const send = async (port: number, method: string, path: string, headers: Headers = {}, body?: string) => {
  const request = Http.request({ host: "127.0.0.1", port, path, method, headers, agent: false })
  request.end(body)
  const [response]: Array<Http.IncomingMessage> = await once(request, "response")
  if (response === undefined) throw new Error("There is no response")
  return new Opened(response)
}

/** Sends a request, and yields the whole response. */
export const ask = async (port: number, method: string, path: string, headers: Headers = {}, body?: string) => {
  const opened = (await send(port, method, path, headers, body)).read()
  await opened.ended
  return opened
}

export const post = (port: number, path: string, body: unknown, headers: Headers = {}) =>
  ask(
    port,
    "POST",
    path,
    { "content-type": "application/json", ...headers },
    typeof body === "string" ? body : JSON.stringify(body)
  )

/** Opens an event stream, and yields it with the path that it names. */
export const open = async (port: number, headers: Headers = {}, path = "/sse") => {
  const stream = (await send(port, "GET", path, { accept: "text/event-stream", ...headers })).read()
  const { data, event } = await stream.next()
  if (event !== "endpoint") throw new Error(`The first event must be "endpoint", but is ${event}`)
  return { stream, endpoint: data, say: (message: unknown) => post(port, data, message, headers) }
}

export type Client = Awaited<ReturnType<typeof open>>

export const initialize = (protocolVersion: string, capabilities: object = {}, id: number | string = 0) => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion, capabilities, clientInfo: { name: "raw", version: "1.0.0" } }
})

export const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }

export const call = (id: number | string, name: string, args: object = {}, meta?: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }
})

/** A client that has shaken hands. */
export const connect = async (
  port: number,
  options: { readonly revision?: string; readonly capabilities?: object; readonly headers?: Headers } = {}
) => {
  const { capabilities, headers, revision = "2024-11-05" } = options
  const client = await open(port, headers)
  await client.say(initialize(revision, capabilities))
  const reply = await client.stream.message()
  if (!("result" in reply)) throw new Error(`The handshake has failed: ${JSON.stringify(reply)}`)
  await client.say(initialized)
  return client
}

/** The `_meta` of a request of the stateless era. */
export const stateless = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}
