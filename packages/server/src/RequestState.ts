/**
 * What a server remembers between the rounds of one request, kept by the client: sealed, so that the client can neither
 * read nor change it, nor present it for another request, by another principal, or too late.
 *
 * Knows nothing of what is remembered, and does not make it single-use: within its time, a client can replay a round.
 *
 * Source: `basic/patterns/mrtr` of revision 2026-07-28, server requirements 4 and 5.
 *
 * @since 0.1.0
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Clock from "effect/Clock"
import type { ConfigError } from "effect/Config"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type { Redacted } from "effect/Redacted"
import * as Forward from "./internal/forward.ts"
import * as RequestStateBinding from "./internal/requestStateBinding.ts"
import type { Cipher } from "./internal/requestStateCipher.ts"
import * as RequestStateKeys from "./internal/requestStateKeys.ts"

/**
 * The request that a state is for. Of the parameters, what changes from a request to its retry does not count: `_meta`,
 * `inputResponses` and `requestState`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Binding {
  readonly principal: string | undefined
  readonly method: string
  readonly params: Params | undefined
}

/**
 * The text is no state for this request, or no longer. The message is fit for the client.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidRequestState extends Data.TaggedError("InvalidRequestState")<{
  readonly reason: "invalid" | "expired"
}> {
  override get message(): string {
    return this.reason === "expired"
      ? "Invalid params: \"requestState\" has expired; send the request again without it"
      : "Invalid params: \"requestState\" is not valid for this request"
  }
}

/**
 * There can be no state: the parameters of the request cannot be written as JSON, as they are nested too deeply
 * (`request`), or what is to be remembered cannot, or is too long (`state`).
 *
 * @since 0.1.0
 * @category errors
 */
export class UnsealableRequestState extends Data.TaggedError("UnsealableRequestState")<{
  readonly reason: "request" | "state"
  readonly message: string
}> {}

/**
 * - `seal`: a JSON value as text for the client to hand back.
 * - `open`: the value, if the text was sealed for this very request and in time.
 *
 * @since 0.1.0
 * @category models
 */
export interface RequestState {
  readonly seal: (payload: unknown, binding: Binding) => Effect.Effect<string, UnsealableRequestState>
  readonly open: (text: unknown, binding: Binding) => Effect.Effect<unknown, InvalidRequestState>
}

/**
 * - `keys`: secrets of at least 32 characters, such as `openssl rand -base64 32` prints. The first seals, any opens: to
 *   rotate, put a new one in front, and drop the last one when what it sealed has expired.
 *   One is good for 2^32 states. Without any, a random key.
 * - `ttl`: how long a state is good for (default 1 hour).
 * - `maxLength`: characters of the sealed text (default 256 Ki).
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly keys?: readonly [Redacted<string>, ...Array<Redacted<string>>]
  readonly ttl?: Duration.Input
  readonly maxLength?: number
}

/**
 * Seals with AES-256-GCM. Throws a `TypeError` for an option that makes no sense.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): RequestState => making(options, PROVIDE)

const PROVIDE =
  "That is enough for one process that is not restarted. Elsewhere, provide RequestState.layer({ keys }), or " +
  "RequestState.layerConfig() and set MCP_REQUEST_STATE_KEYS to a secret of at least 32 characters, the same for all"

const SET =
  "RequestState.layerConfig() is provided, but MCP_REQUEST_STATE_KEYS is not set, or empty: set it to a secret of at " +
  "least 32 characters, the same for all processes, such as `openssl rand -base64 32` prints"

// `advice`: what to do where there is no key.
const making = ({ keys, maxLength = 256 * 1024, ttl = "1 hour" }: Options, advice: string): RequestState => {
  const problem = keys === undefined ? undefined : RequestStateKeys.problem(keys)
  if (problem !== undefined) throw new TypeError(`RequestState: ${problem}`)
  const millis = Duration.toMillis(Duration.fromInputUnsafe(ttl))
  if (!Number.isFinite(millis) || millis <= 0) throw new TypeError("RequestState: ttl must be positive and finite")
  if (!(maxLength > 0)) throw new TypeError("RequestState: maxLength must be positive")

  const loaded = once(
    Effect.flatMap(Effect.promise(() => import("./internal/requestStateCipher.ts")), (cipher) => cipher.make(keys))
  )
  let warned = keys !== undefined
  const warn = Effect.suspend(() => {
    if (warned) return Effect.void
    warned = true
    return Forward.outside(Effect.logWarning(
      "There is no key for requestState, so a random one is used: clients that retry a request after this process has " +
        `restarted, or at another process, will be refused. ${advice}`
    ))
  })

  const seal: RequestState["seal"] = Effect.fnUntraced(function*(payload, binding) {
    const now = yield* Clock.currentTimeMillis
    const bound = yield* Effect.try({ try: () => RequestStateBinding.text(binding), catch: unsealable("request") })
    const plaintext = yield* Effect.try({
      try: () => write({ expires: now + millis, payload }),
      catch: unsealable("state")
    })
    const cipher: Cipher = yield* loaded
    const length = cipher.length(plaintext.length)
    if (length > maxLength) {
      return yield* new UnsealableRequestState({
        reason: "state",
        message: `The requestState is too long: ${length} characters, and ${maxLength} are allowed`
      })
    }
    yield* warn
    return yield* cipher.encrypt(plaintext, bound)
  })

  const open: RequestState["open"] = Effect.fnUntraced(function*(text, binding) {
    if (typeof text !== "string" || text.length > maxLength) return yield* invalid()
    const bound = yield* Effect.try({ try: () => RequestStateBinding.text(binding), catch: invalid })
    const cipher: Cipher = yield* loaded
    const plaintext = yield* cipher.decrypt(text, bound)
    const sealed = plaintext === undefined ? undefined : read(plaintext)
    if (sealed === undefined) return yield* invalid()
    const now = yield* Clock.currentTimeMillis
    return now < sealed.expires ? sealed.payload : yield* new InvalidRequestState({ reason: "expired" })
  })

  return { seal, open }
}

const once = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => Effect.runSync(Effect.cached(effect))

const invalid = () => new InvalidRequestState({ reason: "invalid" })

const unsealable = (reason: "request" | "state") => (cause: unknown): UnsealableRequestState =>
  new UnsealableRequestState({
    reason,
    message: `There can be no requestState: the ${reason} cannot be written as JSON: ${
      cause instanceof Error ? cause.message : String(cause)
    }`
  })

interface Sealed {
  readonly expires: number
  readonly payload: unknown
}

const write = (sealed: Sealed): Uint8Array => {
  const payload: string | undefined = JSON.stringify(sealed.payload)
  if (payload === undefined) throw new TypeError(`${typeof sealed.payload} has no JSON`)
  return new TextEncoder().encode(`{"expires":${sealed.expires},"payload":${payload}}`)
}

// Only what a key has sealed comes here; another program may have used the same key.
const read = (plaintext: Uint8Array): Sealed | undefined => {
  try {
    const sealed: unknown = JSON.parse(new TextDecoder().decode(plaintext))
    return Predicate.isObject(sealed) && typeof sealed.expires === "number" && "payload" in sealed
      ? { expires: sealed.expires, payload: sealed.payload }
      : undefined
  } catch {
    return undefined
  }
}

/**
 * The state of requests, as a setting. By default, with a random key and a warning in the log when it is first used.
 *
 * @since 0.1.0
 * @category references
 */
export const RequestState: Context.Reference<RequestState> = Context.Reference<RequestState>(
  "@mcp-effect/server/RequestState",
  { defaultValue: () => make() }
)

/**
 * Seals with these keys.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<never> => Layer.sync(RequestState, () => make(options))

/**
 * Seals with the keys in the setting `MCP_REQUEST_STATE_KEYS`, separated by commas, the newest first; with a random one
 * if it is not set.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (options: Omit<Options, "keys"> = {}): Layer.Layer<never, ConfigError> =>
  Layer.effect(
    RequestState,
    Effect.gen(function*() {
      const config = yield* Effect.promise(() => import("./internal/requestStateConfig.ts"))
      const keys = yield* config.keys
      return making(keys === undefined ? options : { ...options, keys }, SET)
    })
  )
