/** What the headers of a request say of its body, and of the replies that its client can read. */
import type { Headers } from "effect/http/Headers"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Reply from "./reply.ts"

const JSON_TYPE = "application/json"
const EVENTS = "text/event-stream"

const accepts = (accept: string, type: string): boolean => {
  const [main] = type.split("/")
  return accept.split(",").some((range) => {
    const name = range.split(";", 1)[0]?.trim().toLowerCase()
    return name === type || name === "*/*" || name === `${main}/*`
  })
}

interface Accepted {
  readonly json: boolean
  readonly events: boolean
}

// Clients say few different things, many times over.
const known = new Map<string, Accepted>()

const accepted = (accept: string | undefined): Accepted => {
  if (accept === undefined) return all
  let found = known.get(accept)
  if (found === undefined) {
    found = { json: accepts(accept, JSON_TYPE), events: accepts(accept, EVENTS) }
    if (known.size < 100 && accept.length < 200) known.set(accept, found)
  }
  return found
}

const all: Accepted = { json: true, events: true }

const isJson = (type: string | undefined): boolean =>
  type === JSON_TYPE || type?.split(";", 1)[0]?.trim().toLowerCase() === JSON_TYPE

/** Why a POST is not even read. */
export const problemOfPost = (headers: Headers): HttpServerResponse | undefined => {
  if (!isJson(headers["content-type"])) return Reply.refused(415, `Content-Type must be ${JSON_TYPE}`)
  const { events, json } = accepted(headers.accept)
  return events && json ? undefined : Reply.refused(406, `Accept must list both ${JSON_TYPE} and ${EVENTS}`)
}

/** Why a GET opens no stream. */
export const problemOfGet = (headers: Headers): HttpServerResponse | undefined =>
  accepted(headers.accept).events ? undefined : Reply.refused(406, `Accept must list ${EVENTS}`)
