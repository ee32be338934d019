/**
 * Passes on to the client what is logged while its request is handled. The server's own loggers hear what they heard
 * before: a client that wants more detail does not make them noisier.
 */
import * as Logging from "@mcp-effect/protocol/Logging"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Formatter from "effect/Formatter"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import type { Reporter } from "./reporter.ts"

/** Messages that may wait for a slow client; of more, the server's own log hears, and the client when there is room. */
const WAITING = 256

type AnyLogger = Logger.Logger<unknown, unknown>

interface Forwarding {
  readonly log: (message: Logging.Message) => void
  /** The context as it was. */
  readonly before: Context.Context<never>
  readonly loggers: ReadonlySet<AnyLogger>
  readonly minimum: LogLevel.LogLevel
  /** The loggers that were there before, by what is there for them. */
  readonly own: ReadonlyMap<AnyLogger, AnyLogger>
  readonly forwarder: AnyLogger
}

const CurrentForwarding: Context.Reference<Forwarding | undefined> = Context.Reference<Forwarding | undefined>(
  "@mcp-effect/server/CurrentForwarding",
  { defaultValue: () => undefined }
)

/** Sends a message to the client of the request that is being handled; nowhere if it wants to hear of none. */
export const log = (message: Logging.Message): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    fiber.getRef(CurrentForwarding)?.log(message)
    return Effect.void
  })

/** The context of a request whose client wants to hear of messages from `level` on. */
export const add = <R>(context: Context.Context<R>, level: Logging.Level, reporter: Reporter): Context.Context<R> => {
  const log = sender(level, reporter, Effect.runForkWith(context as Context.Context<never>))
  const before = Context.get(context, References.MinimumLogLevel)
  const wanted = Logging.toEffect(level)
  const lower = LogLevel.isLessThan(wanted, before)
  const own = new Map(
    [...Context.get(context, Logger.CurrentLoggers)].map((logger) => [lower ? from(before, logger) : logger, logger])
  )
  const forwarder = Logger.make((options) => {
    const severity = Logging.fromEffect(options.logLevel)
    if (Logging.isAtLeast(severity, level)) log({ level: severity, data: data(options) })
  })
  const loggers = new Set([...own.keys(), forwarder])
  const minimum = lower ? wanted : before
  const forwarding: Forwarding = { log, before: context as Context.Context<never>, loggers, minimum, own, forwarder }
  const added = Context.add(Context.add(context, CurrentForwarding, forwarding), Logger.CurrentLoggers, loggers)
  return lower ? Context.add(added, References.MinimumLogLevel, minimum) : added
}

/** The context without what `add` has added; what was changed since then stays. */
export const remove = <R>(context: Context.Context<R>): Context.Context<R> => {
  const forwarding = Context.get(context, CurrentForwarding)
  if (forwarding === undefined) return context
  const { before, forwarder, minimum, own } = forwarding
  const loggers = Context.get(context, Logger.CurrentLoggers)
  const removed = Context.add(context, CurrentForwarding, undefined)
  const quiet = loggers === forwarding.loggers
    ? restored(removed, Logger.CurrentLoggers, before)
    : Context.add(
      removed,
      Logger.CurrentLoggers,
      new Set([...loggers].filter((logger) => logger !== forwarder).map((logger) => own.get(logger) ?? logger))
    )
  return Context.get(context, References.MinimumLogLevel) === minimum
    ? restored(quiet, References.MinimumLogLevel, before)
    : quiet
}

/** Runs what is not for the client: its logs stay with the server. */
export const outside = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(self, (context: Context.Context<R>) => remove(context))

// What was not set is not set again: a default may change where the context is used.
const restored = <R, S>(
  context: Context.Context<R>,
  reference: Context.Reference<S>,
  before: Context.Context<never>
): Context.Context<R> => {
  if (before.mapUnsafe.has(reference.key)) return Context.add(context, reference, Context.get(before, reference))
  // Sound: a reference is no requirement.
  return Context.omit(reference)(context) as Context.Context<R>
}

const from = (minimum: LogLevel.LogLevel, logger: AnyLogger): AnyLogger =>
  Logger.make((options) => {
    if (!LogLevel.isLessThan(options.logLevel, minimum)) logger.log(options)
  })

const sender = (
  level: Logging.Level,
  reporter: Reporter,
  run: (effect: Effect.Effect<void>) => { readonly addObserver: (f: () => void) => void }
): (message: Logging.Message) => void => {
  let waiting = 0
  let dropped = 0
  const send = (message: Logging.Message): void => {
    waiting++
    run(reporter.send("notifications/message", { ...message })).addObserver(() => {
      waiting--
      if (dropped === 0 || waiting > 0) return
      const data = `${dropped} messages were dropped: the client was too slow`
      dropped = 0
      // A client that wants to hear of worse only has missed worse.
      send({ level: Logging.isAtLeast("warning", level) ? "warning" : level, data })
    })
  }
  return (message) => {
    if (waiting < WAITING) return send(message)
    // The client may never learn of it: nothing is sent after the result.
    if (dropped++ === 0) run(Effect.logWarning(`Log messages are dropped: ${WAITING} were waiting for their client`))
  }
}

// A cause stays in the server's own log: what it says of the inside of the server is not for the client.
const data = ({ cause, fiber, message }: Logger.Options<unknown>): unknown => {
  const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
  const causeOnly = parts.length === 0 && cause.reasons.length > 0
  const text = causeOnly
    ? (Cause.hasFails(cause) ? "Failed" : "Failed unexpectedly")
    : json(parts.length === 1 ? parts[0] : parts)
  const annotations = fiber.getRef(References.CurrentLogAnnotations)
  return Object.keys(annotations).length === 0 ? text : { message: text, annotations: json(annotations) }
}

// Redacted values stay redacted, and what JSON cannot say becomes text. Whoever logs must not fail for what is logged.
const json = (value: unknown): unknown => {
  if (typeof value === "string") return value
  try {
    return JSON.parse(Formatter.formatJson(value))
  } catch {
    return "[a value that cannot be written]"
  }
}

/** What anybody may have put into a message, as JSON. */
export const written = ({ data, ...rest }: Logging.Message): Logging.Message => ({ ...rest, data: json(data) })
