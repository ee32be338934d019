/** The SHA-256 of a text, in base64url. Loaded when it is first needed: a server that never asks starts sooner. */
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"

const load = Effect.runSync(Effect.cached(Effect.promise(() => import("effect/crypto/Digest"))))

export const digest = (text: string): Effect.Effect<string> =>
  Effect.flatMap(load, (Digest) =>
    Digest.Digest.pipe(
      Effect.flatMap((service) => service.digest(Digest.sha256, new TextEncoder().encode(text))),
      Effect.provide(Digest.layerWebCrypto),
      Effect.map(Base64Url.encode)
    ))
