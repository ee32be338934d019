/**
 * Reaches a server over Streamable HTTP, in both eras: each message is a POST, by whatever `HttpClient` is provided.
 *
 * Knows messages and HTTP; of MCP, only what HTTP has to know: where a session begins, and which revision a message is of.
 *
 * Source: `basic/transports/streamable-http` of revision 2026-07-28, and `basic/transports` of those since 2025-03-26.
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
import * as ClientConnection from "./internal/clientConnection.ts"
import * as Fallback from "./internal/clientFallback.ts"
import type { Session } from "./internal/clientHeaders.ts"
import * as Settings from "./internal/clientSettings.ts"
import * as Wire from "./internal/clientWire.ts"
import * as SseConnection from "./internal/sseConnection.ts"

/**
 * - `url`: the MCP endpoint. Redirects are followed within its origin only, whatever the `HttpClient` does by itself.
 * - `headers`: sent with every request; none of them, nor the path of the URL, is ever part of an error or a log line.
 * - `fallback`: whether a server that does not take `initialize` at this URL is tried over HTTP+SSE, the transport of 2024-11-05
 *   (default `true`).
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly url: string | URL
  readonly headers?: Headers.Input
  readonly fallback?: boolean
}

/**
 * Connects: nothing is sent before the first message. Fails as `refused` for a URL or a header that cannot be used. The end
 * of the scope ends the session, for which the server is given two seconds.
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
    const session: Session = { id: undefined, version: undefined, stateless: undefined }
    const wire = Wire.make(client, { url, headers, secrets: () => session.id === undefined ? [] : [session.id] })
    const connection = yield* ClientConnection.open(wire, session, local)
    if (options.fallback === false) return connection
    return Fallback.make(connection, SseConnection.open({ client, url, headers }, local), yield* Effect.scope)
  })

/**
 * The server as a `ClientTransport`. Each connection has a session of its own, where the revision has sessions.
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
