/** A server of Streamable HTTP on real sockets, under `launch`, as a program runs it. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as StreamableHttpServer from "@mcp-effect/http/StreamableHttpServer"
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

export const program = (
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
export const launched = (...args: Parameters<typeof program>) =>
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

export const until = (condition: () => boolean | Promise<boolean>): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let tries = 0; tries < 400; tries++) {
      if (await condition()) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error("It has not come about in two seconds")
  })

export const connections = (node: Http.Server) =>
  new Promise<number>((resolve, reject) =>
    node.getConnections((error, count) => error === null ? resolve(count) : reject(error))
  )
