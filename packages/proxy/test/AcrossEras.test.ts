/** The rules that every transport must pass, for clients of one era and a server of the other, with a proxy between them. */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import { InMemory } from "@mcp-effect/memory"
import { JsonRpc, Meta } from "@mcp-effect/protocol"
import { Proxy } from "@mcp-effect/proxy"
import type { McpServer } from "@mcp-effect/server"
import * as TransportContract from "@mcp-effect/testing/TransportContract"
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
const only = (era: "stateful" | "stateless"): Layer.Layer<ClientTransport, never, McpServer.McpServer> =>
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

const proxied = (era: "stateful" | "stateless") =>
  WireSchema.transport(Layer.fresh(InMemory.layer).pipe(Layer.provide(Proxy.layer()), Layer.provide(only(era))))

TransportContract.suite("a proxy to a server of sessions", proxied("stateful"), { revisions: ["2026-07-28"] })

TransportContract.suite("a proxy to a server without sessions", proxied("stateless"), {
  revisions: ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
})
