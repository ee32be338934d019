/** The features of the server behind the proxy, as a client knows them. */
import type * as McpClient from "@mcp-effect/client/McpClient"
import type * as Capabilities from "@mcp-effect/protocol/Capabilities"
import * as Logging from "@mcp-effect/protocol/Logging"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Resource from "@mcp-effect/protocol/Resource"
import { type Feature, type Interest, type Method, result } from "@mcp-effect/server/Call"
import * as Changes from "@mcp-effect/server/Changes"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Forward from "./forward.ts"
import type { Lot } from "./lot.ts"

export interface Parts {
  readonly client: McpClient.McpClient["Service"]
  readonly capabilities: Capabilities.Server
  readonly lot: Lot
  /** Hears of a resource from now on. */
  readonly watch: (uri: string) => Effect.Effect<void>
}

export const make = (parts: Parts): ReadonlyArray<Feature> => {
  const { capabilities, client, lot, watch } = parts
  const plain = Forward.plain(client)
  const asking = Forward.asking(client, lot)
  const feature = (
    name: keyof Capabilities.Server,
    more: Partial<Feature> & Pick<Feature, "capability" | "methods">
  ): ReadonlyArray<Feature> =>
    capabilities[name] === undefined
      ? []
      : [{ declared: () => true, announces: () => nothing, listens: {}, ...more }]
  return [
    ...feature("tools", {
      capability: () => ({ tools: { listChanged: true } }),
      methods: { "tools/list": plain, "tools/call": asking },
      announces: () => of(Changes.tools),
      listens: { toolsListChanged: flag(Changes.tools) }
    }),
    ...feature("prompts", {
      capability: () => ({ prompts: { listChanged: true } }),
      methods: { "prompts/list": plain, "prompts/get": asking },
      announces: () => of(Changes.prompts),
      listens: { promptsListChanged: flag(Changes.prompts) }
    }),
    ...feature("completions", {
      capability: () => ({ completions: {} }),
      methods: { "completion/complete": plain }
    }),
    ...feature("logging", { capability: () => ({ logging: {} }), methods: { "logging/setLevel": level(client, lot) } }),
    ...feature("resources", resources(plain, asking, watch))
  ]
}

const nothing: Interest = { matches: () => false }

const of = ({ method }: Changes.Change): Interest => ({ matches: (change) => change.method === method })

const flag = (change: Changes.Change): Feature["listens"][string] => (requested) =>
  requested === true ? { honoured: true, ...of(change) } : undefined

const updated = (uris: { readonly has: (uri: string) => boolean }): Interest => ({
  matches: ({ method, params }) =>
    method === "notifications/resources/updated" && Predicate.isString(params?.uri) &&
    uris.has(Resource.normalize(params.uri))
})

const both = (one: Interest, other: Interest): Interest => ({
  matches: (change) => one.matches(change) || other.matches(change)
})

const level = (client: Parts["client"], lot: Lot): Method => ({ request: { params }, session }) => {
  const level = params?.level
  if (!Logging.isLevel(level)) return Effect.fail(new McpError.InvalidParams({ message: "Invalid params: \"level\"" }))
  if (session !== undefined) {
    session.logLevel = level
    lot.session = session
  }
  return Effect.as(Effect.ignore(client.setLogLevel(level)), result({}))
}

// As many as a client watches.
const MOST = 256

const resources = (
  plain: Method,
  asking: Method,
  watch: Parts["watch"]
): Pick<Feature, "capability" | "methods" | "announces" | "listens"> => ({
  capability: () => ({ resources: { subscribe: true, listChanged: true } }),
  methods: {
    "resources/list": plain,
    "resources/templates/list": plain,
    "resources/read": asking,
    "resources/subscribe": ({ principal, request: { params }, session }) => {
      const uri = params?.uri
      if (!Predicate.isString(uri) || session === undefined || session.subscribed.size >= MOST) {
        return Effect.fail(new McpError.InvalidParams({ message: `Invalid params: "uri", of ${MOST} at most` }))
      }
      session.subscribed.set(Resource.normalize(uri), { uri, principal })
      return Effect.as(watch(uri), result({}))
    },
    "resources/unsubscribe": ({ request: { params }, session }) => {
      session?.subscribed.delete(Resource.normalize(String(params?.uri)))
      return Effect.succeed(result({}))
    }
  },
  announces: ({ subscribed }) => both(of(Changes.resources), updated(subscribed)),
  listens: {
    resourcesListChanged: flag(Changes.resources),
    resourceSubscriptions: (requested, _call, bound) => {
      if (!Array.isArray(requested) || !requested.every(Predicate.isString)) return undefined
      const uris = requested.slice(0, Math.min(bound, MOST))
      for (const uri of uris) Effect.runFork(watch(uri))
      return { honoured: uris, ...updated(new Set(uris.map(Resource.normalize))) }
    }
  }
})
