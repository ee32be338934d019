/**
 * A server whose features are those of another, which is reached by a client transport.
 *
 * A client that speaks an era of the server behind the proxy speaks with that server: a peer around a peer, and everything
 * passes, what the protocol does not know included. For other clients the proxy is a client of the one era and a server of the
 * other: what the server asks on the way becomes a question to the client, in whichever way its era has, and the call goes on
 * meanwhile. It is never made twice. Knows no transport on either side.
 *
 * @since 0.1.0
 */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import type * as McpClient from "@mcp-effect/client/McpClient"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type { ServerConnection } from "@mcp-effect/server/Dispatch"
import * as McpServer from "@mcp-effect/server/McpServer"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Direct } from "./internal/direct.ts"
import * as Spoken from "./internal/spoken.ts"
import * as Translated from "./internal/translated.ts"
import * as Upstream from "./internal/upstream.ts"

/**
 * What the proxy says of itself to the server, and how it behaves as its client, across eras.
 *
 * - `parked`: how many calls of a connection may go on that have not come to their end (default 1000).
 * - `parkedFor`: how long one waits for its client to come back with answers (default 15 minutes).
 * - `probeTimeout`: how long the server may be silent when it is asked which revisions it speaks (default 5 seconds).
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Partial<Omit<McpClient.Options, "capabilities" | "extensions" | "revisions">> {
  readonly parked?: number
  readonly parkedFor?: Duration.Input
}

/**
 * The server behind the transport that is provided, for any server transport to serve. Each connection to the proxy has one
 * of its own to that server, from its first message on. One that was lost is opened again, and told of the session again.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<McpServer.McpServer, never, ClientTransport> =>
  Layer.effect(
    McpServer.McpServer,
    Effect.gen(function*() {
      const { connect } = yield* ClientTransport
      const { parked: most = 1000, parkedFor: expiry = "15 minutes", ...client } = options
      const info = { name: "mcp-effect-proxy", version: "0.1.0", ...client }
      const server = yield* McpServer.make(info)
      const parts: Parts = {
        connect,
        client: info,
        limits: { most, expiry },
        spoken: undefined
      }
      return { ...server, connect: (back) => connected(parts, back) }
    })
  )

interface Parts extends Translated.Options {
  /** What the server has said to the first who needed to know. */
  spoken: Spoken.Spoken | undefined
}

const connected = (parts: Parts, back: Peer): Effect.Effect<ServerConnection, never, Scope.Scope> =>
  Effect.gen(function*() {
    const upstream = yield* Upstream.make(parts.connect, back)
    const direct = new Direct(upstream)
    const translated = yield* Translated.make(parts, back)
    let other: ServerConnection | undefined
    const spoken = Effect.suspend(() =>
      parts.spoken === undefined
        ? Effect.tap(
          Spoken.ask(upstream, parts.client, parts.client.probeTimeout ?? "5 seconds"),
          (spoken) => Effect.sync(() => parts.spoken = spoken)
        )
        : Effect.succeed(parts.spoken)
    )
    const route = (request: JsonRpc.Request): Effect.Effect<Peer, TransportError> =>
      Effect.flatMap(spoken, ({ stateful, stateless }): Effect.Effect<Peer, TransportError> => {
        const isNewer = isStateless(request)
        if ((isNewer ? stateless : stateful).length > 0) return Effect.succeed(isNewer ? upstream : direct)
        return Effect.map(translated(request, isNewer ? stateful : stateless), (connection) => {
          other = connection
          return connection
        })
      })
    return {
      get session() {
        return (other ?? direct).session
      },
      revision: () => other?.revision() ?? direct.revision(),
      batches: () => (other?.revision() ?? direct.revision())?.batches === true,
      ending: Effect.suspend(() => other?.ending ?? Effect.void),
      request: (request, back) => Effect.flatMap(route(request), (peer) => peer.request(request, back)),
      // What a client tells belongs to a session.
      notify: (notification) =>
        Effect.suspend(() => (parts.spoken?.stateful.length === 0 ? other ?? direct : direct).notify(notification))
    }
  })

const isStateless = (request: JsonRpc.Request): boolean => {
  const meta = Meta.of(request.params)
  return meta !== undefined && (Meta.PROTOCOL_VERSION in meta || Meta.CLIENT_CAPABILITIES in meta)
}
