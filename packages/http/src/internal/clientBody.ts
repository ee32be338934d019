/** What is in a response that is read as a whole, within a bound. */
import type { TransportError } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import * as Failure from "./clientFailure.ts"

/** The media type of a response, without parameters. */
export const typeOf = ({ headers }: HttpClientResponse): string =>
  headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? ""

export const isJson = (type: string): boolean => type === "application/json" || type.endsWith("+json")

export const isEvents = (type: string): boolean => type === "text/event-stream"

/** The text of a response, unless it is larger than `limit` bytes. */
export const text = (
  response: HttpClientResponse,
  limit: number,
  site: Failure.Site
): Effect.Effect<string, TransportError> => {
  const { headers } = response
  const length = Number(headers["content-length"] ?? Number.NaN)
  if (length > limit) return Effect.andThen(discard(response), Effect.fail(Failure.tooLarge(limit)))
  const isKnown = length <= limit && headers["content-encoding"] === undefined
  const read = isKnown ? response.text : counted(response, limit)
  return Effect.mapError(read, (error) => error._tag === "HttpClientError" ? Failure.broken(error, site) : error)
}

const counted = (response: HttpClientResponse, limit: number) =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    const parts: Array<string> = []
    let size = 0
    const read = Stream.runForEach(response.stream, (bytes) => {
      size += bytes.length
      if (size > limit) return Effect.fail(Failure.tooLarge(limit))
      parts.push(decoder.decode(bytes, { stream: true }))
      return Effect.void
    })
    const orEmpty = Effect.catch(read, (error) =>
      error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError" ? Effect.void : Effect.fail(error))
    return Effect.map(orEmpty, () =>
      parts.join("") + decoder.decode())
  })

const DISCARDED = 64 * 1024

/** Reads to the end what nobody wants to know, so that its connection is free again; gives it up if there is much. */
export const discard = (response: HttpClientResponse): Effect.Effect<void> =>
  response.status === 204 || response.headers["content-length"] === "0"
    ? Effect.void
    : Effect.asVoid(Effect.timeoutOption(Effect.ignore(counted(response, DISCARDED)), "1 second"))
