/**
 * How a client reaches a server: the service that every client transport provides.
 *
 * @since 0.1.0
 */
import type { Connection, Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * `connect` opens a connection, given the peer that handles what the server sends; it lives as long as the scope. It may
 * be called again, after a connection was lost.
 *
 * @since 0.1.0
 * @category services
 */
export class ClientTransport extends Context.Service<ClientTransport, {
  readonly connect: (local: Peer) => Effect.Effect<Connection, TransportError, Scope.Scope>
}>()("@mcp-effect/client/ClientTransport") {}
