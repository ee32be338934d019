/** Why HTTP did not carry a message, in words that hold no secret: of the URL its origin, of headers nothing. */
import { TransportError } from "@mcp-effect/protocol/Peer"
import * as Problem from "@mcp-effect/protocol/Problem"
import type { HttpClientError } from "effect/http/HttpClientError"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Predicate from "effect/Predicate"

/** Who is spoken to, and how to keep what was said to them out of a text. */
export interface Site {
  readonly origin: string
  readonly mask: (text: string) => string
}

// What a platform says of a server that a request cannot have reached.
const NEVER_SENT = new RegExp(
  "^(ECONNREFUSED|ENOTFOUND|EAI_\\w+|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|" +
    "ConnectionRefused|FailedToOpenSocket|\\w*CERT\\w*|ERR_TLS_\\w+|UNABLE_TO_\\w+)$",
  "u"
)
const NEVER_SENT_IN_WORDS = /connection refused|dns error|invalid peer certificate/iu

// A code is for machines and names no values; a message may quote any.
const reasonOf = (error: unknown): { readonly code: string | undefined; readonly words: string } => {
  let words = ""
  for (let cause = error, depth = 0; Predicate.isObject(cause) && depth < 8; cause = cause.cause, depth++) {
    if (Predicate.isString(cause.code)) return { code: cause.code, words: cause.code }
    if (Predicate.isString(cause.message)) words = cause.message
  }
  return { code: undefined, words: words === "" ? "no reason is known" : Problem.cut(words, 200) }
}

/** No response has come. */
export const unreached = ({ reason }: HttpClientError, { mask, origin }: Site): TransportError => {
  const cause = "cause" in reason ? reason.cause : undefined
  const { code, words } = reasonOf(cause)
  const neverSent = reason._tag === "EncodeError" || reason._tag === "InvalidUrlError" ||
    (code === undefined ? NEVER_SENT_IN_WORDS.test(words) : NEVER_SENT.test(code))
  return neverSent
    ? new TransportError({
      reason: "refused",
      processed: "no",
      message: `The server at ${origin} could not be reached: ${mask(words)}`,
      cause
    })
    : lost({ mask, origin }, words, cause)
}

/** The connection ended before the response, or in the middle of it. */
export const broken = (error: HttpClientError, site: Site): TransportError => {
  const cause = "cause" in error.reason ? error.reason.cause : undefined
  return lost(site, reasonOf(cause).words, cause)
}

const lost = ({ mask, origin }: Site, words: string, cause: unknown): TransportError =>
  new TransportError({
    reason: "closed",
    processed: "unknown",
    message: `The connection to ${origin} was lost before the reply was there: ${mask(words)}`,
    cause
  })

const MEANING: Readonly<Record<number, string>> = {
  400: "the message was not understood",
  401: "credentials are missing, or are not accepted",
  403: "access is denied",
  404: "there is no MCP endpoint at this URL",
  405: "this URL does not take the method",
  406: "the types that the client accepts are not offered",
  408: "the message did not arrive in time",
  409: "it conflicts with what the server is doing",
  413: "the message is too large for the server",
  415: "the type of the message is not accepted",
  429: "there were too many requests",
  500: "the server failed",
  502: "a proxy cannot reach the server",
  503: "the server is not available",
  504: "a proxy waited too long for the server"
}

/** The response says no. `said` is its body, if that is worth to be read. */
export const status = (
  { headers, status }: HttpClientResponse,
  method: string,
  said: string,
  { mask, origin }: Site
): TransportError => {
  const meaning = MEANING[status]
  const later = headers["retry-after"]
  const quote = said.trim() === "" ? "" : `. It says: ${Problem.cut(mask(said.trim()), 200)}`
  return new TransportError({
    reason: status === 413 ? "too large" : "refused",
    processed: status >= 400 && status < 500 ? "no" : "unknown",
    message: `The server at ${origin} answered ${method} with status ${status}${
      meaning === undefined ? "" : `: ${meaning}`
    }${later === undefined ? "" : ` (Retry-After: ${Problem.cut(mask(later), 40)})`}${quote}`,
    cause: new Status(status)
  })
}

class Status {
  readonly status: number
  constructor(status: number) {
    this.status = status
  }
}

/** The status of the response that an error is about. */
export const statusOf = ({ cause }: TransportError): number | undefined =>
  cause instanceof Status ? cause.status : undefined

/** A success, but no reply. */
export const noReply = ({ headers, status }: HttpClientResponse, { origin }: Site): TransportError => {
  const type = headers["content-type"]
  const what = status === 202
    ? "with 202, which is for messages without a reply"
    : type === undefined
    ? `with status ${status} and no Content-Type`
    : `with status ${status} and Content-Type ${JSON.stringify(Problem.cut(type, 60))}`
  return malformed(
    `The server at ${origin} answered a request ${what}; it must answer with application/json or text/event-stream`
  )
}

/** The server sends the client elsewhere, where it does not go. */
export const redirected = (
  { headers, status }: HttpClientResponse,
  why: string,
  { origin }: Site
): TransportError => {
  const { location } = headers
  const to = location !== undefined && URL.canParse(location, origin) ? ` to ${new URL(location, origin).origin}` : ""
  return new TransportError({
    reason: "refused",
    processed: "no",
    message: `The server at ${origin} redirects${to} (status ${status}), ${why}`
  })
}

export const malformed = (message: string): TransportError =>
  new TransportError({ reason: "malformed", processed: "unknown", message })

export const tooLarge = (limit: number): TransportError =>
  new TransportError({
    reason: "too large",
    processed: "unknown",
    message: `The server's reply is larger than ${limit} bytes`
  })

/** The server has forgotten the session, and the message with it. */
export const noSession = ({ origin }: Site, processed: "no" | "unknown"): TransportError =>
  new TransportError({
    reason: "closed",
    processed,
    message: `The server at ${origin} does not know the session any more (status 404)`
  })

/** The stream of a request has ended without its response, and there is no way to come back for it. */
export const unanswered = ({ origin }: Site, why: string): TransportError =>
  new TransportError({
    reason: "closed",
    processed: "unknown",
    message: `The server at ${origin} ended the stream of a request before its reply${why}`
  })
