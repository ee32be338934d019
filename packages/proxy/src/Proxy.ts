/**
 * A server whose features are those of another, which is reached by a client transport: all of them, those that the
 * protocol does not know included.
 *
 * A client that speaks the era of the server behind the proxy speaks with that server: a peer around a peer. Knows no
 * transport on either side.
 *
 * @since 0.1.0
 */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Peer } from "@mcp-effect/protocol/Peer"
import type { ServerConnection } from "@mcp-effect/server/Dispatch"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Direct } from "./internal/direct.ts"
import * as Upstream from "./internal/upstream.ts"

/**
 * The server behind the transport that is provided, for any server transport to serve. Each connection to the proxy has one
 * of its own to that server.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<McpServer.McpServer, never, ClientTransport> = Layer.effect(
  McpServer.McpServer,
  Effect.gen(function*() {
    const { connect } = yield* ClientTransport
    const server = yield* McpServer.make({ name: "proxy", version: "1.0.0" })
    return { ...server, connect: (back) => connected(connect, back) }
  })
)

const connected = (
  connect: ClientTransport["Service"]["connect"],
  back: Peer
): Effect.Effect<ServerConnection, never, Scope.Scope> =>
  Effect.map(Upstream.make(connect, back), (upstream) => {
    const direct = new Direct(upstream)
    return {
      session: direct.session,
      revision: direct.revision,
      batches: () => direct.revision()?.batches === true,
      ending: Effect.void,
      request: (request, back) =>
        isStateless(request) ? upstream.request(request, back) : direct.request(request, back),
      notify: direct.notify
    }
  })

const isStateless = (request: JsonRpc.Request): boolean => {
  const meta = Meta.of(request.params)
  return meta !== undefined && (Meta.PROTOCOL_VERSION in meta || Meta.CLIENT_CAPABILITIES in meta)
}
