/**
 * A request that needs no session: the exchange is all there is of it, and ends with its connection.
 *
 * So is every request of the stateless era, and one of the stateful revisions where the server keeps no sessions.
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as EventStream from "../EventStream.ts"
import type { Responds } from "./era.ts"
import { Exchange, type Wire } from "./exchange.ts"
import * as Reply from "./reply.ts"
import * as Text from "./text.ts"

/** `status` is that of a reply that is the whole response. `handle` runs in the context of the route. */
export type Answer = (
  request: JsonRpc.Request,
  handle: (back: Peer) => Effect.Effect<JsonRpc.Response, TransportError>,
  status: (response: JsonRpc.Response) => number
) => Responds

/** What is said when it is done. `status` is that of a response which is nothing else. */
export interface Written {
  readonly text: string
  readonly status: number
}

export interface Single {
  readonly answer: Answer
  /** The same for what is not one request. */
  readonly respond: <A, E>(
    handle: (back: Peer) => Effect.Effect<A, E>,
    write: (exit: Exit.Exit<A, E>) => Written
  ) => Responds
  /** Interrupts what is in flight. */
  readonly close: Effect.Effect<void>
}

/** No more than `inFlight` of them at once. */
export const make = (wire: Wire, inFlight: number): Single => {
  const running = new Set<Fiber.Fiber<unknown, unknown>>()
  // A route that is interrupted while it starts the handler must still get to the finalizer that ends it.
  const respond: Single["respond"] = (handle, write) =>
    Effect.uninterruptible(Effect.withFiber((route) => {
      if (running.size >= inFlight) return Effect.as(full(inFlight), busy)
      const exchange = new Exchange(wire, route)
      const finish = (exit: Parameters<typeof write>[0]): void => {
        if (exchange.isOver()) return
        const { status, text } = write(exit)
        if (!exchange.reply(Reply.json(text, status))) {
          exchange.finish(EventStream.frame({ event: "message", data: text }))
        }
      }
      const fiber = Effect.runForkWith(route.context)(handle(back(exchange)))
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) {
        finish(exit)
      } else {
        running.add(fiber)
        fiber.addObserver((exit) => {
          running.delete(fiber)
          finish(exit)
        })
      }
      return exchange.response(() => fiber.interruptUnsafe())
    }))
  return {
    respond,
    answer: (request, handle, status) =>
      respond(handle, (exit) => {
        const response = responseOf(wire, request, exit)
        return { text: Text.ofResponse(wire.run, response), status: status(response) }
      }),
    close: Effect.suspend(() => Fiber.interruptAll([...running]))
  }
}

const full = (inFlight: number): Effect.Effect<void> =>
  Effect.logWarning(`Refused a request: ${inFlight} are in flight, which is the limit`)

const busy = Reply.refused(503, "Too many requests are in flight; try again later", { headers: { "retry-after": "1" } })

const back = (exchange: Exchange): Peer => ({
  notify: (notification) =>
    Text.withNotification(notification, (data, stale) => {
      const stream = exchange.open()
      return stream === undefined
        ? Effect.fail(gone)
        : stream.offer(EventStream.frame({ event: "message", data }), stale)
    }),
  request: () => Effect.fail(unasked)
})

const gone = new TransportError({ reason: "closed", processed: "unknown", message: "The client has gone" })

const unasked = new TransportError({
  reason: "refused",
  processed: "no",
  message: "Without a session, the client cannot be asked"
})

const responseOf = (
  { run }: Wire,
  { id, method }: JsonRpc.Request,
  exit: Exit.Exit<JsonRpc.Response, TransportError>
): JsonRpc.Response => {
  if (exit._tag === "Success") return exit.value
  const error = Cause.findErrorOption(exit.cause)
  if (error._tag === "None" && !Cause.hasInterruptsOnly(exit.cause)) {
    run(Effect.logError(`The handler of ${method} failed`, exit.cause))
  }
  return JsonRpc.failure(id, {
    code: JsonRpc.INTERNAL_ERROR,
    message: error._tag === "Some" ? `The request could not be passed on: ${error.value.message}` : "Internal error"
  })
}
