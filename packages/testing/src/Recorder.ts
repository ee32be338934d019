/**
 * A transport that writes down what is said on it, a line of JSON for each message, in the order in which it is said.
 *
 * A peer around a peer: it changes nothing, and knows messages only. `Player` answers from what it has written.
 *
 * @since 0.1.0
 */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { Connection, Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/**
 * A line of a recording.
 *
 * - `at`: milliseconds since the recording began.
 * - `connection`: the number of the connection, from 0.
 * - `from`: who has said it.
 * - `on`: the id of the request that it is tied to, if it is tied to one.
 * - `message`: as it would be on a wire. Ids and progress tokens are those of whoever called.
 * - `ended`: in place of a message, how a request ended without a response, or a connection.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Line = Schema.Struct({
  at: Schema.Finite,
  connection: Schema.Int,
  from: Schema.Literals(["client", "server"]),
  on: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite])),
  message: Schema.optionalKey(Schema.Unknown),
  ended: Schema.optionalKey(Schema.Struct({
    reason: Schema.Literals(["closed", "refused", "malformed", "too large", "abandoned"]),
    processed: Schema.Literals(["no", "unknown"]),
    message: Schema.String
  }))
})

/**
 * @since 0.1.0
 * @category models
 */
export type Line = typeof Line.Type

/**
 * - `write`: takes each line, without its end. A message goes on when it is done.
 * - `redact`: what is written of a message. Recordings hold whatever is said, secrets included.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly write: (line: string) => Effect.Effect<void>
  readonly redact?: (message: JsonRpc.Message) => JsonRpc.Message
}

/**
 * The transport that is provided, recorded.
 *
 * `StdioClient.layer(options).pipe(Recorder.layer({ write: (line) => Effect.sync(() => lines.push(line)) }))`
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options) =>
<E, R>(
  transport: Layer.Layer<ClientTransport, E, R>
): Layer.Layer<ClientTransport, E, R> =>
  Layer.provide(
    Layer.effect(
      ClientTransport,
      Effect.gen(function*() {
        const { connect } = yield* ClientTransport
        const clock = yield* Clock.Clock
        const began = clock.currentTimeMillisUnsafe()
        let connections = 0
        return {
          connect: (local) =>
            Effect.suspend(() => {
              const connection = connections++
              const put = (line: Omit<Line, "at" | "connection">): Effect.Effect<void> =>
                Effect.suspend(() =>
                  options.write(JSON.stringify({ at: clock.currentTimeMillisUnsafe() - began, connection, ...line }))
                )
              return Effect.map(
                connect(recorded("server", local, put, options)),
                (remote): Connection => ({
                  ...recorded("client", remote, put, options),
                  closed: Effect.tap(remote.closed, (error) => put({ from: "server", ended: endOf(error) }))
                })
              )
            })
        }
      })
    ),
    transport
  )

type Put = (line: Omit<Line, "at" | "connection">) => Effect.Effect<void>

type Side = Line["from"]

const other = (side: Side): Side => side === "client" ? "server" : "client"

// `from` speaks to this peer. What comes back on a request is tied to it.
const recorded = (from: Side, peer: Peer, put: Put, options: Options, on?: JsonRpc.Id): Peer => {
  const tied = on === undefined ? {} : { on }
  const say = (side: Side, message: JsonRpc.Message, more: { readonly on?: JsonRpc.Id } = tied) =>
    put({ from: side, ...more, message: JSON.parse(JsonRpc.encode(options.redact?.(message) ?? message)) })
  return {
    notify: (notification) => Effect.andThen(say(from, notification), peer.notify(notification)),
    request: (request, back) =>
      say(from, request).pipe(
        Effect.andThen(peer.request(request, recorded(other(from), back, put, options, request.id))),
        Effect.onExit((exit) => {
          if (Exit.isSuccess(exit)) return say(other(from), exit.value)
          const error = Exit.findErrorOption(exit)
          const ended = error._tag === "Some" ? endOf(error.value) : ABANDONED
          return put({ from: error._tag === "Some" ? other(from) : from, on: request.id, ended })
        })
      )
  }
}

const ABANDONED: NonNullable<Line["ended"]> = {
  reason: "abandoned",
  processed: "unknown",
  message: "Whoever called does not wait any more"
}

const endOf = ({ message, processed, reason }: TransportError): NonNullable<Line["ended"]> => ({
  reason,
  processed,
  message
})
