/**
 * A server embedded in the program that calls it: a client transport without a process or a socket.
 *
 * Messages pass through the codec, and requests run in the server's scope: what works here works on a wire.
 *
 * @since 0.1.0
 */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as Duplex from "@mcp-effect/protocol/Duplex"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as Outbox from "@mcp-effect/protocol/Outbox"
import { type Connection, type Local, type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type { ServerConnection } from "@mcp-effect/server/Dispatch"
import { McpServer } from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

/**
 * Joins two peers by a pair of bounded queues: each side's end of the channel. Ends with the scope, or when one side
 * closes. `scope` is the server's, if it has one of its own: where that ends first, the server ends what is open, and the
 * client hears what it says to that.
 *
 * @since 0.1.0
 * @category constructors
 */
export const pair = (options: {
  readonly client: (remote: Peer) => Effect.Effect<Peer, never, Scope.Scope>
  readonly server: (remote: Peer) => Effect.Effect<Local, never, Scope.Scope>
  readonly batches?: () => boolean
  readonly scope?: Scope.Scope
}): Effect.Effect<{ readonly client: Duplex.Duplex; readonly server: Duplex.Duplex }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { outbox: capacity } = yield* Limits.Limits
    const toServer = Outbox.make({ capacity })
    const toClient = Outbox.make({ capacity })
    const server = yield* Scope.provide(
      Duplex.make({
        outbox: toClient,
        local: options.server,
        answerInvalid: true,
        ...(options.batches === undefined ? {} : { batches: options.batches })
      }),
      options.scope ?? (yield* Effect.scope)
    )
    const client = yield* Duplex.make({ outbox: toServer, local: options.client, answerInvalid: false })
    yield* Effect.forkScoped(carry(toServer, server, toClient))
    yield* Effect.forkScoped(carry(toClient, client, toServer))
    return { client, server }
  })

// Hands over what one side sends. When that side has ended, so has the other. A reader that would have to answer into a
// full queue waits, as it would on a pipe.
const carry = (from: Outbox.Outbox, to: Duplex.Duplex, answers: Outbox.Outbox): Effect.Effect<void> =>
  Effect.andThen(
    Effect.ignore(Effect.forever(Effect.flatMap(from.take, (texts) => {
      for (const text of texts) to.receive(text)
      return Effect.ignore(answers.room(4))
    }))),
    to.close(new TransportError({ reason: "closed", processed: "unknown", message: "The other side has closed" }))
  )

/**
 * The `McpServer` of the program as a `ClientTransport`. Each connection is a session of its own. When the layer's scope
 * closes, so do they, from the server's side.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<ClientTransport, never, McpServer> = Layer.effect(
  ClientTransport,
  Effect.gen(function*() {
    const server = yield* McpServer
    const served = yield* Effect.scope
    return {
      connect: (local: Peer): Effect.Effect<Connection, never, Scope.Scope> =>
        Effect.gen(function*() {
          let connection: ServerConnection | undefined
          // Ends with whichever side ends first.
          const scope = yield* Scope.fork(served)
          yield* Effect.addFinalizer((exit) => Scope.close(scope, exit))
          const { client } = yield* pair({
            client: () => Effect.succeed(local),
            server: (remote) => Effect.tap(server.connect(remote), (opened) => Effect.sync(() => connection = opened)),
            batches: () => connection?.batches() ?? false,
            scope
          })
          return client
        })
    }
  })
)
