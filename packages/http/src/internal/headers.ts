/** What the headers of a request say of its body, and of the replies that its client can read. */
import type { Headers } from "effect/http/Headers"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Reply from "./reply.ts"

const JSON_TYPE = "application/json"
const EVENTS = "text/event-stream"

const accepts = (accept: string | undefined, type: string): boolean => {
  if (accept === undefined) return true
  const [main] = type.split("/")
  return accept.split(",").some((range) => {
    const name = range.split(";", 1)[0]?.trim().toLowerCase()
    return name === type || name === "*/*" || name === `${main}/*`
  })
}

/** Why a POST is not even read. */
export const problemOfPost = (headers: Headers): HttpServerResponse | undefined => {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase()
  if (type !== JSON_TYPE) return Reply.refused(415, `Content-Type must be ${JSON_TYPE}`)
  return accepts(headers.accept, JSON_TYPE) && accepts(headers.accept, EVENTS)
    ? undefined
    : Reply.refused(406, `Accept must list both ${JSON_TYPE} and ${EVENTS}`)
}

/** Why a GET opens no stream. */
export const problemOfGet = (headers: Headers): HttpServerResponse | undefined =>
  accepts(headers.accept, EVENTS) ? undefined : Reply.refused(406, `Accept must list ${EVENTS}`)
