/**
 * How the client sends one request: once the session is ready, in the words of its era, with deadlines, and with the
 * errors of the protocol as tagged errors.
 *
 * Knows no method.
 *
 * @since 0.1.0
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as Logging from "@mcp-effect/protocol/Logging"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Connection, Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type { Progress } from "@mcp-effect/protocol/Progress"
import * as TraceContext from "@mcp-effect/protocol/TraceContext"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Tracer from "effect/Tracer"
import type { Era } from "./Handshake.ts"
import type { Answer } from "./InputHandlers.ts"
import type { Deadline, Deadlines } from "./internal/deadlines.ts"
import type { Extensions } from "./internal/extensions.ts"
import * as InputRounds from "./internal/inputRounds.ts"
import type { Link } from "./internal/link.ts"
import * as LocalPeer from "./internal/localPeer.ts"
import * as Notified from "./internal/notified.ts"
import * as Resending from "./internal/resending.ts"

/**
 * - `timeout`: how long to wait for the reply, or for the next progress (default: the client's).
 * - `maxTimeout`: how long to wait in all, whatever the progress (default: the client's).
 * - `onProgress`: runs for each report. It may be slow: reports then collapse to the latest.
 * - `meta`: more for the request's `_meta`.
 * - `logLevel`: the least severe log message to hear of while the request is served (default: the client's). A session of
 *   the stateful revisions has one level for all its requests, which `setLogLevel` sets.
 * - `fresh`: ask the server, even where a result is at hand that may still be used.
 * - `answer`: who answers what the server asks while it serves the request, where that can be told (default: the client's
 *   handlers).
 *
 * @since 0.1.0
 * @category models
 */
export interface RequestOptions {
  readonly timeout?: Duration.Input
  readonly maxTimeout?: Duration.Input
  readonly onProgress?: (progress: Progress) => Effect.Effect<void>
  readonly meta?: JsonRpc.Params
  readonly logLevel?: Logging.Level
  readonly fresh?: boolean
  readonly answer?: Answer
}

/**
 * Every notification that is tied to the request, progress included.
 *
 * @since 0.1.0
 * @category models
 */
export interface TiedOptions extends RequestOptions {
  /** Whether it may be sent again when nobody knows whether it was processed (default: by its method). */
  readonly idempotent?: boolean
  readonly onNotification?: (notification: JsonRpc.Notification) => Effect.Effect<void>
  /** Hears of what else came for this request, such as the messages of a subscription. */
  readonly heard?: (notification: JsonRpc.Notification) => void
  /** Is given the reply as it came, whatever becomes of it. */
  readonly received?: (response: JsonRpc.Response) => void
  /** What the server must have declared; without it, the request is sent in any case. */
  readonly capability?: string
  /** Whether a result that is still fresh will do. */
  readonly cached?: boolean
}

/**
 * A session that is ready.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ready {
  readonly connection: Connection
  readonly era: Era
}

/**
 * Sends a request and yields its result.
 *
 * @since 0.1.0
 * @category models
 */
export type Send = (
  method: string,
  params?: JsonRpc.Params,
  options?: TiedOptions
) => Effect.Effect<JsonRpc.Params, McpError.McpError>

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly link: Link
  readonly local: Peer
  readonly extensions: Extensions
  readonly deadlines: Deadlines
  /** In milliseconds. */
  readonly timeout: number
  readonly maxTimeout: number
  /** What is done around each request, once it is known which session it goes to. */
  readonly around?: (send: SendOver) => SendOver
  /** Who answers what the server asks. */
  readonly answer: Answer
  /** How many times the server may ask for one request. */
  readonly maxInputRounds: number
}): Send => {
  let nextId = 1
  const resolve = resolver(options.extensions, (...request) => sendWhole(...request))

  const send = (
    { connection, era }: Ready,
    method: string,
    params: JsonRpc.Params | undefined,
    given: TiedOptions
  ): Effect.Effect<JsonRpc.Params, McpError.McpError> => {
    let deadline: Deadline | undefined
    const back: Peer = {
      request: given.answer === undefined ? options.local.request : LocalPeer.answering(given.answer, options.local),
      notify: (notification) => {
        if (!isTied(notification)) {
          given.heard?.(notification)
          return options.local.notify(notification)
        }
        return Effect.suspend(() => {
          // It is not the server that keeps a slow consumer waiting.
          const release = deadline?.hold()
          const consumed = Notified.handle(options.extensions, notification) ?? tied(given, notification)
          return release === undefined ? consumed : Effect.ensuring(consumed, Effect.sync(release))
        })
      }
    }
    const id = nextId++
    const meta = { ...given.meta, progressToken: id }
    const request = JsonRpc.request(id, method, Meta.assign(era.prepare(params), meta))
    return Effect.withFiber((caller) => {
      let fiber: Fiber.Fiber<JsonRpc.Response, TransportError> | undefined
      // Starts under the finalizer below, so that no interruption finds a request without it.
      const exits = Effect.callback<Exit.Exit<JsonRpc.Response, TransportError>>((resume) => {
        const started = Effect.runForkWith(caller.context)(connection.request(request, back))
        fiber = started
        if (started.pollUnsafe() === undefined) {
          deadline = options.deadlines.start(
            started,
            millisOf(given.timeout ?? options.timeout),
            millisOf(given.maxTimeout ?? options.maxTimeout)
          )
        }
        started.addObserver((exit) => {
          if (Exit.isSuccess(exit)) {
            options.link.heard()
            given.received?.(exit.value)
          }
          resume(Effect.succeed(exit))
        })
      })
      return Effect.onExit(Effect.flatMap(exits, (exit) => settle(request, exit, deadline, resolve)), (exit) => {
        deadline?.stop()
        // Does not wait for the other side.
        return Exit.isFailure(exit) && fiber !== undefined && fiber.pollUnsafe() === undefined
          ? Fiber.interruptAs(fiber, caller.id, Cause.annotations(exit.cause))
          : Effect.void
      })
    })
  }

  const { around = (send) => send } = options
  const sendWhole = InputRounds.make(Resending.make(options.link, options.timeout, around(traced(send))), options)
  return sendWhole
}

/**
 * Sends a request in a session, and yields its result.
 *
 * @since 0.1.0
 * @category models
 */
export type SendOver = (
  ready: Ready,
  method: string,
  params: JsonRpc.Params | undefined,
  given: TiedOptions
) => Effect.Effect<JsonRpc.Params, McpError.McpError>

// A span where somebody collects spans, whose context travels with the request.
const traced = (send: SendOver): SendOver => (ready, method, params, given) =>
  Effect.withFiber((fiber) => {
    if (fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer) return send(ready, method, params, given)
    const { attributes, name } = TraceContext.describe(method, params, ready.era.server.revision.name)
    return Effect.useSpan(name, { kind: "client", attributes }, (span) =>
      send(ready, method, params, { ...given, meta: { ...given.meta, ...TraceContext.toMeta(span) } }))
  })

const millisOf = (duration: Duration.Input): number =>
  typeof duration === "number" ? duration : Duration.toMillis(duration)

// What makes a complete result of one of another type, if anything does.
type Resolve = (
  type: string,
  result: JsonRpc.Params,
  request: JsonRpc.Request
) => Effect.Effect<JsonRpc.Params, McpError.McpError> | undefined

const resolver = ({ resultTypes }: Extensions, send: Send): Resolve => (type, result, { method, params }) => {
  const handler = resultTypes.get(type)
  return handler && Effect.suspend(() => handler(result, { method, params, request: send }))
}

const isTied = ({ params }: JsonRpc.Notification): boolean => params !== undefined && "progressToken" in params

const tied = (options: TiedOptions, notification: JsonRpc.Notification): Effect.Effect<void> => {
  if (options.onNotification !== undefined) return options.onNotification(notification)
  if (options.onProgress === undefined || notification.method !== "notifications/progress") return Effect.void
  const progress = progressOf(notification)
  return progress === undefined
    ? Effect.logWarning("Dropped a progress notification without a number")
    : options.onProgress(progress)
}

/**
 * The progress that a notification reports.
 *
 * @since 0.1.0
 * @category accessors
 */
export const progressOf = ({ params }: JsonRpc.Notification): Progress | undefined => {
  if (typeof params?.progress !== "number") return undefined
  return {
    progress: params.progress,
    ...(typeof params.total === "number" ? { total: params.total } : {}),
    ...(typeof params.message === "string" ? { message: params.message } : {})
  }
}

const settle = (
  request: JsonRpc.Request,
  exit: Exit.Exit<JsonRpc.Response, TransportError>,
  deadline: Deadline | undefined,
  resolve: Resolve
): Effect.Effect<JsonRpc.Params, McpError.McpError> => {
  const kind = deadline?.expired()
  if (deadline !== undefined && kind !== undefined) {
    const millis = kind === "timeout" ? deadline.timeout : deadline.maximum
    return Effect.fail(new McpError.RequestTimeout({ method: request.method, millis, kind }))
  }
  if (Exit.isFailure(exit)) {
    return Effect.failCause(Cause.map(exit.cause, (error) => McpError.fromTransport(request.method, error)))
  }
  const response = exit.value
  if (response._tag === "Failure") return Effect.fail(McpError.fromWire(request, response.error))
  return completed(request, response.result, resolve)
}

const completed = (
  request: JsonRpc.Request,
  result: JsonRpc.Params,
  resolve?: Resolve
): Effect.Effect<JsonRpc.Params, McpError.McpError> => {
  const { resultType = "complete" } = result
  // What is asked for is the matter of who sends it again.
  if (resultType === "complete" || resultType === InputRounds.INPUT_REQUIRED) return Effect.succeed(result)
  const resolved = Predicate.isString(resultType) ? resolve?.(resultType, result, request) : undefined
  // What is made of it is complete, or nothing that anybody knows.
  if (resolved !== undefined) return Effect.flatMap(resolved, (result) => completed(request, result))
  const type = Predicate.isString(resultType) ? JSON.stringify(resultType) : typeof resultType
  return Effect.fail(
    new McpError.InvalidResult({
      method: request.method,
      message: `The server answered with a result of type ${type}, which this client does not know`
    })
  )
}
