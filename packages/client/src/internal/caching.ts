/** What a client asks its cache first, what it keeps there, and which notifications make that stale. */
import type { Notification, Params, Response } from "@mcp-effect/protocol/JsonRpc"
import { Principal } from "@mcp-effect/protocol/Principal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { SendOver } from "../Requests.ts"
import * as ResponseCache from "../ResponseCache.ts"

export interface Caching {
  readonly around: (send: SendOver) => SendOver
  readonly heard: (notification: Notification) => Effect.Effect<void>
  /** What has changed while there was no connection was not told. */
  readonly reconnected: Effect.Effect<void>
}

const none: Caching = { around: (send) => send, heard: () => Effect.void, reconnected: Effect.void }

// What is not shared has a number of its own.
let clients = 0

export const make = (sharing: ResponseCache.Sharing | false): Effect.Effect<Caching> =>
  Effect.map(Effect.serviceOption(ResponseCache.ResponseCache), (provided) => {
    if (sharing === false) return none
    const client = clients++
    const cache = Option.getOrElse(provided, () => ResponseCache.make())
    const { principal = client, server = client } = sharing
    return {
      around: around(cache, server, principal),
      heard: ({ method, params }) => {
        const methods = told[method]
        if (methods !== undefined) {
          return Effect.forEach(methods, (method) => cache.invalidate(server, method), { discard: true })
        }
        if (method !== "notifications/resources/updated") return Effect.void
        const uri = params?.uri
        return cache.invalidate(server, "resources/read", Predicate.isString(uri) ? uri : undefined)
      },
      reconnected: Effect.suspend(() => cache.invalidate(server))
    }
  })

const told: Readonly<Record<string, ReadonlyArray<string> | undefined>> = {
  "notifications/tools/list_changed": ["tools/list"],
  "notifications/prompts/list_changed": ["prompts/list"],
  "notifications/resources/list_changed": ["resources/list", "resources/templates/list"]
}

const around = (
  cache: ResponseCache.ResponseCache["Service"],
  server: ResponseCache.Key["server"],
  principal: ResponseCache.Key["principal"]
) =>
(send: SendOver): SendOver => {
  const asking: SendOver = Effect.fnUntraced(function*(ready, method, params, given) {
    const caller = identify(principal, yield* Principal)
    if (caller === undefined) return yield* send(ready, method, params, given)
    const key: ResponseCache.Key = { server, method, params, principal: caller }
    const kept = given.fresh === true ? undefined : yield* cache.get(key)
    if (kept !== undefined) return kept
    const asked = yield* Clock.currentTimeMillis
    let reply: Response | undefined
    const sent = send(ready, method, params, { ...given, received: (response) => void (reply ??= response) })
    const result = yield* Effect.tapError(sent, (error) =>
      // The pages before a cursor that holds no more may be of another list.
      error._tag === "InvalidParams" && params?.cursor !== undefined ? cache.invalidate(server, method) : Effect.void)
    // One that was made of another depends on more than what was asked, and a question is no result.
    const isReply = reply?._tag === "Success" && reply.result === result
    if (isReply && (result.resultType ?? "complete") === "complete") yield* cache.put(key, result, asked)
    return result
  })
  return (ready, method, params, given) =>
    // What else is said in `_meta` may make a difference, and what was answered to a question does.
    given.cached === true && given.meta === undefined && !isRetry(params) &&
      ready.era.server.revision.wire.results === "typed"
      ? asking(ready, method, params, given)
      : send(ready, method, params, given)
}

const isRetry = (params: Params | undefined): boolean =>
  params?.inputResponses !== undefined || params?.requestState !== undefined

// Whoever is known to differ in any way is another caller; who cannot be written down is nobody's like.
const identify = (
  client: string | number,
  principal: Principal | undefined
): ResponseCache.Key["principal"] | undefined => {
  if (principal === undefined) return client
  try {
    return JSON.stringify([client, principal.subject, principal.scopes, principal.claims])
  } catch {
    return undefined
  }
}
