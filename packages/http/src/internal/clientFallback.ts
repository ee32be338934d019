/**
 * A connection that becomes one over HTTP+SSE when its server does not take `initialize`.
 *
 * Source: `basic/transports#backwards-compatibility` of revision 2025-11-25.
 */
import type { Connection, Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { statusOf } from "./clientFailure.ts"

export const make = (
  connection: Connection,
  older: Effect.Effect<Connection, TransportError, Scope.Scope>,
  scope: Scope.Scope
): Connection => {
  let current = connection
  const initialize: Peer["request"] = (request, back) =>
    Effect.catch(connection.request(request, back), (error) => {
      if (!REFUSALS.has(statusOf(error) ?? 0)) return Effect.fail(error)
      return Effect.matchEffect(Scope.provide(older, scope), {
        // What is wrong is what was wrong at first.
        onFailure: ({ message }) =>
          Effect.andThen(Effect.logDebug(`It is none of 2024-11-05 either. ${message}`), Effect.fail(error)),
        onSuccess: (found) => {
          current = found
          return found.request(request, back)
        }
      })
    })
  return {
    get closed() {
      return current.closed
    },
    request: (request, back) =>
      Effect.suspend(() =>
        request.method === "initialize" && current === connection
          ? initialize(request, back)
          : current.request(request, back)
      ),
    notify: (notification) => Effect.suspend(() => current.notify(notification))
  }
}

const REFUSALS = new Set([400, 404, 405])
