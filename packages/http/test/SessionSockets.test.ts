/** Sessions on real sockets: what is lost there, and that nothing is left of it. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import * as StreamableHttpServer from "@mcp-effect/http/StreamableHttpServer"
import { Limits, Tool } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServer } from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Http from "node:http"
import { Readable } from "node:stream"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"

const program = (
  features: Layer.Layer<never, unknown, McpServer.McpServer>,
  options: StreamableHttpServer.Options = {},
  node: Http.Server = Http.createServer()
) =>
  HttpRouter.serve(StreamableHttpServer.layer(options), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(features),
    Layer.provide(McpServer.layer({ name: "sockets", version: "1.0.0" })),
    Layer.provideMerge(NodeHttpServer.layer(() => node, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 500 }))
  )

/** A request on a socket of its own. */
const send = async (port: number, request: Request): Promise<Response> => {
  const body = request.method === "POST" ? await request.text() : undefined
  return new Promise((resolve, reject) => {
    const { method, signal } = request
    const headers = { ...Object.fromEntries(request.headers), host: "localhost" }
    const sent = Http.request({ host: "127.0.0.1", port, path: "/mcp", method, headers, agent: false, signal })
    sent.on("error", reject)
    sent.on("response", (response) => {
      response.on("error", () => {})
      // Sound: it is a stream of bytes, in the types of Node.
      const text = Readable.toWeb(response) as ReadableStream<Uint8Array<ArrayBuffer>>
      const status = response.statusCode ?? 0
      const known = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
      resolve(new Response(status === 202 || status === 204 ? null : text, { status, headers: known }))
    })
    sent.end(body)
  })
}

/** Serves under `launch`, as a program does; `stop` ends it, and yields how many milliseconds that took. */
const launched = (...args: Parameters<typeof program>) =>
  Effect.gen(function*() {
    const started = yield* Deferred.make<number>()
    const announce = Layer.effectDiscard(Effect.flatMap(HttpServer, ({ address }) =>
      Deferred.succeed(started, "port" in address && typeof address.port === "number" ? address.port : 0)))
    const main = yield* Effect.forkScoped(McpServer.launch(Layer.provide(announce, program(...args))))
    const port = yield* Deferred.await(started)
    const server = new H.Server((request) =>
      send(port, request)
    )
    const stop = Effect.suspend(() => {
      const before = performance.now()
      return Effect.map(Fiber.interrupt(main), () => performance.now() - before)
    })
    return { server, stop }
  })

const until = (condition: () => boolean | Promise<boolean>): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let tries = 0; tries < 400; tries++) {
      if (await condition()) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error("It has not come about in two seconds")
  })

const connections = (node: Http.Server) =>
  new Promise<number>((resolve, reject) =>
    node.getConnections((error, count) => error === null ? resolve(count) : reject(error))
  )

describe("connections of sessions that are lost", () => {
  it.live(
    "MUST leave no fiber, no socket and no reader behind, of 50 sessions whose calls go on",
    () =>
      H.counting((fibers) => {
        const { release, seen, tool } = Tools.held()
        const node = Http.createServer()
        return Effect.scoped(Effect.gen(function*() {
          const { server } = yield* launched(tool, { bodyTimeout: "1 second" }, node)
          const before = fibers()
          const clients = yield* Effect.forEach(Array.from({ length: 50 }), () => server.open(), { concurrency: 10 })
          const here = fibers()
          const lose = (client: H.Client) =>
            Effect.gen(function*() {
              const call = yield* client.call("held", { id: "x", token: "t" })
              yield* call.message
              const outside = yield* client.listen()
              const resumed = yield* client.listen(call.ids[0])
              yield* resumed.message
              for (const { drop } of [call, outside, resumed]) yield* drop
              return call.ids[0]
            })
          const places = yield* Effect.forEach(clients, lose, { concurrency: 10 })
          assert.deepStrictEqual(seen, { started: 50, interrupted: 0, ended: 0 })
          yield* until(async () => await connections(node) === 0)
          yield* release
          yield* until(() => seen.ended === 50)
          // What watches over bodies goes away, too.
          yield* until(() => fibers() <= Math.max(before, here))
          for (const [n, client] of clients.entries()) {
            const rest = yield* (yield* client.listen(places[n])).remaining
            assert.strictEqual(rest.at(-1)?.id, "x")
            assert.strictEqual((yield* client.end()).status, 204)
          }
          yield* until(async () => fibers() <= before && await connections(node) === 0)
        }))
      }),
    20_000
  )
})

describe("a reader that is too slow", () => {
  it.live(
    "MUST be dropped with a log line, and its call go on",
    () =>
      H.logged((lines) =>
        Effect.scoped(Effect.gen(function*() {
          const { release, seen, tool } = Tools.flooding(20_000)
          const node = Http.createServer()
          const { server } = yield* launched(tool, { heartbeat: 150 }, node)
          const client = yield* server.open()
          yield* release
          const stuck = yield* client.call("flood", { id: "x", token: "t" })
          yield* stuck.next
          yield* until(() => seen.said === 20_000)
          assert.isTrue(lines.some((line) => line.includes("its reader has taken nothing for 150ms")), lines.join("\n"))
          const resumed = yield* client.listen(stuck.ids[0])
          const rest = yield* resumed.remaining
          assert.strictEqual(rest.at(-1)?.id, "x")
          assert.isTrue(lines.some((line) => line.includes("no longer stored")))
          yield* stuck.drop
          yield* until(async () => await connections(node) === 0)
        }))
      ).pipe(Effect.provideService(Limits.Limits, { ...Limits.defaults, outbox: 64 * 1024 })),
    20_000
  )
})

describe("the end of the server", () => {
  it.live("MUST end the streams of GETs at once, and not wait for their clients", () =>
    H.counting((fibers) =>
      Effect.scoped(Effect.gen(function*() {
        const keeping = Tools.keeping()
        const before = fibers()
        const { server, stop } = yield* launched(keeping.tool)
        const clients = yield* Effect.forEach(Array.from({ length: 5 }), () => server.open())
        const opened = yield* Effect.forEach(clients, (client) => Effect.andThen(client.text("keep"), client.listen()))
        assert.isBelow(yield* stop, 450)
        for (const { remaining } of opened) assert.deepStrictEqual(yield* remaining, [])
        assert.deepStrictEqual(keeping.seen, { kept: 5, closed: 5 })
        yield* until(() => fibers() <= before + 1)
      }))
    ))

  it.live("MUST let calls come to their end in the time that the platform gives them, and interrupt the others", () =>
    H.counting((fibers) =>
      Effect.scoped(Effect.gen(function*() {
        const { seen, tool } = Tools.held()
        const soon = McpServer.tool(Tool.make("soon"), () => Effect.as(Effect.sleep(100), "soon"))
        const before = fibers()
        const { server, stop } = yield* launched(Layer.merge(tool, soon))
        const client = yield* server.open()
        const streamed = yield* client.call("held", { token: "t" })
        yield* streamed.message
        const resumed = yield* client.listen(streamed.ids[0])
        yield* resumed.message
        const replied = yield* Effect.forkChild(client.text("soon"))
        yield* Effect.sleep(50)
        assert.isBelow(yield* stop, 1000)
        assert.strictEqual(yield* Fiber.join(replied), "soon")
        for (const { remaining } of [streamed, resumed]) assert.deepStrictEqual(yield* remaining, [])
        assert.deepStrictEqual(seen, { started: 1, interrupted: 1, ended: 1 })
        yield* until(() => fibers() <= before + 1)
      }))
    ))
})
