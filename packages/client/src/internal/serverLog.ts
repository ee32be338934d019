/** The log messages of a server, read, and written to the log of the program. */
import type { Notification } from "@mcp-effect/protocol/JsonRpc"
import * as Levels from "@mcp-effect/protocol/Logging"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Effect from "effect/Effect"
import * as SchemaParser from "effect/SchemaParser"

export const isLog = ({ method }: Notification): boolean => method === "notifications/message"

const decode = SchemaParser.decodeUnknownEffect(Levels.Message)

/** `undefined`: it was malformed, and the log says how. */
export const read = ({ params }: Notification): Effect.Effect<Levels.Message | undefined> =>
  Effect.matchEffect(decode(params), {
    onFailure: (issue) =>
      Effect.as(
        Effect.logWarning(`Dropped a log message of the server, which is malformed: ${Problem.describe(issue)}`),
        undefined
      ),
    onSuccess: Effect.succeed
  })

export const forward = (notification: Notification, server: string | undefined): Effect.Effect<void> =>
  Effect.flatMap(read(notification), (message) => message === undefined ? Effect.void : log(message, server))

const log = ({ data, level, logger }: Levels.Message, server: string | undefined): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWithLevel(Levels.toEffect(level))(data), {
    ...(server === undefined ? {} : { "mcp.server": server }),
    ...(logger === undefined ? {} : { "mcp.logger": logger })
  })
