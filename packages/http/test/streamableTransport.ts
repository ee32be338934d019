/** Our client to our server without sockets: requests go straight to the router, in the context of whoever sends. */
import type { ClientTransport } from "@mcp-effect/client/ClientTransport"
import { McpServer } from "@mcp-effect/server/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as StreamableHttpClient from "../src/StreamableHttpClient.ts"
import * as StreamableHttpServer from "../src/StreamableHttpServer.ts"

type Bytes = Stream.Stream<Uint8Array, unknown>

const webOf = (
  response: HttpServerResponse.HttpServerResponse,
  context: Context.Context<never>,
  close: Effect.Effect<void>,
  received: Received | undefined
): Response => {
  const { body, headers, status } = response
  // What is merely accepted is not read.
  if (body._tag !== "Stream" && (body._tag !== "Uint8Array" || received === undefined || status !== 200)) {
    return HttpServerResponse.toWeb(response)
  }
  const stream = body._tag === "Stream" ? Stream.ensuring(body.stream, close) : Stream.succeed(body.body)
  return new Response(Stream.toReadableStreamWith(received === undefined ? stream : received(stream), context), {
    status,
    headers: { ...headers, "content-type": body.contentType }
  })
}

export type Received = (body: Bytes) => Bytes

/** What requests go to; `received` is what becomes of the bodies that the client reads. */
export const httpClient = (
  served: Layer.Layer<never, never, McpServer | HttpRouter.HttpRouter>,
  received?: Received
): Layer.Layer<HttpClient.HttpClient, never, McpServer> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function*() {
      const server = yield* Layer.build(
        served.pipe(
          Layer.provideMerge(HttpRouter.layer),
          Layer.provide(Layer.succeed(McpServer, yield* McpServer))
        )
      )
      const routes = Effect.orDie(Context.get(server, HttpRouter.HttpRouter).asHttpEffect())
      return HttpClient.make((request, _url, signal, fiber) =>
        Effect.gen(function*() {
          const scope = yield* Scope.make()
          const close = Scope.close(scope, Exit.void)
          // As a socket does when it is closed.
          signal.addEventListener("abort", () => void Effect.runForkWith(fiber.context)(close))
          const web = yield* Effect.orDie(
            HttpClientRequest.toWeb(HttpClientRequest.setHeader(request, "host", "localhost"))
          )
          const context = Context.make(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(web)).pipe(
            Context.add(Scope.Scope, scope),
            // A server has a scheduler of its own.
            (more) => Context.merge(Context.omit(Scheduler.MaxOpsBeforeYield)(fiber.context), more)
          )
          // In a fiber of its own, since the router leaves its marks on it.
          const running = Effect.runForkWith(context)(routes)
          const response = yield* Effect.onInterrupt(
            Fiber.join(running),
            () => Effect.andThen(Fiber.interrupt(running), close)
          )
          if (response.body._tag !== "Stream") yield* close
          return HttpClientResponse.fromWeb(request, webOf(response, fiber.context, close, received))
        })
      )
    })
  )

/** `received` is what becomes of the bodies that the client reads. */
export const transportOf = (received?: Received): Layer.Layer<ClientTransport, never, McpServer> =>
  Layer.provide(
    StreamableHttpClient.layer({ url: "http://localhost/mcp" }),
    httpClient(StreamableHttpServer.layer({ path: "/mcp" }), received)
  )

export const transport = transportOf()
