/** HTTP responses that are one JSON text. */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

export type Headers = Readonly<Record<string, string>>

export const json = (text: string, status = 200, headers?: Headers): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, {
    status,
    contentType: "application/json",
    ...(headers === undefined ? undefined : { headers })
  })

/** What is wrong with the HTTP request itself. */
export const refused = (
  status: number,
  message: string,
  options: { readonly id?: JsonRpc.Id | undefined; readonly code?: number; readonly headers?: Headers } = {}
): HttpServerResponse.HttpServerResponse => {
  const error = { code: options.code ?? JsonRpc.INVALID_REQUEST, message }
  return json(JsonRpc.encode(JsonRpc.failure(options.id, error)), status, options.headers)
}

/** A message was taken, and has no reply. */
export const accepted = HttpServerResponse.empty({ status: 202 })

/** An event stream without events: a request that was cancelled has no reply. */
export const noEvents = HttpServerResponse.text("", { contentType: "text/event-stream" })

/** Events that are all that is left of a stream. */
export const events = (frames: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(frames, { contentType: "text/event-stream" })

/** A session has ended as its client wanted. */
export const ended = HttpServerResponse.empty({ status: 204 })

export const textOfInvalid = ({ code, id, reason }: JsonRpc.Invalid): string =>
  JsonRpc.encode(JsonRpc.failure(id, { code, message: reason }))

export const invalid = (message: JsonRpc.Invalid): HttpServerResponse.HttpServerResponse =>
  json(textOfInvalid(message), 400)

export const noBatch = refused(400, "Invalid request: batches exist only in protocol revision 2025-03-26")

export const batchTooLarge = (most: number): HttpServerResponse.HttpServerResponse =>
  refused(400, `Invalid request: a batch may hold ${most} messages`)
