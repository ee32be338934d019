/**
 * How long the results of a server may be kept, and by whom: for the whole server, for a method, and, where a feature
 * says so, for one result.
 *
 * Source: `server/utilities/caching` of revision 2026-07-28. The older revisions have no caching hints.
 *
 * @since 0.1.0
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Duration from "effect/Duration"
import type { CachingHints, Result } from "./Call.ts"

const methods = [
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read"
] as const

/**
 * The methods whose results can be kept.
 *
 * @since 0.1.0
 * @category models
 */
export type Method = typeof methods[number]

/**
 * - `ttl`: how long a result is fresh (default 0: it is stale at once).
 * - `scope`: `public` if anybody may be given what is kept, `private`, the default, if only who asked. A list that is not
 *   the same for everybody is never `public`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Hints {
  readonly ttl?: Duration.Input
  readonly scope?: "public" | "private"
}

/**
 * Hints for everything, and others for some methods.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Hints {
  readonly methods?: Partial<Record<Method, Hints>>
}

/**
 * The hints for a result; `undefined` for one that cannot be kept.
 *
 * @since 0.1.0
 * @category models
 */
export type Caching = (method: string, result: Result) => CachingHints | undefined

/**
 * Throws a `TypeError` for a duration that makes no sense.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Caching => {
  const byMethod = new Map<string, CachingHints>()
  for (const method of methods) {
    const { scope, ttl } = { ...options, ...options.methods?.[method] }
    byMethod.set(method, { ttlMs: milliseconds(method, ttl === undefined ? 0 : ttl), cacheScope: scope ?? "private" })
  }
  return (method, { caching, value }) => {
    const hints = byMethod.get(method)
    if (hints === undefined) return undefined
    const { cacheScope, ttlMs } = { ...hints, ...caching, ...said(value) }
    // What is for some only is never for all.
    return { ttlMs, cacheScope: caching?.cacheScope === "private" ? "private" : cacheScope }
  }
}

// A result that says it itself knows best.
const said = ({ cacheScope, ttlMs }: Params): Partial<CachingHints> => ({
  ...(Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0 ? { ttlMs: Number(ttlMs) } : {}),
  ...(cacheScope === "public" || cacheScope === "private" ? { cacheScope } : {})
})

/**
 * Hints as they are written.
 *
 * @since 0.1.0
 * @category wire
 */
export const written = (what: string, { scope, ttl }: Hints): Partial<CachingHints> => ({
  ...(ttl === undefined ? {} : { ttlMs: milliseconds(what, ttl) }),
  ...(scope === undefined ? {} : { cacheScope: scope })
})

const milliseconds = (what: string, ttl: Duration.Input): number => {
  const duration = Number.isNaN(ttl) ? undefined : Duration.fromInput(ttl)
  const millis = duration?._tag === "Some" ? Math.floor(Duration.toMillis(duration.value)) : -1
  if (Number.isSafeInteger(millis) && millis >= 0) return millis
  throw new TypeError(`The caching hint of ${what} must be a duration that is not negative, and finite`)
}
