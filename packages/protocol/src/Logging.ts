/**
 * Log messages for the other side: their levels, which are those of RFC 5424, and how they relate to Effect's.
 *
 * Knows neither who asked for messages nor how they travel.
 *
 * Source: `server/utilities/logging` of the specification.
 *
 * @since 0.1.0
 */
import type * as LogLevel from "effect/LogLevel"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * The levels, the least severe first.
 *
 * @since 0.1.0
 * @category levels
 */
export const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const

/**
 * @since 0.1.0
 * @category schemas
 */
export const Level = Schema.Literals(levels)

/**
 * @since 0.1.0
 * @category models
 */
export type Level = typeof Level.Type

const severities: ReadonlyMap<unknown, number> = new Map(levels.map((level, severity) => [level, severity]))

const severity = (level: Level): number => severities.get(level) ?? 0

/**
 * @since 0.1.0
 * @category guards
 */
export const isLevel = (u: unknown): u is Level => Predicate.isString(u) && severities.has(u)

/**
 * Whether a message of a level is to be sent to one who asked for this minimum.
 *
 * @since 0.1.0
 * @category levels
 */
export const isAtLeast = (level: Level, minimum: Level): boolean => severity(level) >= severity(minimum)

const fromEffectLevels: Readonly<Record<LogLevel.LogLevel, Level>> = {
  All: "debug",
  Trace: "debug",
  Debug: "debug",
  Info: "info",
  Warn: "warning",
  Error: "error",
  Fatal: "critical",
  None: "emergency"
}

/**
 * The level that is written for one of Effect's.
 *
 * @since 0.1.0
 * @category converting
 */
export const fromEffect = (level: LogLevel.LogLevel): Level => fromEffectLevels[level]

const toEffectLevels: Readonly<Record<Level, LogLevel.Severity>> = {
  debug: "Debug",
  info: "Info",
  notice: "Info",
  warning: "Warn",
  error: "Error",
  critical: "Fatal",
  alert: "Fatal",
  emergency: "Fatal"
}

/**
 * The level of Effect's that is nearest: `notice` is `Info`, and everything above `error` is `Fatal`.
 *
 * @since 0.1.0
 * @category converting
 */
export const toEffect = (level: Level): LogLevel.Severity => toEffectLevels[level]

/**
 * The parameters of `notifications/message`; `data` is any JSON.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Message = Schema.Struct({
  level: Level,
  logger: Schema.optionalKey(Schema.String),
  data: Schema.Unknown,
  _meta: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

/**
 * @since 0.1.0
 * @category models
 */
export type Message = typeof Message.Type
