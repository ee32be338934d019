/**
 * A connection over HTTP+SSE of 2024-11-05: a stream of events, whose first says where to send messages. It ends with the
 * stream; there is no way to come back.
 */
import * as Duplex from "@mcp-effect/protocol/Duplex"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as Outbox from "@mcp-effect/protocol/Outbox"
import { type Connection, type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Headers from "effect/http/Headers"
import type { HttpClient } from "effect/http/HttpClient"
import type * as Scope from "effect/Scope"
import * as Body from "./clientBody.ts"
import * as Events from "./clientEvents.ts"
import * as Failure from "./clientFailure.ts"
import * as Wire from "./clientWire.ts"

export interface Options {
  readonly client: HttpClient
  readonly url: URL
  readonly headers: Headers.Headers
}

/** Opens the stream, and waits for where to send. */
export const open = (options: Options, local: Peer): Effect.Effect<Connection, TransportError, Scope.Scope> =>
  Effect.gen(function*() {
    const limits = yield* Limits.Limits
    const outbox = Outbox.make({ capacity: limits.outbox })
    const duplex = yield* Duplex.make({ outbox, local: () => Effect.succeed(local), answerInvalid: false })
    const { headers, url } = options
    const wire = Wire.make(options.client, { url, headers, secrets: () => [] })
    const response = yield* wire.send("GET", { accept: "text/event-stream" })
    if (response.status !== 200 || !Body.isEvents(Body.typeOf(response))) {
      yield* Body.discard(response)
      return yield* response.status === 200
        ? Failure.noReply(response, wire.site)
        : Failure.status(response, "GET", "", wire.site)
    }
    const endpoint = yield* Deferred.make<URL, TransportError>()
    const reading = Events.read(response, Events.start(), {
      limit: limits.messageBytes,
      site: wire.site,
      data: (text, event) =>
        event === "endpoint"
          ? void Deferred.doneUnsafe(endpoint, endpointOf(text, url))
          : event === "message"
          ? duplex.receive(text)
          : undefined
    })
    const ended = Effect.matchEffect(reading, {
      onFailure: Effect.succeed,
      onSuccess: () => Effect.succeed(over(wire.site))
    })
    yield* Effect.forkScoped(
      Effect.flatMap(ended, (error) =>
        Effect.andThen(
          duplex.close(error),
          Effect.sync(() => Deferred.doneUnsafe(endpoint, Effect.fail(error)))
        ))
    )
    const target = yield* Effect.timeoutOrElse(Deferred.await(endpoint), {
      duration: PATIENCE,
      orElse: () => Effect.fail(silent(wire.site))
    })
    const out = Wire.make(options.client, { url: target, headers, secrets: () => [target.search, target.pathname] })
    yield* Effect.forkScoped(
      Effect.ignore(Effect.forever(Effect.flatMap(outbox.take, (texts) => sendAll(out, duplex, texts))))
    )
    return duplex
  })

// How long a server may take to say where to send.
const PATIENCE = "30 seconds"

// How long one message waits for the one before it to be accepted: they may not change places, but nothing may stand still.
const TURN = "50 millis"

const endpointOf = (text: string, from: URL): Effect.Effect<URL, TransportError> => {
  const url = URL.canParse(text, from) ? new URL(text, from) : undefined
  return url !== undefined && url.origin === from.origin
    ? Effect.succeed(url)
    : Effect.fail(
      Failure.malformed(`The server at ${from.origin} names an endpoint of another origin, to which nothing is sent`)
    )
}

const sendAll = (
  wire: Wire.Wire,
  duplex: Duplex.Duplex,
  texts: ReadonlyArray<string>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.forEach(
    texts,
    (text) =>
      Effect.flatMap(Effect.forkScoped(send(wire, duplex, text)), (fiber) =>
        Effect.timeoutOption(Fiber.await(fiber), TURN)),
    { discard: true }
  )

const send = (wire: Wire.Wire, duplex: Duplex.Duplex, text: string): Effect.Effect<void> =>
  Effect.matchEffect(wire.send("POST", {}, text), {
    onFailure: (error) => refused(duplex, text, error),
    onSuccess: (response) =>
      Effect.andThen(Body.discard(response), () => {
        if (response.status >= 200 && response.status < 300) return Effect.void
        const error = Failure.status(response, "POST", "", wire.site)
        // The session is not there any more.
        return response.status === 404 || response.status === 410 ? duplex.close(error) : refused(duplex, text, error)
      })
  })

// Whoever waits for a reply is told that there will be none.
const refused = (duplex: Duplex.Duplex, text: string, { message }: TransportError): Effect.Effect<void> => {
  const sent = JsonRpc.decode(text)
  if (sent._tag !== "Request") return Effect.logWarning(`A message was not delivered. ${message}`)
  return Effect.sync(() =>
    duplex.receive(JsonRpc.encode(JsonRpc.failure(sent.id, { code: JsonRpc.INTERNAL_ERROR, message })))
  )
}

const over = ({ origin }: Failure.Site): TransportError =>
  new TransportError({
    reason: "closed",
    processed: "unknown",
    message: `The server at ${origin} ended its event stream`
  })

const silent = ({ origin }: Failure.Site): TransportError =>
  new TransportError({
    reason: "refused",
    processed: "no",
    message: `The server at ${origin} opened an event stream, and did not say within ${PATIENCE} where to send messages`
  })
