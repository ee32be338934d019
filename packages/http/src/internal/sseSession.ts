/**
 * One session of HTTP+SSE, which is as long as its event stream: messages come in by POST, and go out as events.
 *
 * It is served in the context of the request that has opened the stream, by whoever was authenticated there.
 */
import * as Duplex from "@mcp-effect/protocol/Duplex"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { Limits } from "@mcp-effect/protocol/Limits"
import * as Outbox from "@mcp-effect/protocol/Outbox"
import { TransportError } from "@mcp-effect/protocol/Peer"
import type { ServerConnection } from "@mcp-effect/server/Dispatch"
import type { McpServer } from "@mcp-effect/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import * as EventStream from "../EventStream.ts"
import type { Wire } from "./exchange.ts"
import * as Reply from "./reply.ts"

export interface Parts {
  readonly server: McpServer["Service"]
  readonly wire: Wire
  readonly limits: Limits
  /** Where the session ends at the latest. */
  readonly within: Scope.Scope
}

export interface SseSession {
  /** The event stream. */
  readonly response: HttpServerResponse.HttpServerResponse
  /** Takes a message, once its body is there. */
  readonly post: (
    body: Effect.Effect<string, HttpServerResponse.HttpServerResponse>
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  /** Nobody reads the stream any more. */
  readonly left: Effect.Effect<void>
}

/** Opens a session for the request of this fiber. `endpoint` is where its client sends messages to. */
export const open = ({ limits, server, wire, within }: Parts, endpoint: string): Effect.Effect<SseSession> =>
  Effect.withFiber((route) =>
    Effect.gen(function*() {
      const scope = yield* Scope.fork(within)
      const gone = yield* Deferred.make<void>()
      // What waits is in two places.
      const capacity = wire.capacity / 2
      const outbox = Outbox.make({ capacity })
      const stream = EventStream.make({
        ...wire,
        capacity,
        drop: () => {
          wire.run(left)
          route.interruptUnsafe()
        }
      })
      stream.push(EventStream.frame({ event: "endpoint", data: endpoint }))
      let connection: ServerConnection | undefined
      const batches = (): boolean => connection?.batches() ?? false
      const duplex = yield* Scope.provide(
        Duplex.make({
          outbox,
          local: (remote) => Effect.tap(server.connect(remote), (opened) => Effect.sync(() => connection = opened)),
          batches,
          answerInvalid: true
        }),
        scope
      )
      const carrier = wire.run(carry(outbox, stream))
      const left = Effect.suspend(() => {
        stream.gone()
        Deferred.doneUnsafe(gone, Effect.void)
        return Effect.andThen(duplex.close(lost), Scope.close(scope, Exit.void))
      })
      const written = Fiber.await(carrier).pipe(
        Effect.andThen(Effect.sync(stream.end)),
        Effect.andThen(Deferred.await(gone))
      )
      yield* Scope.addFinalizer(
        scope,
        duplex.ending.pipe(
          Effect.andThen(duplex.close(stopped)),
          Effect.andThen(Effect.timeoutOption(Effect.interruptible(written), "250 millis")),
          Effect.map((done) => {
            if (done._tag === "Some") return
            stream.end()
            carrier.interruptUnsafe()
            route.interruptUnsafe()
          })
        )
      )
      return { response: stream.response, post: posting({ duplex, outbox, batches, most: limits.inFlight }), left }
    })
  )

// Ends with either of them.
const carry = (from: Outbox.Outbox, to: EventStream.EventStream): Effect.Effect<void> =>
  Effect.ignore(Effect.forever(Effect.flatMap(
    from.take,
    (texts) => to.offer(texts.map((data) => EventStream.frame({ event: "message", data })).join(""))
  )))

const posting = ({ batches, duplex, most, outbox }: {
  readonly duplex: Duplex.Duplex
  readonly outbox: Outbox.Outbox
  readonly batches: () => boolean
  readonly most: number
}): SseSession["post"] => {
  let posts = 0
  const received = (text: string): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const message = JsonRpc.decode(text, { batches: batches() })
    // Read twice, so that who sends what is no message hears of it at once, and not on the stream as a reply to nothing.
    // What is meant as a response may be one that is waited for.
    if (message._tag === "Invalid" && message.kind !== "response") {
      return Effect.as(Effect.logWarning(`Not a message. ${message.reason}`), Reply.invalid(message))
    }
    // Replies would pile up for a client that sends and does not read.
    return Effect.match(outbox.room(4), {
      onFailure: () => unknown,
      onSuccess: () => {
        duplex.receive(text)
        return accepted
      }
    })
  }
  return (body) =>
    Effect.suspend(() => {
      if (posts >= most) return Effect.as(Effect.logWarning(`Refused a message: ${most} are on their way`), busy)
      posts++
      return Effect.ensuring(
        Effect.matchEffect(body, { onFailure: Effect.succeed, onSuccess: received }),
        Effect.sync(() => posts--)
      )
    })
}

export const unknown = Reply.refused(404, "There is no such session: its event stream has ended, or never was")

const accepted = HttpServerResponse.text("Accepted", { status: 202 })

const busy = Reply.refused(503, "Too many messages are on their way; try again later", {
  headers: { "retry-after": "1" }
})

const lost = new TransportError({ reason: "closed", processed: "unknown", message: "The event stream was closed" })

const stopped = new TransportError({ reason: "closed", processed: "unknown", message: "The server has ended" })
