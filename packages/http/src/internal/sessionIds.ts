/** Ids of sessions: unguessable, of randomness that is fetched for many of them at once. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"

/** How much an id takes, and how much is fetched. */
const EACH = 16
const FETCHED = 128 * EACH

/** The next id, each time that it is run. */
export const make = ({ randomBytes }: SecureRandom.SecureRandom["Service"]): Effect.Effect<string> => {
  let bytes = new Uint8Array(0)
  let used = 0
  const next = SecureRandom.make((size) => bytes.subarray(used, used += size)).uuidV4()
  return Effect.suspend(() =>
    used + EACH <= bytes.length ? next : Effect.flatMap(randomBytes(FETCHED), (fetched) => {
      bytes = new Uint8Array(fetched)
      used = 0
      return next
    })
  )
}
