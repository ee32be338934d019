/** Servers of one era. */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import { InMemory } from "@mcp-effect/memory"
import { JsonRpc, Meta } from "@mcp-effect/protocol"
import type { McpServer } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const isStateless = ({ params }: JsonRpc.Request): boolean => {
  const meta = Meta.of(params)
  return meta !== undefined && Meta.PROTOCOL_VERSION in meta
}

// As a server says that has no sessions.
const said = (response: JsonRpc.Response): JsonRpc.Response =>
  response._tag === "Success" && response.result.supportedVersions !== undefined
    ? JsonRpc.success(response.id, { ...response.result, supportedVersions: ["2026-07-28"] })
    : response

/** A server that does not know the requests of the other era. */
export const only = (era: "stateful" | "stateless"): Layer.Layer<ClientTransport, never, McpServer.McpServer> =>
  Layer.provide(
    Layer.effect(
      ClientTransport,
      Effect.map(ClientTransport, ({ connect }) => ({
        connect: (local) =>
          Effect.map(connect(local), (connection) => ({
            ...connection,
            closed: connection.closed,
            notify: connection.notify,
            request: (request, back) =>
              isStateless(request) === (era === "stateless")
                ? Effect.map(connection.request(request, back), said)
                : Effect.succeed(JsonRpc.failure(request.id, { code: -32601, message: "Method not found" }))
          }))
      }))
    ),
    InMemory.layer
  )
