/**
 * Results that are still fresh, by what was asked, of which server, and, where they are for one caller only, by whom.
 *
 * Knows no connection. A client has one of its own, unless one is provided, which several clients then share.
 *
 * Source: `server/utilities/caching` of revision 2026-07-28. The older revisions have no caching hints.
 *
 * @since 0.1.0
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"

/**
 * What a client shares with others that have the same cache; by default, nothing.
 *
 * - `server`: a name of the server. Clients that give it the same one share its `public` results, so it must be one server:
 *   its URL, not what it calls itself.
 * - `principal`: who the client is to that server. Those that say the same share `private` results too.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sharing {
  readonly server?: string
  readonly principal?: string
}

/**
 * What was asked, and of whom. A number is a server, or a caller, of one client only.
 *
 * @since 0.1.0
 * @category models
 */
export interface Key {
  readonly server: string | number
  readonly method: string
  readonly params: Params | undefined
  readonly principal: string | number
}

/**
 * - `get`: the result, if there is one that is fresh.
 * - `put`: keeps a result for as long as it says, if it says so; not if it was `asked` for, by Effect's clock, before what
 *   it tells was last invalidated.
 * - `invalidate`: forgets the results of a method, or all; of readings only those that have to do with a `uri`, if there is
 *   one.
 *
 * @since 0.1.0
 * @category services
 */
export class ResponseCache extends Context.Service<ResponseCache, {
  readonly get: (key: Key) => Effect.Effect<Params | undefined>
  readonly put: (key: Key, result: Params, asked: number) => Effect.Effect<void>
  readonly invalidate: (server: Key["server"], method?: string, uri?: string) => Effect.Effect<void>
}>()("@mcp-effect/client/ResponseCache") {
  /** With the bounds of {@link make}. */
  static readonly layer: Layer.Layer<ResponseCache> = Layer.sync(ResponseCache, () => make())
}

/**
 * How much is kept: `entries`, and `size` in code units of JSON text. What was longest not asked for goes first, and what
 * would take more than a quarter is not kept.
 *
 * @since 0.1.0
 * @category models
 */
export interface Bounds {
  readonly entries?: number
  readonly size?: number
}

interface Entry {
  readonly key: Key
  readonly result: Params
  readonly until: number
  readonly size: number
}

/**
 * A cache in memory: by default, 1000 results and 16 Mi code units.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (bounds: Bounds = {}): ResponseCache["Service"] => {
  const { entries: most = 1000, size: room = 16 * 1024 * 1024 } = bounds
  // The longest not asked for first.
  const entries = new Map<string, Entry>()
  const invalidated = new Map<string | undefined, number>()
  let size = 0

  const remove = (name: string, entry: Entry): void => {
    if (entries.delete(name)) size -= entry.size
  }
  const take = (name: string, now: number): Entry | undefined => {
    const entry = entries.get(name)
    if (entry === undefined) return undefined
    entries.delete(name)
    entries.set(name, entry)
    if (now < entry.until) return entry
    remove(name, entry)
    return undefined
  }
  const isStale = (method: string, asked: number): boolean =>
    Math.max(invalidated.get(method) ?? -Infinity, invalidated.get(undefined) ?? -Infinity) >= asked

  return {
    get: (key) =>
      Effect.map(Clock.currentTimeMillis, (now) => (take(privateName(key), now) ?? take(publicName(key), now))?.result),
    put: (key, result, asked) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { cacheScope, ttlMs } = result
        const forAll = cacheScope === "public"
        for (const name of [privateName(key), publicName(key)]) {
          const before = entries.get(name)
          if (before !== undefined) remove(name, before)
        }
        if (!Predicate.isNumber(ttlMs) || !(ttlMs > 0) || isStale(key.method, asked)) return
        const name = forAll ? publicName(key) : privateName(key)
        const entry = { key, result, until: now + ttlMs, size: name.length + JSON.stringify(result).length }
        if (entry.size > room / 4) return
        entries.set(name, entry)
        size += entry.size
        for (const [name, oldest] of entries) {
          if (entries.size <= most && size <= room) break
          remove(name, oldest)
        }
      }),
    invalidate: (server, method, uri) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        // Whichever server: a result that is on its way from another is merely not kept.
        invalidated.set(method, now)
        for (const [name, entry] of entries) {
          if (entry.key.server !== server || (method !== undefined && entry.key.method !== method)) continue
          if (uri === undefined || concerns(entry.key, uri)) remove(name, entry)
        }
      })
  }
}

// A server and a number are told apart by how JSON writes them.
const publicName = ({ method, params, server }: Key): string => JSON.stringify([server, method, params])

const privateName = ({ method, params, principal, server }: Key): string =>
  JSON.stringify([server, method, params, principal])

// What is in a resource may be part of what it holds, and the other way round.
const concerns = ({ params }: Key, uri: string): boolean => {
  const kept = params?.uri
  if (!Predicate.isString(kept)) return true
  const [a, b] = [Resource.normalize(kept), Resource.normalize(uri)]
  return a.startsWith(b) || b.startsWith(a)
}
