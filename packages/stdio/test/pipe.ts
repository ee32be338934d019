/** Standard streams in memory: a `StdioServer` at one end of two pipes, and a client at the other. */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import { TransportError } from "@mcp-effect/protocol/Peer"
import { McpServer } from "@mcp-effect/server/McpServer"
import { StdioServer, Wire } from "@mcp-effect/stdio"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

const bytes = (chunk: string | Uint8Array): Uint8Array =>
  typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk

/** One direction. What is written arrives in chunks of `size` bytes, wherever they end. */
export const pipe = (size = 64 * 1024) =>
  Effect.map(Queue.bounded<Uint8Array, Cause.Done>(16), (queue) => ({
    output: Sink.forEach((chunk: string | Uint8Array) => {
      const all = bytes(chunk)
      const pieces = Array.from(
        { length: Math.ceil(all.length / size) },
        (_, index) => all.slice(index * size, (index + 1) * size)
      )
      return Queue.offerAll(queue, pieces)
    }),
    input: Stream.fromQueue(queue),
    end: Queue.end(queue),
    /** Nobody reads any more: what is written goes nowhere. */
    shut: Queue.shutdown(queue)
  }))

const gone = new TransportError({ reason: "closed", processed: "unknown", message: "The pipe has ended" })

type Bytes = Stream.Stream<Uint8Array, unknown>

/** `received` is what becomes of what the client reads. */
export const transport = (
  size?: number,
  received: (input: Bytes) => Bytes = (input) => input
): Layer.Layer<ClientTransport, never, McpServer> =>
  Layer.effect(
    ClientTransport,
    Effect.map(McpServer, (server) => ({
      connect: (local) =>
        Effect.gen(function*() {
          const toServer = yield* pipe(size)
          const toClient = yield* pipe(size)
          const stdio = Layer.succeed(
            Stdio.Stdio,
            Stdio.make({
              args: Effect.succeed([]),
              stdin: toServer.input,
              stdout: () => toClient.output,
              stderr: () => Sink.drain
            })
          )
          yield* Layer.build(
            StdioServer.layer.pipe(Layer.provide(stdio), Layer.provide(Layer.succeed(McpServer, server)))
          )
          yield* Effect.addFinalizer(() => toClient.shut)
          const wire = yield* Wire.make({
            input: received(toClient.input),
            output: toServer.output,
            local: () => Effect.succeed(local),
            answerInvalid: false
          })
          yield* Effect.forkScoped(Effect.andThen(Effect.exit(wire.read), wire.duplex.close(gone)))
          yield* Effect.addFinalizer(() => toServer.end)
          return wire.duplex
        })
    }))
  )
