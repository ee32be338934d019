/** A client of HTTP+SSE without sockets: requests go straight to the router, in the context of whoever connects. */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as SseServer from "@mcp-effect/http/SseServer"
import { Duplex, Outbox, Peer } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server/McpServer"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const host = "localhost"
const origin = `http://${host}`

const gone = new Peer.TransportError({ reason: "closed", processed: "unknown", message: "The stream has ended" })

const bodyOf = ({ body }: HttpServerResponse): Stream.Stream<Uint8Array> =>
  body._tag === "Stream" ? Stream.orDie(body.stream) : Stream.empty

/** Hands over events as they are complete. */
const reader = (take: (event: string, data: string) => void) => {
  let rest = ""
  const decoder = new TextDecoder()
  return (chunk: Uint8Array): void => {
    const frames = (rest + decoder.decode(chunk, { stream: true })).split("\n\n")
    rest = frames.pop() ?? ""
    for (const frame of frames) {
      const match = /^event: ([^\n]*)\ndata: ([^\n]*)$/u.exec(frame)
      if (match?.[1] !== undefined && match[2] !== undefined) take(match[1], match[2])
    }
  }
}

export const transport: Layer.Layer<ClientTransport, never, McpServer> = Layer.effect(
  ClientTransport,
  Effect.gen(function*() {
    const server = yield* Layer.build(
      SseServer.layer().pipe(
        Layer.provideMerge(HttpRouter.layer),
        Layer.provide(Layer.succeed(McpServer, yield* McpServer))
      )
    )
    const handle = Context.get(server, HttpRouter.HttpRouter).asHttpEffect()
    const respond = (request: Request) =>
      Effect.provideService(
        Effect.orDie(handle),
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromWeb(request)
      )
    return {
      connect: (local) =>
        Effect.gen(function*() {
          const outbox = Outbox.make()
          const duplex = yield* Duplex.make({ outbox, local: () => Effect.succeed(local), answerInvalid: false })
          const endpoint = yield* Deferred.make<string>()
          const take = reader((event, data) =>
            event === "endpoint" ? Deferred.doneUnsafe(endpoint, Effect.succeed(data)) : duplex.receive(data)
          )
          const listening = Effect.flatMap(
            respond(new Request(`${origin}/sse`, { headers: { host } })),
            (response) => Stream.runForEach(bodyOf(response), (chunk) => Effect.sync(() => take(chunk)))
          )
          yield* Effect.forkScoped(Effect.andThen(Effect.scoped(listening), duplex.close(gone)))
          const url = `${origin}${yield* Deferred.await(endpoint)}`
          const post = (body: string) =>
            respond(new Request(url, { method: "POST", headers: { host, "content-type": "application/json" }, body }))
          const posting = Effect.flatMap(
            outbox.take,
            (texts) => Effect.forEach(texts, (text) => Effect.scoped(post(text)), { discard: true })
          )
          yield* Effect.forkScoped(Effect.ignore(Effect.forever(posting)))
          return duplex
        })
    }
  })
)
