/** The stream on which a stateful server says what belongs to no request: opened by GET, and again whenever it ends. */
import * as Effect from "effect/Effect"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Body from "./clientBody.ts"
import * as Events from "./clientEvents.ts"
import type { Host } from "./clientExchange.ts"
import * as Failure from "./clientFailure.ts"
import * as Headers from "./clientHeaders.ts"

/** Listens until the server does not want that, or has forgotten the session. */
export const listen = (host: Host): Effect.Effect<void> => {
  const place = Events.start()

  // The number of failures so far, or `undefined`: it is over.
  const once = (failures: number): Effect.Effect<number | undefined> =>
    Effect.suspend(() => {
      const seen = place.events
      return Effect.matchEffect(host.wire.send("GET", Headers.ofStream(host.session, place.lastEventId)), {
        onFailure: (error) => Effect.as(Effect.logDebug(error.message), failures + 1),
        onSuccess: (response) => {
          if (response.status !== 200 || !Body.isEvents(Body.typeOf(response))) return refused(response, failures)
          return Effect.map(read(host, place, response), () => place.events > seen ? 0 : Math.min(failures + 1, 2))
        }
      })
    })

  const refused = (response: HttpClientResponse, failures: number): Effect.Effect<number | undefined> => {
    const { status } = response
    const { site } = host.wire
    if (status === 405) return Effect.as(Body.discard(response), undefined)
    if (status === 404 && host.session.id !== undefined) {
      return Effect.as(Effect.andThen(Body.discard(response), Effect.sync(host.forgotten)), undefined)
    }
    const goesOn = AGAIN.has(status) || status >= 500 || place.lastEventId !== undefined
    // A place that the server has forgotten is not named twice.
    if (status < 500 && !AGAIN.has(status)) place.lastEventId = undefined
    const what = Failure.status(response, "GET", "", site).message
    const log = goesOn ? Effect.logDebug(what) : Effect.logWarning(`${what}. What belongs to no request is not heard`)
    return Body.discard(response).pipe(Effect.andThen(log), Effect.as(goesOn ? failures + 1 : undefined))
  }

  const loop = (failures: number): Effect.Effect<void> =>
    Effect.flatMap(once(failures), (next) =>
      next === undefined
        ? Effect.void
        : Effect.flatMap(Effect.sleep(Events.delay(place, next)), () => loop(next)))

  return loop(0)
}

// Another stream may be open still; or there is too much to do.
const AGAIN = new Set([408, 409, 425, 429])

const read = (host: Host, place: Events.Place, response: HttpClientResponse): Effect.Effect<void> =>
  Events.read(response, place, {
    limit: host.limits.messageBytes,
    site: host.wire.site,
    data: (text, event) => event === "message" ? void host.inbox.receive(text) : undefined
  }).pipe(Effect.catch((error) => {
    if (error.reason !== "too large") return Effect.logDebug(error.message)
    // It would be sent again.
    place.lastEventId = undefined
    return Effect.logWarning(error.message)
  }))
