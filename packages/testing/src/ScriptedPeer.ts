/**
 * A peer that plays a script: what it is asked waits until the script takes it, and the script decides what comes back,
 * in which order, and whether at all.
 *
 * Serves tests of either side. Knows messages, not MCP.
 *
 * @since 0.1.0
 */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"

/**
 * A request that the script has taken. It stays open until the script answers it, or its caller gives up.
 *
 * @since 0.1.0
 * @category models
 */
export interface Taken {
  readonly request: JsonRpc.Request
  /** The way back to the caller, for progress and the like. */
  readonly back: Peer
  readonly succeed: (result: JsonRpc.Params) => Effect.Effect<void>
  readonly fail: (error: JsonRpc.ErrorObject) => Effect.Effect<void>
  readonly lose: (error: TransportError) => Effect.Effect<void>
  /** Waits until the caller has given up. */
  readonly abandoned: Effect.Effect<void>
}

/**
 * The peer, and what a script does with it.
 *
 * @since 0.1.0
 * @category models
 */
export interface ScriptedPeer extends Peer {
  /** Takes the next request; dies if it is of another method. */
  readonly expectRequest: (method: string) => Effect.Effect<Taken>
  /** Takes the next notification; dies if it is of another method. */
  readonly expectNotification: (method: string) => Effect.Effect<JsonRpc.Notification>
  /** All messages so far, in the order in which they came. */
  readonly received: ReadonlyArray<JsonRpc.Request | JsonRpc.Notification>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<ScriptedPeer> = Effect.gen(function*() {
  const requests = yield* Queue.unbounded<Taken>()
  const notifications = yield* Queue.unbounded<JsonRpc.Notification>()
  const received: Array<JsonRpc.Request | JsonRpc.Notification> = []

  const request: Peer["request"] = (request, back) =>
    Effect.suspend(() => {
      received.push(request)
      const response = Deferred.makeUnsafe<JsonRpc.Response, TransportError>()
      const abandoned = Deferred.makeUnsafe<void>()
      Queue.offerUnsafe(requests, {
        request,
        back,
        succeed: (result) => Effect.asVoid(Deferred.succeed(response, JsonRpc.success(request.id, result))),
        fail: (error) => Effect.asVoid(Deferred.succeed(response, JsonRpc.failure(request.id, error))),
        lose: (error) => Effect.asVoid(Deferred.fail(response, error)),
        abandoned: Deferred.await(abandoned)
      })
      return Effect.onInterrupt(Deferred.await(response), () => Effect.asVoid(Deferred.succeed(abandoned, undefined)))
    })

  const expect = <A>(
    queue: Queue.Queue<A>,
    what: string,
    method: string,
    methodOf: (a: A) => string
  ): Effect.Effect<A> =>
    Effect.flatMap(Queue.take(queue), (taken) =>
      methodOf(taken) === method
        ? Effect.succeed(taken)
        : Effect.die(new Error(`The script expected the ${what} ${method}, but ${methodOf(taken)} came`)))

  return {
    request,
    notify: (notification) =>
      Effect.sync(() => {
        received.push(notification)
        Queue.offerUnsafe(notifications, notification)
      }),
    received,
    expectRequest: (method) => expect(requests, "request", method, ({ request }) => request.method),
    expectNotification: (method) => expect(notifications, "notification", method, ({ method }) => method)
  }
})

/**
 * The server that a script plays: the scripted peer, the client as a peer, and the end of the connection.
 *
 * @since 0.1.0
 * @category models
 */
export interface ScriptedServer extends ScriptedPeer {
  readonly client: Peer
  readonly close: (message: string) => Effect.Effect<void>
}

/**
 * A `ClientTransport` whose servers play a script, given the number of the connection, from 0. When a script ends, its
 * connection stays open; a script that dies closes it, with what it died of as the message.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  script: (server: ScriptedServer, connection: number) => Effect.Effect<void, unknown>
): Layer.Layer<ClientTransport> =>
  Layer.sync(ClientTransport, () => {
    let connections = 0
    return {
      connect: (client) =>
        Effect.gen(function*() {
          const peer = yield* make
          const ended = yield* Deferred.make<TransportError>()
          const close = (message: string): Effect.Effect<void> =>
            Effect.asVoid(Deferred.succeed(
              ended,
              new TransportError({ reason: "closed", processed: "unknown", message })
            ))
          const server: ScriptedServer = { ...peer, client, close }
          yield* Effect.forkScoped(
            Effect.catchCause(script(server, connections++), (cause) => close(Cause.pretty(cause)))
          )
          const orClosed = <A>(self: Effect.Effect<A, TransportError>): Effect.Effect<A, TransportError> =>
            Effect.raceFirst(self, Effect.flatMap(Deferred.await(ended), Effect.fail))
          return {
            closed: Deferred.await(ended),
            request: (request, back) => orClosed(peer.request(request, back)),
            notify: (notification) => orClosed(peer.notify(notification))
          }
        })
    }
  })
