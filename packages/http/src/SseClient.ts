/**
 * Reaches a server over HTTP+SSE, the transport of 2024-11-05, by whatever `HttpClient` is provided.
 *
 * Only for servers that have nothing else: `StreamableHttpClient` finds out by itself.
 *
 * Source: `basic/transports#http-with-sse` of revision 2024-11-05.
 *
 * @since 0.1.0
 */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import type { Connection, Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Settings from "./internal/clientSettings.ts"
import * as SseConnection from "./internal/sseConnection.ts"

/**
 * - `url`: where the event stream is. Messages are sent to the endpoint that it names, within the same origin only.
 * - `headers`: sent with every request; none of them is ever part of an error or a log line.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly url: string | URL
  readonly headers?: Headers.Input
}

/**
 * Connects: opens the event stream, and waits for where to send messages. The connection ends with the stream.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connect = (
  options: Options,
  local: Peer
): Effect.Effect<Connection, TransportError, HttpClient | Scope.Scope> =>
  Effect.gen(function*() {
    const client = yield* HttpClient
    const url = yield* Settings.urlOf(options.url)
    const headers = yield* Settings.headersOf(options.headers)
    return yield* SseConnection.open({ client, url, headers }, local)
  })

/**
 * The server as a `ClientTransport`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<ClientTransport, never, HttpClient> =>
  Layer.effect(
    ClientTransport,
    Effect.map(HttpClient, (client) => ({
      connect: (local: Peer) => Effect.provideService(connect(options, local), HttpClient, client)
    }))
  )
