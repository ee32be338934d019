/**
 * Serves over HTTP+SSE, for clients that know nothing newer: an event stream for what the server says, and a URL of its own
 * that the client sends messages to.
 *
 * Two routes of `effect/http`'s router, on whichever platform that runs. Knows nothing of what is served.
 *
 * Source: `basic/transports#http-with-sse` of revision 2024-11-05.
 *
 * @since 0.1.0
 */
import * as Limits from "@mcp-effect/protocol/Limits"
import { McpServer } from "@mcp-effect/server/McpServer"
import { Transports } from "@mcp-effect/server/Transports"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Headers from "effect/http/Headers"
import * as HttpRouter from "effect/http/HttpRouter"
import { type HttpServerRequest, ParsedSearchParams } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Body from "./internal/body.ts"
import type { Wire } from "./internal/exchange.ts"
import { problemOfGet, problemOfPost } from "./internal/headers.ts"
import * as Reply from "./internal/reply.ts"
import { SseSessions } from "./internal/sseSessions.ts"
import * as Origin from "./Origin.ts"

/**
 * - `ssePath`: where event streams are opened (default `/sse`).
 * - `messagePath`: where messages are sent to, without parameters or wildcards (default `/messages`). It may be the same.
 * - `max`: how many event streams may be open at once (default 1000); one more is refused with 503.
 * - `heartbeat`: how long an event stream may be silent (default 15 seconds).
 * - `bodyTimeout`: how long a client may take to send a message (default 30 seconds).
 *
 * Where requests may come from is said as in {@link Origin.Options}: by default, they must be to a loopback name.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Origin.Options {
  readonly ssePath?: HttpRouter.PathInput
  readonly messagePath?: HttpRouter.PathInput
  readonly max?: number
  readonly heartbeat?: Duration.Input
  readonly bodyTimeout?: Duration.Input
}

/**
 * Serves the `McpServer` at two paths of the router. A session is as long as its event stream, and whoever has opened that
 * is the principal of all that happens in it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<never, never, McpServer | HttpRouter.HttpRouter> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const router = yield* HttpRouter.HttpRouter
    const { ssePath = "/sse", messagePath = "/messages" } = options
    const { listen, post } = yield* make(messagePath, options)
    const guard = Origin.make(options)
    if (ssePath === messagePath) return yield* router.add("*", ssePath, byMethod(guard, { GET: listen, POST: post }))
    yield* router.add("*", ssePath, byMethod(guard, { GET: listen }))
    yield* router.add("*", messagePath, byMethod(guard, { POST: post }))
  }))

type Handler = (
  request: HttpServerRequest
) => Effect.Effect<HttpServerResponse, never, Scope.Scope | ParsedSearchParams>

const make = (messagePath: string, options: Options) =>
  Effect.gen(function*() {
    const limits = yield* Limits.Limits
    const context = yield* Effect.context<never>()
    const wire: Wire = {
      run: Effect.runForkWith(context),
      heartbeat: Duration.fromInputUnsafe(options.heartbeat ?? "15 seconds"),
      capacity: limits.outbox
    }
    const within = yield* Scope.make("parallel")
    const sessions = new SseSessions({
      server: yield* McpServer,
      random: yield* SecureRandom.SecureRandom,
      max: options.max ?? 1000,
      wire,
      limits,
      within,
      context,
      messagePath
    })
    const end = Effect.suspend(() => {
      sessions.end()
      return Scope.close(within, Exit.void)
    })
    yield* Effect.addFinalizer(() => end)
    ;(yield* Transports).started(end)
    const read = yield* Body.make(wire.run, {
      bytes: limits.messageBytes,
      timeout: Duration.fromInputUnsafe(options.bodyTimeout ?? "30 seconds")
    })
    const listen: Handler = (request) => {
      const refused = problemOfGet(request.headers)
      return refused === undefined ? sessions.open(request) : Effect.succeed(refused)
    }
    const post: Handler = (request) => {
      // Whatever a client accepts, the replies go elsewhere.
      const refused = problemOfPost(Headers.remove(request.headers, "accept"))
      return refused === undefined
        ? Effect.flatMap(ParsedSearchParams, ({ sessionId }) => sessions.post(sessionId, read(request)))
        : Effect.succeed(refused)
    }
    return { listen, post }
  }).pipe(Effect.provide(SecureRandom.layerWebCrypto))

/** What a path answers. `guard` says what is wrong with where a request comes from. */
const byMethod = (
  guard: ReturnType<typeof Origin.make>,
  handlers: Readonly<Record<string, Handler>>
): Handler => {
  const allow = Object.keys(handlers).join(", ")
  const other = Reply.refused(405, `The method must be ${allow}`, { headers: { allow } })
  return (request) => {
    const problem = guard(request.headers)
    if (problem !== undefined) {
      return Effect.as(Effect.logWarning(`Refused a request: ${problem}`), Reply.refused(403, problem))
    }
    return handlers[request.method]?.(request) ?? Effect.succeed(other)
  }
}
