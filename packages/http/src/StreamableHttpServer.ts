/**
 * Serves over Streamable HTTP: one URL, for clients of both eras.
 *
 * A route of `effect/http`'s router, on whichever platform that runs. Knows nothing of what is served.
 *
 * Source: `basic/transports/streamable-http` of revision 2026-07-28, and `basic/transports` of those since 2025-03-26.
 *
 * @since 0.1.0
 */
import * as Limits from "@mcp-effect/protocol/Limits"
import { closed } from "@mcp-effect/protocol/Peer"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import { McpServer } from "@mcp-effect/server/McpServer"
import { Transports } from "@mcp-effect/server/Transports"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as EventStore from "./EventStore.ts"
import * as Body from "./internal/body.ts"
import { CurrentStream } from "./internal/currentStream.ts"
import * as Endpoint from "./internal/endpoint.ts"
import type { Wire } from "./internal/exchange.ts"
import * as SessionIds from "./internal/sessionIds.ts"
import * as Sessionless from "./internal/sessionless.ts"
import { Sessions } from "./internal/sessions.ts"
import * as Single from "./internal/single.ts"
import * as Stateful from "./internal/stateful.ts"
import * as Stateless from "./internal/stateless.ts"
import * as Origin from "./Origin.ts"
import * as SessionStore from "./SessionStore.ts"

/**
 * How to keep sessions of the stateful revisions.
 *
 * - `idle`: how long one is kept without a word from its client (default 30 minutes).
 * - `max`: how many there may be at once (default 10,000); one more is refused with 503.
 * - `streams`: how many streams a client may have open for what is said outside of its requests (default 8).
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionOptions {
  readonly idle?: Duration.Input
  readonly max?: number
  readonly streams?: number
}

/**
 * - `path`: where (default `/mcp`).
 * - `sessions`: how sessions of the stateful revisions are kept; `false`: not at all, for where no process lives long.
 * - `heartbeat`: how long a response may be silent (default 15 seconds).
 * - `bodyTimeout`: how long a client may take to send a message (default 30 seconds).
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Origin.Options {
  readonly path?: HttpRouter.PathInput
  readonly sessions?: SessionOptions | false
  readonly heartbeat?: Duration.Input
  readonly bodyTimeout?: Duration.Input
}

/**
 * Serves the `McpServer` at a path of the router. Several may stand side by side.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<never, never, McpServer | HttpRouter.HttpRouter> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const router = yield* HttpRouter.HttpRouter
    const endpoint = yield* make(options)
    yield* router.add("*", options.path ?? "/mcp", endpoint)
  }))

const make = (options: Options) =>
  Effect.gen(function*() {
    const server = yield* McpServer
    const limits = yield* Limits.Limits
    const wire: Wire = {
      run: Effect.runForkWith(yield* Effect.context<never>()),
      heartbeat: Duration.fromInputUnsafe(options.heartbeat ?? "15 seconds"),
      capacity: limits.outbox
    }
    const single = Single.make(wire, limits.inFlight)
    yield* Effect.addFinalizer(() => single.close)
    const connection = yield* server.connect(closed)
    const sessions = yield* keepSessions(server, options.sessions ?? {}, wire)
    yield* Effect.addFinalizer(() => connection.ending)
    ;(yield* Transports).started(Effect.andThen(connection.ending, sessions?.ending ?? Effect.void))
    const stateless = Revisions.ofEra(server.revisions, "stateless")
    const stateful = Revisions.ofEra(server.revisions, "stateful")
    const endpoint = Endpoint.make({
      guard: Origin.make(options),
      read: yield* Body.make(wire.run, {
        bytes: limits.messageBytes,
        timeout: Duration.fromInputUnsafe(options.bodyTimeout ?? "30 seconds")
      }),
      stateless: {
        era: Stateless.make({ server, connection, answer: single.answer, revisions: stateless }),
        revisions: stateless
      },
      stateful: stateful.length === 0 ? undefined : {
        era: sessions === undefined
          ? Sessionless.make({ server, single, run: wire.run, maxBatch: limits.batch })
          : Stateful.make(sessions),
        revisions: stateful
      }
    })
    return Effect.withFiber<HttpServerResponse, never, HttpServerRequest | Scope.Scope>((fiber) => {
      const responds = endpoint(Context.getUnsafe(fiber.context, HttpServerRequest))
      // The layer of the endpoint may have others than that of the router.
      return fiber.getRef(Limits.Limits) === limits
        ? responds
        : Effect.provideService(responds, Limits.Limits, limits)
    })
  })

const keepSessions = (
  server: McpServer["Service"],
  options: SessionOptions | false,
  wire: Wire
): Effect.Effect<Sessions | undefined, never, Scope.Scope> =>
  Effect.gen(function*() {
    if (options === false) return undefined
    const random = yield* SecureRandom.SecureRandom
    const sessions = new Sessions({
      server,
      nextId: SessionIds.make(random),
      store: Option.getOrElse(yield* Effect.serviceOption(SessionStore.SessionStore), SessionStore.memory),
      shared: {
        wire,
        limits: yield* Limits.Limits,
        events: Option.getOrElse(yield* Effect.serviceOption(EventStore.EventStore), EventStore.memory),
        instance: (yield* random.uuidV4()).slice(0, 8),
        streams: options.streams ?? 8
      },
      context: yield* Effect.context<never>(),
      idle: Duration.fromInputUnsafe(options.idle ?? "30 minutes"),
      max: options.max ?? 10_000
    })
    yield* Effect.addFinalizer(() => sessions.close)
    yield* Effect.forkScoped(sessions.sweep)
    return sessions
  }).pipe(Effect.provide(SecureRandom.layerWebCrypto))

/**
 * Closes the connection on which the current request is answered, from inside its handler; the client comes back for the
 * rest after `retry` (default 1 second). Where a client cannot, which is so for all but sessions of 2025-11-25, it stays.
 *
 * @since 0.1.0
 * @category streams
 */
export const disconnect = (options: { readonly retry?: Duration.Input } = {}): Effect.Effect<void> =>
  Effect.map(
    CurrentStream,
    (stream) => stream?.interrupt(Duration.toMillis(Duration.fromInputUnsafe(options.retry ?? "1 second")))
  )

/**
 * The endpoint as a handler of web requests, for Workers, Deno and Bun: the server, with its tools, is a layer. `dispose`
 * ends it.
 *
 * @since 0.1.0
 * @category handlers
 */
export const toWebHandler = <E>(
  server: Layer.Layer<McpServer, E>,
  options: Options = {}
): {
  readonly handler: (request: Request) => Promise<Response>
  readonly dispose: () => Promise<void>
} => HttpRouter.toWebHandler(Layer.provide(layer(options), server), { disableLogger: true })
