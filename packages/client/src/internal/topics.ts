/** What a client can hear the changes of: a list, or a resource; and how to ask for that in both eras. */
import type { Notification, Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Predicate from "effect/Predicate"

export interface Topic {
  /** One for each thing, and, of lists, the member of the filter. */
  readonly key: string
  /** What a change is told as, if nobody knows better. */
  readonly name: string
  /** The notification that tells of it. */
  readonly method: string
  /** What a server of the stateful revisions must have declared. */
  readonly capability: string
  /** What it must be asked for there; nothing for a list. */
  readonly uri: string | undefined
  /** The filter of `subscriptions/listen`. */
  readonly filter: Params
  /** Whether a server that has acknowledged this filter tells of it. */
  readonly honoured: (acknowledged: unknown) => boolean
  /** Why a server that could tell of such things does not tell of this one. */
  readonly missing: () => McpError.McpError
  /** What has changed, if a notification tells of this. `tied`: whether it came for this topic, or for the session. */
  readonly told: (notification: Notification, tied: boolean) => string | undefined
}

export const LISTEN = "subscriptions/listen"

export const list = (name: "tools" | "prompts" | "resources"): Topic => {
  const member = `${name}ListChanged`
  const changed = `notifications/${name}/list_changed`
  return {
    key: member,
    name,
    method: changed,
    capability: `${name}.listChanged`,
    uri: undefined,
    filter: { [member]: true },
    honoured: (acknowledged) => Predicate.isObject(acknowledged) && acknowledged[member] === true,
    missing: () =>
      new McpError.MethodNotFound({ method: LISTEN, message: `The server does not tell of changes of its ${name}` }),
    told: ({ method }) => method === changed ? name : undefined
  }
}

const UPDATED = "notifications/resources/updated"

export const resource = (uri: string): Topic => {
  const normal = Resource.normalize(uri)
  return {
    key: `resource ${uri}`,
    name: uri,
    method: UPDATED,
    capability: "resources.subscribe",
    uri,
    filter: { resourceSubscriptions: [uri] },
    // In whichever spelling.
    honoured: (acknowledged) => {
      const uris = Predicate.isObject(acknowledged) ? acknowledged.resourceSubscriptions : undefined
      return Array.isArray(uris) && uris.some((uri) => Predicate.isString(uri) && Resource.normalize(uri) === normal)
    },
    missing: () =>
      new McpError.ResourceNotFound({
        uri,
        message: `The server does not tell of changes of ${Problem.cut(uri, 200)}`
      }),
    told: ({ method, params }, tied) => {
      if (method !== UPDATED) return undefined
      const updated = params?.uri
      if (!Predicate.isString(updated)) return tied ? uri : undefined
      return tied || isWithin(Resource.normalize(updated), normal) ? updated : undefined
    }
  }
}

// "file:///a/b" is in "file:///a" and in "file:///a/": who has subscribed to these hears of it.
const isWithin = (uri: string, parent: string): boolean =>
  uri.startsWith(parent) && (uri.length === parent.length || parent.endsWith("/") || uri.charAt(parent.length) === "/")
