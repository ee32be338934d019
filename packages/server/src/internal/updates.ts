/**
 * Which updates of resources somebody hears of: those of what they have subscribed to, and of what is in it, as
 * "file:///a/b" is in "file:///a" and in "file:///a/".
 */
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Predicate from "effect/Predicate"
import type { Interest, Subscribed } from "../Call.ts"
import * as Changes from "../Changes.ts"

/**
 * The updates for these subscriptions, which are by normalized URI. `isTold`: whether a subscriber may hear of what is in
 * the resource. One who is too far behind for each hears of the resource instead: those are not more than subscriptions.
 */
export const of = (
  subscriptions: ReadonlyMap<string, Subscribed>,
  isTold: (uri: string, subscribed: Subscribed) => boolean
): Interest => {
  const around = (change: Changes.Change): string | undefined => {
    const uri = subscriptions.size === 0 ? undefined : uriOf(change)
    if (uri === undefined) return undefined
    const normal = Resource.normalize(uri)
    if (subscriptions.has(normal)) return uri
    for (const parent of isDeep(normal) ? subscribedParents(subscriptions, normal) : parents(normal)) {
      const subscribed = subscriptions.get(parent)
      if (subscribed !== undefined && isTold(uri, subscribed)) return subscribed.uri
    }
    return undefined
  }
  return {
    matches: (change) => around(change) !== undefined,
    coarse: (change) => {
      const uri = around(change)
      return uri === undefined ? undefined : Changes.resource(uri)
    }
  }
}

const { method: UPDATED } = Changes.resource("")

const uriOf = ({ method, params }: Changes.Change): string | undefined =>
  method === UPDATED && Predicate.isString(params?.uri) ? params.uri : undefined

// What a tool writes for its client may be as deep as the client likes: to look at every parent takes quadratic time.
const DEEP = 64

const isDeep = (uri: string): boolean => {
  let slashes = 0
  for (let at = uri.indexOf("/"); at >= 0; at = uri.indexOf("/", at + 1)) if (++slashes > DEEP) return true
  return false
}

const subscribedParents = (subscriptions: ReadonlyMap<string, Subscribed>, uri: string): ReadonlyArray<string> =>
  [...subscriptions.keys()]
    .filter((key) => uri.startsWith(key) && (key.endsWith("/") || uri.charAt(key.length) === "/"))
    .toSorted((a, b) => b.length - a.length)

// The nearest first.
function* parents(uri: string): Generator<string> {
  for (let at = uri.lastIndexOf("/"); at > 0; at = uri.lastIndexOf("/", at - 1)) {
    if (at < uri.length - 1) yield uri.slice(0, at + 1)
    yield uri.slice(0, at)
  }
}
