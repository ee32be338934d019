/** The body of a request as text, within a bound of size and of time. */
import * as ByteSize from "effect/ByteSize"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type { HttpServerError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Reply from "./reply.ts"

export type Read = (request: HttpServerRequest) => Effect.Effect<string, HttpServerResponse>

export const make = (limits: { readonly bytes: number; readonly timeout: Duration.Duration }): Read => {
  const tooLarge = Reply.refused(413, `The message is larger than ${limits.bytes} bytes`)
  const late = Reply.refused(408, `The message was not complete after ${Duration.format(limits.timeout)}`)
  const unreadable = Reply.refused(400, "The message could not be read")
  const size = ByteSize.bytes(limits.bytes)
  const problem = ({ reason }: HttpServerError): HttpServerResponse =>
    reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? tooLarge : unreadable
  return (request) =>
    Number(request.headers["content-length"] ?? 0) > limits.bytes
      ? Effect.fail(tooLarge)
      : Effect.timeoutOrElse(
        Effect.provideService(Effect.mapError(request.text, problem), HttpIncomingMessage.MaxBodySize, size),
        { duration: limits.timeout, orElse: () => Effect.fail(late) }
      )
}
