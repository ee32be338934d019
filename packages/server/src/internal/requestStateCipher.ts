/**
 * Bytes to sealed text and back: AES-256-GCM, under keys that are derived from secrets. Knows nothing of what is sealed.
 *
 * The text is base64url of a version (1 byte), the key's id (4), a random nonce (12), the ciphertext, and its tag (16).
 * Apart, as only servers that ask their clients for something need it loaded.
 */
import * as Aead from "effect/crypto/Aead"
import type { CryptoError } from "effect/crypto/CryptoError"
import * as Kdf from "effect/crypto/Kdf"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

const VERSION = 1
const ID_END = 5
const NONCE = 12
const HEADER = ID_END + NONCE
const TAG = 16

export interface Cipher {
  /** How long the text for this many bytes is. */
  readonly length: (bytes: number) => number
  readonly encrypt: (plaintext: Uint8Array, binding: string) => Effect.Effect<string>
  /** `undefined` for a text that was not sealed with one of the keys and this binding. */
  readonly decrypt: (text: string, binding: string) => Effect.Effect<Uint8Array | undefined>
}

interface Key {
  /** What every text that it seals begins with. */
  readonly prefix: Uint8Array
  readonly key: Aead.Key
}

const encoder = new TextEncoder()

/** Seals with the first secret and opens with any; without one, both with a random key. */
export const make = (secrets: ReadonlyArray<Redacted.Redacted<string>> | undefined): Effect.Effect<Cipher> =>
  Effect.gen(function*() {
    const aead = yield* Aead.Aead
    const random = yield* SecureRandom.SecureRandom
    const derive = yield* deriving
    const first = yield* derive(
      secrets?.[0] === undefined ? yield* random.randomBytes(32) : encoder.encode(Redacted.value(secrets[0]))
    )
    const others = yield* Effect.forEach(secrets?.slice(1) ?? [], (key) => derive(encoder.encode(Redacted.value(key))))
    const keys = [first, ...others]

    const encrypt: Cipher["encrypt"] = Effect.fnUntraced(function*(plaintext, binding) {
      const nonce = yield* random.randomBytes(NONCE)
      const aad = join(first.prefix, encoder.encode(binding))
      const sealed = yield* Effect.orDie(aead.encrypt(first.key, plaintext, { nonce, aad }))
      return Base64Url.encode(join(first.prefix, nonce, sealed))
    })

    const decrypt: Cipher["decrypt"] = Effect.fnUntraced(function*(text, binding) {
      const bytes = Result.getOrUndefined(Base64Url.decode(text))
      // Other texts decode to the same bytes: with padding, with line breaks, with other bits left over at the end.
      if (bytes === undefined || bytes.length < HEADER + TAG || Base64Url.encode(bytes) !== text) return undefined
      for (const { key, prefix } of keys) {
        if (!prefix.every((byte, i) => byte === bytes[i])) continue
        const nonce = bytes.subarray(ID_END, HEADER)
        const aad = join(prefix, encoder.encode(binding))
        const plaintext = yield* aead.decrypt(key, bytes.subarray(HEADER), { nonce, aad }).pipe(
          Effect.catchIf(isDecryptionFailed, () => Effect.succeed(undefined)),
          Effect.orDie
        )
        if (plaintext !== undefined) return plaintext
      }
      return undefined
    })

    return { length: (bytes) => Math.ceil((HEADER + bytes + TAG) * 4 / 3), encrypt, decrypt } satisfies Cipher
  }).pipe(Effect.provide(webCrypto))

const webCrypto = Layer.merge(Aead.layerWebCrypto, Kdf.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

const deriving = Effect.map(Kdf.Kdf, (kdf) => {
  const salt = encoder.encode("mcp-effect/RequestState")
  const part = (secret: Uint8Array, info: string, length: number) =>
    kdf.derive(Kdf.hkdfSha256, secret, { salt, info: encoder.encode(info), length })
  return Effect.fnUntraced(
    function*(secret: Uint8Array): Effect.fn.Return<Key, CryptoError> {
      const id = yield* part(secret, "id", ID_END - 1)
      const key = yield* Aead.key(Aead.aes256Gcm, yield* part(secret, "AES-256-GCM", Aead.aes256Gcm.keyLength))
      return { prefix: join(Uint8Array.of(VERSION), id), key }
    },
    Effect.orDie
  )
})

const isDecryptionFailed = (error: CryptoError): boolean => error.reason._tag === "DecryptionFailed"

const join = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
