/** What a call may need of cryptography. Loaded when it is first needed: a server that never asks starts sooner. */
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"

const sha256 = Effect.runSync(Effect.cached(Effect.flatMap(
  Effect.promise(() => import("effect/crypto/Digest")),
  ({ Digest, layerWebCrypto, sha256 }) =>
    Digest.pipe(
      Effect.map((service) => (text: string) => service.digest(sha256, new TextEncoder().encode(text))),
      Effect.provide(layerWebCrypto)
    )
)))

/** The SHA-256 of a text, in base64url. */
export const digest = (text: string): Effect.Effect<string> =>
  Effect.flatMap(sha256, (sha256) => Effect.map(sha256(text), Base64Url.encode))

/** A random UUID. */
export const uuid: Effect.Effect<string> = Effect.flatMap(
  Effect.promise(() => import("effect/crypto/SecureRandom")),
  ({ layerWebCrypto, SecureRandom }) =>
    SecureRandom.pipe(
      Effect.flatMap((random) => random.uuidV4()),
      Effect.provide(layerWebCrypto)
    )
)
