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
import { type Connection, type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as ClientConnection from "./internal/clientConnection.ts"
import type { Session } from "./internal/clientHeaders.ts"
import * as Wire from "./internal/clientWire.ts"

/**
 * - `url`: the MCP endpoint. Redirects are followed within its origin only, whatever the `HttpClient` does by itself.
 * - `headers`: sent with every request; none of them, nor the path of the URL, is ever part of an error or a log line.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly url: string | URL
  readonly headers?: Headers.Input
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
    const url = yield* urlOf(options.url)
    const headers = yield* headersOf(options.headers)
    const session: Session = { id: undefined, version: undefined, stateless: undefined }
    const wire = Wire.make(client, { url, headers, secrets: () => session.id === undefined ? [] : [session.id] })
    return yield* ClientConnection.open(wire, session, local)
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

const refused = (message: string): TransportError => new TransportError({ reason: "refused", processed: "no", message })

const urlOf = (given: string | URL): Effect.Effect<URL, TransportError> => {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    return Effect.fail(refused("The URL of the server must begin with http:// or https://"))
  }
  return url.username === "" && url.password === ""
    ? Effect.succeed(url)
    : Effect.fail(refused("The URL of the server must hold no credentials: give them as a header"))
}

const NAME = /^[\w!#$%&'*+.^`|~-]+$/u
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/u

// Names only: what is wrong with a value may be part of a secret.
const headersOf = (given: Headers.Input | undefined): Effect.Effect<Headers.Headers, TransportError> => {
  const headers = Headers.fromInput(given)
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) return Effect.fail(refused(`${JSON.stringify(name)} cannot be the name of a header`))
    if (!VALUE.test(value)) return Effect.fail(refused(`The header ${name} has a value that HTTP cannot carry`))
  }
  return Effect.succeed(headers)
}
