/**
 * A server of Streamable HTTP without sockets, under the clock of the test, and a client of it in plain web requests.
 */
import { assert } from "@effect/vitest"
import { Limits, Principal } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as EventStore from "../src/EventStore.ts"
import * as SessionStore from "../src/SessionStore.ts"
import * as StreamableHttpServer from "../src/StreamableHttpServer.ts"

export type Json = Readonly<Record<string, unknown>>
type Headers = Readonly<Record<string, string>>

/** Whoever sends the header `x-subject` is that principal. */
export const authenticated = HttpRouter.middleware((handler) =>
  Effect.flatMap(HttpServerRequest, ({ headers }) => {
    const subject = headers["x-subject"]
    return subject === undefined
      ? handler
      : Effect.provideService(handler, Principal.Principal, Principal.make({ subject }))
  })
).layer

export interface Event {
  readonly id: string | undefined
  readonly retry: string | undefined
  readonly event: string | undefined
  readonly data: string | undefined
}

const field = (frame: string, name: string): string | undefined => {
  const line = frame.split("\n").find((line) => line.startsWith(`${name}:`))
  return line?.slice(name.length + 1).trimStart()
}

/** A response, read as it comes. */
export class Opened {
  readonly response: Response
  readonly comments: Array<string> = []
  /** All ids so far. */
  readonly ids: Array<string> = []
  private readonly controller: AbortController
  private readonly events: Array<Event> = []
  private readonly decoder = new TextDecoder()
  private source: ReadableStreamDefaultReader<Uint8Array> | undefined
  private rest = ""
  private ended = false

  constructor(response: Response, controller: AbortController) {
    this.response = response
    this.controller = controller
  }

  get status(): number {
    return this.response.status
  }

  get isStream(): boolean {
    return this.response.headers.get("content-type")?.startsWith("text/event-stream") === true
  }

  /** The body as JSON. */
  readonly json: Effect.Effect<Json> = Effect.promise(async () => JSON.parse(await this.response.text()))

  /** The next event; `undefined`: the stream has ended. */
  readonly next: Effect.Effect<Event | undefined> = Effect.promise(async () => {
    assert.isTrue(this.isStream, `no event stream, but ${this.status}`)
    while (this.events.length === 0 && !this.ended) await this.pull()
    return this.events.shift()
  })

  /** The next event that is a message. */
  readonly message: Effect.Effect<Json> = Effect.map(
    Effect.repeat(this.next, { until: (event) => event === undefined || event.event === "message" }),
    (event) => {
      if (event?.data === undefined) throw new Error("The stream has ended without another message")
      return JSON.parse(event.data)
    }
  )

  /** All other messages, when the stream has ended. */
  readonly remaining: Effect.Effect<ReadonlyArray<Json>> = Effect.gen({ self: this }, function*() {
    const messages: Array<Json> = []
    while (true) {
      const event = yield* this.next
      if (event === undefined) return messages
      if (event.event === "message") messages.push(JSON.parse(event.data ?? ""))
    }
  })

  /** The connection is lost. */
  readonly drop: Effect.Effect<void> = Effect.andThen(
    Effect.sync(() => this.controller.abort()),
    Effect.suspend(() => settle)
  )

  private async pull(): Promise<void> {
    this.source ??= this.response.body?.getReader()
    const chunk = await this.source?.read().catch(() => undefined)
    if (chunk?.value === undefined) {
      this.ended = true
      return
    }
    const frames = (this.rest + this.decoder.decode(chunk.value, { stream: true })).split("\n\n")
    this.rest = frames.pop() ?? ""
    for (const frame of frames) this.take(frame)
  }

  private take(frame: string): void {
    if (frame.startsWith(":")) return void this.comments.push(frame)
    const id = field(frame, "id")
    if (id !== undefined) this.ids.push(id)
    this.events.push({ id, retry: field(frame, "retry"), event: field(frame, "event"), data: field(frame, "data") })
  }
}

/** Lets everything happen that waits for nothing but its turn. */
export const settle: Effect.Effect<void> = Effect.promise(async () => {
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve))
})

export interface Options {
  readonly server?: Partial<McpServer.Options>
  readonly http?: StreamableHttpServer.Options
  readonly sessions?: SessionStore.SessionStore["Service"]
  readonly events?: EventStore.EventStore["Service"]
  readonly limits?: Partial<Limits.Limits>
}

export class Server {
  private readonly handler: (request: Request) => Promise<Response>

  constructor(handler: (request: Request) => Promise<Response>) {
    this.handler = handler
  }

  /** Interrupting it loses the connection. */
  readonly send = (method: string, headers: Headers, body?: string): Effect.Effect<Opened> =>
    Effect.callback((resume) => {
      const controller = new AbortController()
      const request = new Request("http://localhost/mcp", {
        method,
        headers: { host: "localhost", ...headers },
        signal: controller.signal,
        ...(body === undefined ? {} : { body })
      })
      this.handler(request).then(
        (response) => resume(Effect.succeed(new Opened(response, controller))),
        (cause) => resume(Effect.die(cause))
      )
      return Effect.sync(() => controller.abort())
    })

  readonly post = (message: unknown, headers: Headers = {}): Effect.Effect<Opened> =>
    this.send("POST", { ...posting, ...headers }, typeof message === "string" ? message : JSON.stringify(message))

  /** Shakes hands. */
  readonly open = (
    revision = "2025-11-25",
    { capabilities = {}, headers = {} }: { readonly capabilities?: Json; readonly headers?: Headers } = {}
  ): Effect.Effect<Client> =>
    Effect.gen({ self: this }, function*() {
      const opened = yield* this.post(initialize(revision, capabilities), headers)
      const id = opened.response.headers.get("mcp-session-id")
      if (id === null) return yield* Effect.die(new Error(`There is no session: ${opened.status}`))
      const client = new Client(this, id, { "mcp-protocol-version": revision, ...headers })
      assert.strictEqual((yield* client.post(initialized)).status, 202)
      return client
    })
}

const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" }

/** One that has a session. */
export class Client {
  readonly id: string
  readonly server: Server
  private readonly headers: Headers
  private next = 1

  constructor(server: Server, id: string, headers: Headers = {}) {
    this.server = server
    this.id = id
    this.headers = { "mcp-session-id": id, ...headers }
  }

  /** The same session, on another server. */
  readonly at = (server: Server): Client => new Client(server, this.id, this.headers)

  readonly post = (message: unknown, headers: Headers = {}): Effect.Effect<Opened> =>
    this.server.post(message, { ...this.headers, ...headers })

  readonly call = (name: string, options: CallOptions = {}): Effect.Effect<Opened> =>
    Effect.suspend(() => this.post(call(options.id ?? this.next++, name, options)))

  readonly cancel = (id: string | number): Effect.Effect<Opened> =>
    this.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })

  readonly listen = (lastEventId?: string, headers: Headers = {}): Effect.Effect<Opened> =>
    this.server.send("GET", {
      accept: "text/event-stream",
      ...this.headers,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
      ...headers
    })

  readonly end = (headers: Headers = {}): Effect.Effect<Opened> =>
    this.server.send("DELETE", { ...this.headers, ...headers })

  /** The text of the result of a call that is answered with JSON. */
  readonly text = (name: string, args: Json = {}): Effect.Effect<unknown> =>
    Effect.flatMap(this.call(name, { args }), (opened) => Effect.map(opened.json, textOf))
}

interface CallOptions {
  readonly id?: string | number
  readonly args?: Json
  readonly token?: string
}

export const call = (id: string | number, name: string, { args = {}, token }: CallOptions = {}): Json => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, ...(token === undefined ? {} : { _meta: { progressToken: token } }) }
})

export const initialize = (protocolVersion: string, capabilities: Json = {}): Json => ({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion, capabilities, clientInfo: { name: "raw", version: "1.0.0" } }
})

export const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }

export const textOf = (message: Json): unknown =>
  (message as { readonly result?: { readonly content?: ReadonlyArray<{ readonly text?: string }> } })
    .result?.content?.[0]?.text ?? message

/** Serves until the scope of the test closes. */
export const serve = (
  features: Layer.Layer<never, unknown, McpServer.McpServer>,
  options: Options = {}
): Effect.Effect<Server, never, Scope.Scope> => {
  const { events, http = {}, limits = {}, server = {}, sessions } = options
  const routes = StreamableHttpServer.layer(http).pipe(
    Layer.provide(authenticated),
    Layer.provide(features),
    Layer.provide(McpServer.layer({ name: "test", version: "1.0.0", declare: ["tools"], ...server })),
    Layer.provide(Layer.succeed(SessionStore.SessionStore, sessions ?? SessionStore.memory())),
    Layer.provide(Layer.succeed(EventStore.EventStore, events ?? EventStore.memory()))
  )
  return Effect.gen(function*() {
    const context = yield* Effect.context<Scope.Scope>()
    const built = yield* Layer.build(Layer.provideMerge(Layer.orDie(routes), HttpRouter.layer))
    const app = Context.get(built, HttpRouter.HttpRouter).asHttpEffect()
    return new Server(HttpEffect.toWebHandlerWith<never, HttpServerRequest | Scope.Scope>(context)(Effect.orDie(app)))
  }).pipe(Effect.provideService(Limits.Limits, { ...Limits.defaults, ...limits }))
}

/** Runs a test with the lines that are logged in it. */
export const logged = <A, E, R>(f: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    return Effect.provide(f(lines), Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]))
  })

/** Lets time pass, and everything that it brings about. */
export const pass = (time: Duration.Input): Effect.Effect<void> => Effect.andThen(TestClock.adjust(time), settle)

/** Counts the fibers that an effect and all that it starts have running. */
export const counting = <A, E, R>(f: (fibers: () => number) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let running = 0
    return Effect.provideService(f(() => running), Metric.FiberRuntimeMetrics, {
      recordFiberStart: () => void running++,
      recordFiberEnd: () => void running--
    })
  })
