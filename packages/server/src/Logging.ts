/**
 * The logging feature: what a handler logs while it serves a request is sent to the client that asked, ahead of the
 * result. A client says how much it wants to hear: by `logging/setLevel` for its session, or in the `_meta` of a request
 * of revision 2026-07-28, and never without it there.
 *
 * Source: `server/utilities/logging` of the specification.
 *
 * @since 0.1.0
 */
import * as Levels from "@mcp-effect/protocol/Logging"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Effect from "effect/Effect"
import { type Feature, type Method, result } from "./Call.ts"
import { CurrentCall } from "./internal/currentCall.ts"
import * as Forward from "./internal/forward.ts"

/**
 * - `level`: what a session hears of before it says otherwise (default `info`); `undefined` for nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface Settings {
  readonly level: Levels.Level | undefined
}

/**
 * Whether the server logs to its clients, and how.
 *
 * @since 0.1.0
 * @category models
 */
export interface Logging {
  readonly settings: () => Settings | undefined
  readonly enable: (settings: Settings) => void
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const cell = (): Logging => {
  let settings: Settings | undefined
  return {
    settings: () => settings,
    enable: (enabled) => {
      settings = enabled
    }
  }
}

/**
 * The feature. It is declared once logging was enabled.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (logging: Logging): Feature => {
  const setLevel: Method = ({ request, session }) => {
    const level = request.params?.level
    if (!Levels.isLevel(level)) {
      return Effect.fail(
        new McpError.InvalidParams({
          message: `Invalid params: "level" must be one of ${Levels.levels.join(", ")}`
        })
      )
    }
    if (session !== undefined) session.logLevel = level
    return Effect.succeed(result({}))
  }
  return {
    declared: () => logging.settings() !== undefined,
    capability: () => ({ logging: {} }),
    methods: { "logging/setLevel": setLevel },
    announces: () => ({ matches: () => false }),
    listens: {}
  }
}

/**
 * Sends a message of any level to the client of the request that is being handled, if it wants to hear of it. Levels that
 * Effect does not have, such as `notice` and `alert`, can be logged this way only.
 *
 * `data` is written as JSON: redacted values stay redacted, and what JSON cannot say becomes text. Nobody waits for the
 * client: of one that is too slow, messages are dropped, and it is told how many.
 *
 * @since 0.1.0
 * @category logging
 */
export const log = (message: Levels.Message): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const call = fiber.getRef(CurrentCall)
    if (call?.logLevel === undefined || !Levels.isAtLeast(message.level, call.logLevel)) return Effect.void
    return Forward.log(Forward.written(message))
  })
