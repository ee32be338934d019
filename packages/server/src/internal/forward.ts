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

/** Messages that may wait for a slow client; more are counted, and told of when there is room. */
const WAITING = 256

/** Where messages for the client go; nowhere outside of a request that wants them. */
export const CurrentLog: Context.Reference<(message: Logging.Message) => Effect.Effect<void>> = Context.Reference<
  (message: Logging.Message) => Effect.Effect<void>
>("@mcp-effect/server/CurrentLog", { defaultValue: () => () => Effect.void })

/** The context of a request whose client wants to hear of messages from `level` on. */
export const add = <R>(context: Context.Context<R>, level: Logging.Level, reporter: Reporter): Context.Context<R> => {
  const send = (message: Logging.Message): Effect.Effect<void> => reporter.send("notifications/message", { ...message })
  const run = Effect.runForkWith(context as Context.Context<never>)
  const minimum = Context.get(context, References.MinimumLogLevel)
  const wanted = Logging.toEffect(level)
  const own = Context.get(context, Logger.CurrentLoggers)
  const lower = LogLevel.isLessThan(wanted, minimum)
  const loggers = new Set(lower ? [...own].map((logger) => from(minimum, logger)) : own)
  loggers.add(forwarder(level, send, run))
  const withLoggers = Context.add(
    Context.add(context, CurrentLog, send),
    Logger.CurrentLoggers,
    loggers
  )
  return lower ? Context.add(withLoggers, References.MinimumLogLevel, wanted) : withLoggers
}

const from = (
  minimum: LogLevel.LogLevel,
  logger: Logger.Logger<unknown, unknown>
): Logger.Logger<unknown, unknown> =>
  Logger.make((options) => {
    if (!LogLevel.isLessThan(options.logLevel, minimum)) logger.log(options)
  })

const forwarder = (
  level: Logging.Level,
  send: (message: Logging.Message) => Effect.Effect<void>,
  run: (effect: Effect.Effect<void>) => { readonly addObserver: (f: () => void) => void }
): Logger.Logger<unknown, void> => {
  let waiting = 0
  let dropped = 0
  const sendLater = (message: Logging.Message): void => {
    waiting++
    run(send(message)).addObserver(() => {
      waiting--
      if (dropped === 0 || waiting > 0) return
      const data = `${dropped} messages were dropped: the client was too slow`
      dropped = 0
      sendLater({ level: "warning", data })
    })
  }
  return Logger.make((options) => {
    const severity = Logging.fromEffect(options.logLevel)
    if (!Logging.isAtLeast(severity, level)) return
    if (waiting >= WAITING) return void dropped++
    sendLater({ level: severity, data: data(options) })
  })
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

// Redacted values stay redacted, and what JSON cannot say becomes text.
const json = (value: unknown): unknown =>
  typeof value === "string" ? value : JSON.parse(Formatter.formatJson(value) ?? "null")
