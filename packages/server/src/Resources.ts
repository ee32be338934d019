/**
 * The resources feature: `resources/list`, `resources/templates/list`, `resources/read`, and who hears of updates. Which
 * resources and templates there are is the registries' to know, how one is read is its own.
 *
 * A URI is that of a resource, in any spelling, or else of a template: the one with the most literal text comes first.
 * What is not visible does not exist, so that a template which is visible may still give the URI of a resource that is not.
 *
 * Source: `server/resources` of the specification, and `basic/patterns/subscriptions` of revision 2026-07-28.
 *
 * @since 0.1.0
 */
import * as Limits from "@mcp-effect/protocol/Limits"
import * as McpError from "@mcp-effect/protocol/McpError"
import type { Principal } from "@mcp-effect/protocol/Principal"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as UriTemplate from "@mcp-effect/protocol/UriTemplate"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as Caching from "./Caching.ts"
import {
  type CachingHints,
  type Call,
  type Feature,
  type Interest,
  type Method,
  result,
  type SessionState
} from "./Call.ts"
import * as Changes from "./Changes.ts"
import type { Bound, Completers, Known, ServicesOf } from "./Completer.ts"
import * as BoundCompleters from "./internal/completers.ts"
import * as Listens from "./internal/listens.ts"
import * as Pages from "./internal/pages.ts"
import * as ResourceRun from "./internal/resourceRun.ts"
import * as TemplateOrder from "./internal/templateOrder.ts"
import * as Updates from "./internal/updates.ts"
import * as Registry from "./Registry.ts"
import * as ResourceHandler from "./ResourceHandler.ts"

/**
 * A resource and what reads it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry extends Registry.Entry {
  readonly resource: Resource.Resource
  readonly read: Method
}

/**
 * A template, what reads the URIs that it gives, and what completes its variables.
 *
 * @since 0.1.0
 * @category models
 */
export interface TemplateEntry extends Registry.Entry {
  readonly template: Resource.ResourceTemplate
  readonly match: ResourceHandler.Match
  readonly complete: Bound
}

/**
 * The resources that a server offers now, by `Resource.normalize` of their URIs.
 *
 * @since 0.1.0
 * @category models
 */
export type Resources = Registry.Registry<Entry>

/**
 * The resource templates that a server offers now, by their text.
 *
 * @since 0.1.0
 * @category models
 */
export type Templates = Registry.Registry<TemplateEntry>

/**
 * - `caching`: how long what is read may be kept, and by whom. What not everybody may see is never `public`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Registry.Visibility {
  readonly caching?: Caching.Hints
}

/**
 * - `complete`: what suggests values of variables, by their names. One whose schema is `Schema.Literals` needs none: those
 *   that begin with the value are suggested.
 *
 * @since 0.1.0
 * @category models
 */
export interface TemplateOptions<T extends Resource.ResourceTemplate, C> extends Options {
  readonly complete?: Completers<unknown> & C & Known<Resource.Variables<T>, C>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const registry = (changes: Changes.Changes["Service"]): Resources =>
  Registry.make<Entry>({
    kind: "resource",
    check: ({ resource }) => Resource.check(resource),
    changed: changes.publish(Changes.resources)
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const templateRegistry = (changes: Changes.Changes["Service"]): Templates =>
  Registry.make<TemplateEntry>({
    kind: "resource template",
    check: ({ complete, template }) => {
      Resource.check(template)
      for (const name of Object.keys(complete)) {
        if (template.parsed.variables.includes(name)) continue
        throw new TypeError(
          `The URI template ${JSON.stringify(template.uriTemplate)} has no variable ${JSON.stringify(name)} to complete`
        )
      }
    },
    changed: changes.publish(Changes.resources)
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const entry = <R = never>(
  resource: Resource.Resource,
  handler: ResourceHandler.ResourceHandler<R>,
  options: Options = {}
): Effect.Effect<Entry, Registry.RegistrationError, Exclude<R, Scope.Scope>> =>
  Effect.gen(function*() {
    const hints = yield* hintsOf("resource", resource.uri, options)
    const read = yield* ResourceHandler.method(resource, handler, hints)
    return { key: Resource.normalize(resource.uri), resource, read, visibleTo: options.visibleTo }
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const templateEntry = <T extends Resource.ResourceTemplate, R = never, C = {}>(
  template: T,
  handler: ResourceHandler.TemplateHandler<T, R>,
  options: TemplateOptions<T, C> = {}
): Effect.Effect<TemplateEntry, Registry.RegistrationError, Exclude<R, Scope.Scope> | ServicesOf<C>> =>
  Effect.gen(function*() {
    const hints = yield* hintsOf("resource template", template.uriTemplate, options)
    const match = yield* ResourceHandler.match(template, handler, hints)
    // Sound: these are the services of all that `C` has.
    const given = (options.complete ?? {}) as Completers<ServicesOf<C>>
    const complete = yield* BoundCompleters.bind<ServicesOf<C>>(given)
    return { key: template.uriTemplate, template, match, complete, visibleTo: options.visibleTo }
  })

const hintsOf = (
  kind: Registry.Kind,
  key: string,
  { caching, visibleTo }: Options
): Effect.Effect<Partial<CachingHints> | undefined, Registry.RegistrationError> =>
  Registry.attempt(kind, key, () => {
    const hints = caching === undefined ? undefined : Caching.written(`the ${kind} ${key}`, caching)
    return visibleTo === undefined ? hints : { ...hints, cacheScope: "private" as const }
  })

/**
 * The feature over both registries, in pages of `pageSize`. It is declared once anything was registered, or from the start
 * if `declare` is set.
 *
 * A session subscribes to `Limits.inFlight` resources at the most, with URIs that are no longer than
 * `Limits.messageBytes` together, and one more is refused. One `subscriptions/listen`
 * hears of the first as many, and of those that do not exist in no case: its acknowledgement says of which.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  resources: Resources,
  templates: Templates,
  { declare, pageSize }: { readonly declare: boolean; readonly pageSize: number }
): Feature => {
  const find = finder(resources, templates)
  const sees = (uri: string, principal: Principal | undefined): boolean =>
    (!resources.restricted() && !templates.restricted()) || find(uri, principal) !== undefined
  const updates = (subscriptions: SessionState["subscribed"]): Interest =>
    Updates.of(subscriptions, (uri, { principal }) => sees(uri, principal))

  const read = withUri((uri, call) => {
    const method = find(uri, call.principal)
    return method === undefined ? Effect.fail(ResourceRun.notFound(uri)) : method(call)
  })
  const subscribe = withUri((uri, call) =>
    Effect.flatMap(
      Limits.Limits,
      (limits) =>
        find(uri, call.principal) === undefined ? Effect.fail(ResourceRun.notFound(uri)) : remember(uri, call, limits)
    )
  )
  // Of what does not exist any more too.
  const unsubscribe = withUri((uri, { session }) => {
    session?.subscribed.delete(Resource.normalize(uri))
    return Effect.succeed(result({}))
  })
  return {
    declared: () => declare || resources.used() || templates.used(),
    capability: () => ({ resources: { subscribe: true, listChanged: true } }),
    methods: {
      "resources/list": Pages.make(resources, {
        member: "resources",
        pageSize,
        write: ({ resource }, wire) => Resource.toWire(resource, wire)
      }),
      "resources/templates/list": Pages.make(templates, {
        member: "resourceTemplates",
        pageSize,
        write: ({ template }, wire) => Resource.templateToWire(template, wire)
      }),
      "resources/read": read,
      "resources/subscribe": subscribe,
      "resources/unsubscribe": unsubscribe
    },
    announces: ({ subscribed }) => Listens.any([listChanged, updates(subscribed)]),
    listens: {
      resourcesListChanged: Listens.flag(Changes.resources),
      resourceSubscriptions: (requested, { principal }, bound) => {
        if (!Array.isArray(requested) || !requested.every(Predicate.isString)) return undefined
        const existing = requested.slice(0, bound).filter((uri) => find(uri, principal) !== undefined)
        const subscriptions = new Map(existing.map((uri) => [Resource.normalize(uri), { uri, principal }]))
        return { honoured: [...subscriptions.values()].map(({ uri }) => uri), ...updates(subscriptions) }
      }
    }
  }
}

// However far behind somebody is, that the list has changed is told.
const listChanged: Interest = { ...Listens.to(Changes.resources), coarse: () => Changes.resources }

const remember = (
  uri: string,
  { principal, session }: Call,
  { inFlight, messageBytes }: Limits.Limits
): ReturnType<Method> => {
  const key = Resource.normalize(uri)
  if (session === undefined) return Effect.succeed(result({}))
  const { subscribed } = session
  if (subscribed.size >= inFlight && !subscribed.has(key)) {
    return refused(`this session has ${inFlight} subscriptions already; it must unsubscribe from some first`)
  }
  // As much as a `subscriptions/listen` can ask for.
  let size = uri.length
  for (const [other, { uri }] of subscribed) size += other === key ? 0 : uri.length
  if (size > messageBytes) {
    return refused(
      `the URIs that this session has subscribed to would be longer than ${messageBytes} characters; ` +
        "it must unsubscribe from some first"
    )
  }
  subscribed.set(key, { uri, principal })
  return Effect.succeed(result({}))
}

const refused = (problem: string): Effect.Effect<never, McpError.InvalidParams> =>
  Effect.fail(new McpError.InvalidParams({ message: `Invalid params: ${problem}` }))

const withUri = (method: (uri: string, call: Call) => ReturnType<Method>): Method => (call) => {
  const uri = call.request.params?.uri
  if (!Predicate.isString(uri)) return refused("\"uri\" must be a string")
  return uri.length <= UriTemplate.MAX_URI
    ? method(uri, call)
    : refused(`"uri" has ${uri.length} characters, and ${UriTemplate.MAX_URI} at most are read`)
}

const finder = (resources: Resources, templates: Templates) => {
  const inOrder = TemplateOrder.make(templates)
  return (uri: string, principal: Principal | undefined): Method | undefined => {
    const entry = resources.get(Resource.normalize(uri), principal)
    if (entry !== undefined) return entry.read
    for (const { match } of inOrder(principal)) {
      const read = match(uri)
      if (read !== undefined) return read
    }
    return undefined
  }
}
