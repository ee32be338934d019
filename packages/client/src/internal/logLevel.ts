/** How much of its log a client asks a server for: once in a session of the stateful revisions, with each request after. */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { Level } from "@mcp-effect/protocol/Logging"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Peer } from "@mcp-effect/protocol/Peer"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Effect from "effect/Effect"
import type { Ready, SendOver } from "../Requests.ts"
import * as Declared from "./declared.ts"

/** The level that a client wants now. */
export interface Wanted {
  level: Level | undefined
}

export const SET_LEVEL = "logging/setLevel"

export const isOfSession = ({ methods }: Revision): boolean => methods.serverRequests.has(SET_LEVEL)

/** Says the level in each request, where the revision wants it there. */
export const around = (wanted: Wanted) => (send: SendOver): SendOver => (ready, method, params, given) => {
  const level = given.logLevel ?? wanted.level
  return level === undefined || isOfSession(ready.era.server.revision) ||
      Meta.of(params)?.[Meta.LOG_LEVEL] !== undefined
    ? send(ready, method, params, given)
    : send(ready, method, Meta.assign(params, { [Meta.LOG_LEVEL]: level }), given)
}

/**
 * Tells a new session the level, ahead of whatever else it is asked. What it answers, in `timeout` milliseconds or never,
 * matters to nobody else.
 */
export const began = (
  { connection, era: { server } }: Ready,
  { level }: Wanted,
  local: Peer,
  timeout: number
): Effect.Effect<void> => {
  if (level === undefined || !isOfSession(server.revision)) return Effect.void
  if (!Declared.isDeclared(server, "logging")) {
    return Effect.logDebug("The server does not declare the capability \"logging\", so its log level is not set")
  }
  const warn = (why: string) => Effect.logWarning(`The log level of the server could not be set: ${why}`)
  return connection.request(JsonRpc.request(SET_LEVEL, SET_LEVEL, { level }), local).pipe(
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.as(warn("it does not answer"), undefined) }),
    Effect.matchEffect({
      // A connection that is lost has said so elsewhere.
      onFailure: ({ message }) => Effect.logDebug(`The log level of the server could not be set: ${message}`),
      onSuccess: (response) => response?._tag === "Failure" ? warn(response.error.message) : Effect.void
    })
  )
}
