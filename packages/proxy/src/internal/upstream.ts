/**
 * The way to the server behind a proxy, for one connection to the proxy: opened when it is first needed, and again after it
 * was lost, in which case the server is told again what it was told of the session.
 */
import type { ClientTransport } from "@mcp-effect/client/ClientTransport"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { type Connection, type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

export interface Upstream extends Peer {
  /** What the session that is open was opened with, for another connection to begin with. */
  readonly remember: (opening: ReadonlyArray<JsonRpc.Request | JsonRpc.Notification>) => void
  /** Lets go of the connection. The next request opens another. */
  readonly close: Effect.Effect<void>
}

export const make = (
  connect: ClientTransport["Service"]["connect"],
  back: Peer
): Effect.Effect<Upstream, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const turn = yield* Semaphore.make(1)
    let opening: ReadonlyArray<JsonRpc.Request | JsonRpc.Notification> = []
    let current: Connection | undefined
    let close: Effect.Effect<void> = Effect.void

    const open = Effect.gen(function*() {
      const own = yield* Scope.fork(scope)
      const connection = yield* Effect.onError(
        Scope.provide(connect(back), own),
        (cause) => Scope.close(own, Exit.failCause(cause))
      )
      yield* Effect.forkIn(
        Effect.andThen(
          connection.closed,
          Effect.suspend(() => {
            if (current === connection) current = undefined
            return Scope.close(own, Exit.void)
          })
        ),
        scope
      )
      for (const message of opening) yield* say(connection, message, back)
      close = Effect.suspend(() => {
        if (current === connection) current = undefined
        return Scope.close(own, Exit.void)
      })
      return current = connection
    })

    const get: Effect.Effect<Connection, TransportError> = Effect.suspend(() =>
      current === undefined
        ? turn.withPermit(Effect.suspend(() => current === undefined ? open : Effect.succeed(current)))
        : Effect.succeed(current)
    )
    return {
      remember: (messages) => {
        opening = messages
      },
      close: Effect.suspend(() => close),
      request: (request, back) => Effect.flatMap(get, (connection) => connection.request(request, back)),
      notify: (notification) => Effect.flatMap(get, (connection) => connection.notify(notification))
    }
  })

// A server that does not take up the session where it was is none that can go on.
const say = (
  connection: Connection,
  message: JsonRpc.Request | JsonRpc.Notification,
  back: Peer
): Effect.Effect<void, TransportError> =>
  message._tag === "Notification"
    ? connection.notify(message)
    : Effect.flatMap(connection.request(message, back), (response) =>
      response._tag === "Success" ? Effect.void : Effect.fail(
        new TransportError({
          reason: "refused",
          processed: "no",
          message:
            `The server behind the proxy refused ${message.method} when it was connected to again: ${response.error.message}`
        })
      ))
