/**
 * Which revision a message is written in, as a conversation tells: `initialize` agrees on one, a stateless request names
 * its own, and what belongs to a request follows it. Before that it may be any.
 */
import * as Meta from "@mcp-effect/protocol/Meta"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Predicate from "effect/Predicate"
import type { Side } from "./definitions.ts"

type Names = ReadonlyArray<Revision.Name>

/** A request, as its response needs it. */
export interface Asked {
  readonly method: string
  readonly revisions: Names
}

export interface Speech {
  readonly request: (from: Side, message: unknown) => Asked
  readonly response: (asked: Asked, message: unknown) => Names
  readonly notification: (from: Side, message: unknown) => Names
  readonly current: () => Names
}

const ofEra = (era: Revision.Era): Names => Revisions.ofEra(Revisions.all, era).map(({ name }) => name)
const stateful = ofEra("stateful")
const stateless = ofEra("stateless")

const named = (name: unknown, among: Names): Names => among.filter((revision) => revision === name)

const member = (value: unknown, key: string): unknown => Predicate.isObject(value) ? value[key] : undefined

const metaOf = (message: unknown, key: string): unknown => member(member(member(message, "params"), "_meta"), key)

/** What kind of message this is, by its members alone. */
export const kindOf = (message: unknown): "request" | "notification" | "response" | "none" => {
  if (!Predicate.isObject(message)) return "none"
  if ("method" in message) return "id" in message ? "request" : "notification"
  return "result" in message || "error" in message ? "response" : "none"
}

/** The key of a request that this side is to answer. `1` and `"1"` are two ids. */
export const idKey = (answers: Side, message: unknown): string => `${answers} ${JSON.stringify(member(message, "id"))}`

export const make = (): Speech => {
  let session: Names = []
  let latest: Names = []
  const tokens = new Map<string, Names>()
  const current = (): Names => session.length > 0 ? session : latest.length > 0 ? latest : Revisions.names

  const revisionsOf = (message: unknown): Names => {
    if (member(message, "method") === "initialize") {
      const proposed = named(member(member(message, "params"), "protocolVersion"), stateful)
      return proposed.length > 0 ? proposed : stateful
    }
    const version = metaOf(message, Meta.PROTOCOL_VERSION)
    if (version === undefined) return current()
    const spoken = named(version, stateless)
    latest = spoken.length > 0 ? spoken : stateless
    return latest
  }
  return {
    current,
    request: (from, message) => {
      const revisions = revisionsOf(message)
      const token = metaOf(message, "progressToken")
      if (token !== undefined) tokens.set(`${from} ${JSON.stringify(token)}`, revisions)
      return { method: String(member(message, "method")), revisions }
    },
    response: (asked, message) => {
      if (asked.method !== "initialize") return asked.revisions
      const agreed = named(member(member(message, "result"), "protocolVersion"), stateful)
      if (agreed.length > 0) session = agreed
      return agreed.length > 0 ? agreed : stateful
    },
    notification: (from, message) => {
      if (metaOf(message, Meta.SUBSCRIPTION_ID) !== undefined) return latest.length > 0 ? latest : stateless
      const token = JSON.stringify(member(member(message, "params"), "progressToken"))
      return tokens.get(`${from === "client" ? "server" : "client"} ${token}`) ?? current()
    }
  }
}
