/** What the headers of a message say of it: the types that can be read, the revision, and the session. */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Predicate from "effect/Predicate"
import * as RoutingHeaders from "../RoutingHeaders.ts"

/** A session of the stateful revisions, as far as it has come. Without an id, where the server keeps none. */
export interface Session {
  id: string | undefined
  version: string | undefined
  /** The revision of the last stateless request that was answered well. */
  stateless: string | undefined
}

type Record = { readonly [name: string]: string }

/** The revision that a message of the stateless era says it is of. */
export const versionOf = (params: JsonRpc.Params | undefined): string | undefined => {
  const version = Meta.of(params)?.[Meta.PROTOCOL_VERSION]
  return Predicate.isString(version) ? version : undefined
}

const accept = { accept: "application/json, text/event-stream" }

export const ofRequest = (
  session: Session,
  request: JsonRpc.Request,
  parameters: ReadonlyArray<RoutingHeaders.Parameter>
): Record => {
  const { method, params } = request
  const version = versionOf(params)
  if (version !== undefined) return { ...accept, ...RoutingHeaders.write(request, parameters) }
  return method === "initialize" && session.version === undefined ? accept : ofResponse(session)
}

// Who has no session speaks the newest revision that needs none, if not another.
export const ofNotification = (session: Session, { method, params }: JsonRpc.Notification): Record => {
  const version = versionOf(params) ?? (session.version === undefined ? session.stateless ?? NEWEST : undefined)
  return version === undefined
    ? ofResponse(session)
    : { ...accept, "mcp-protocol-version": version, "mcp-method": method }
}

const NEWEST = Revisions.ofEra(Revisions.all, "stateless")[0]?.name

export const ofResponse = (session: Session): Record => ({ ...accept, ...ofSession(session) })

/** For a GET, to go on after an event. */
export const ofStream = (session: Session, lastEventId: string | undefined): Record => ({
  accept: "text/event-stream",
  ...ofSession(session),
  ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId })
})

export const ofSession = ({ id, version }: Session): Record => ({
  ...(version === undefined ? {} : { "mcp-protocol-version": version }),
  ...(id === undefined ? {} : { "mcp-session-id": id })
})
