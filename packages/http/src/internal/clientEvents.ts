/** An event stream as it is read: its data, and the place to come back to. */
import type { TransportError } from "@mcp-effect/protocol/Peer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import * as Failure from "./clientFailure.ts"

/** Where a stream was left, over as many connections as it takes. `events` counts what has come. */
export interface Place {
  lastEventId: string | undefined
  retry: number | undefined
  events: number
}

export const start = (): Place => ({ lastEventId: undefined, retry: undefined, events: 0 })

/** How long to wait before coming back: as long as the server says, and longer after failures or connections in vain. */
export const delay = ({ retry }: Place, failures: number): number =>
  Math.max(retry ?? SECOND, failures === 0 ? 0 : Math.min(SECOND * 2 ** (failures - 1), 30 * SECOND))

const SECOND = 1000

// What a header can carry.
const ID = /^[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$/u

/** Reads to the end. Fails if the connection is lost, or an event is larger than `limit`. */
export const read = (
  response: HttpClientResponse,
  place: Place,
  options: { readonly limit: number; readonly site: Failure.Site; readonly data: (text: string, event: string) => void }
): Effect.Effect<void, TransportError> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    const parser = Sse.makeParser((event) => {
      const id = event._tag === "Event" ? event.id : event.lastEventId
      if (id !== undefined) place.lastEventId = ID.test(id) ? id : undefined
      if (event._tag === "Retry") {
        place.retry = Duration.toMillis(event.duration)
        return
      }
      place.events++
      if (event.data !== "") options.data(event.data, event.event)
    }, { maxEventSize: options.limit })
    const all = Stream.runForEach(response.stream, (bytes) => {
      const error = parser.feed(decoder.decode(bytes, { stream: true }))
      return error === undefined ? Effect.void : Effect.fail(Failure.tooLarge(options.limit))
    })
    return Effect.catchTag(all, "HttpClientError", (error) =>
      error.reason._tag === "EmptyBodyError" ? Effect.void : Effect.fail(Failure.broken(error, options.site)))
  })
