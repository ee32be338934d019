/**
 * `subscriptions/listen`: a request that stays open and is told of the changes that it asked for, until its client
 * cancels it or the server ends.
 *
 * Source: `basic/patterns/subscriptions` of revision 2026-07-28. The stateful revisions have `resources/subscribe` instead.
 *
 * @since 0.1.0
 */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { type Call, type Feature, type Listening, type Method, result } from "./Call.ts"
import type { Changes } from "./Changes.ts"
import * as Announcer from "./internal/announcer.ts"
import * as Listens from "./internal/listens.ts"

/**
 * The method, given the features that are declared and the source of changes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const listen = (features: () => ReadonlyArray<Feature>, changes: Changes["Service"]): Method => (call) =>
  Effect.flatMap(Limits.Limits, ({ inFlight: bound }) => {
    const filter = call.request.params?.notifications
    const wrong = problem(filter)
    if (!Predicate.isObject(filter) || wrong !== undefined) {
      return Effect.fail(new McpError.InvalidParams({ message: `Invalid params: ${wrong}` }))
    }
    const heard = new Map<string, Listening>()
    for (const feature of features()) {
      for (const [key, accept] of Object.entries(feature.listens)) {
        const requested = Object.hasOwn(filter, key) ? filter[key] : undefined
        const listening = requested === undefined ? undefined : accept(requested, call, bound)
        if (listening !== undefined) heard.set(key, listening)
      }
    }
    return subscribe(call, heard, changes, bound)
  })

const flags = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"]

/**
 * The members of the filter that the protocol defines, whatever a server supports.
 *
 * @since 0.1.0
 * @category constants
 */
export const members: ReadonlyArray<string> = [...flags, "resourceSubscriptions"]

// What the protocol defines must be well-formed, also where there is nothing to listen for.
const problem = (filter: unknown): string | undefined => {
  if (!Predicate.isObject(filter)) return "\"notifications\" must be an object, the filter"
  const flag = flags.find((key) => filter[key] !== undefined && typeof filter[key] !== "boolean")
  if (flag !== undefined) return `"${flag}" in "notifications" must be true or false`
  const { resourceSubscriptions: uris } = filter
  return uris === undefined || (Array.isArray(uris) && uris.every(Predicate.isString))
    ? undefined
    : "\"resourceSubscriptions\" in \"notifications\" must be an array of URIs"
}

const subscribe = (
  call: Call,
  heard: ReadonlyMap<string, Listening>,
  changes: Changes["Service"],
  bound: number
): ReturnType<Method> =>
  Effect.gen(function*() {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const tag = { [Meta.SUBSCRIPTION_ID]: call.request.id }
    const ended = Deferred.makeUnsafe<void>()
    const end = (effect: Effect.Effect<void>): void => void Deferred.doneUnsafe(ended, effect)
    const announcer = Announcer.make({
      run,
      back: call.back,
      bound,
      write: (change) => Meta.assign(change.params, tag),
      ready: () => true,
      missed: () => end(tooSlow(bound)),
      lost: () => end(Effect.void)
    })
    const stops: Array<() => void> = [announcer.end]
    const listening = Effect.gen(function*() {
      stops.push(call.link.onEnding(() => end(Effect.void)))
      // Before it is acknowledged, so that nothing falls in between.
      const interest = Listens.any([...heard.values()])
      stops.push(changes.observe((change) => announcer.push(change, interest)))
      // Who has gone hears of nothing more.
      yield* Effect.catch(call.back.notify(acknowledgement(heard, tag)), () => Effect.sync(() => end(Effect.void)))
      announcer.start()
      yield* Deferred.await(ended)
      return result({ _meta: tag })
    })
    return yield* Effect.ensuring(listening, Effect.sync(() => stops.forEach((stop) => stop())))
  })

const tooSlow = (bound: number): Effect.Effect<void> =>
  Effect.logWarning(`A subscription was ended: ${bound} different changes were waiting for its client`)

const acknowledgement = (heard: ReadonlyMap<string, Listening>, tag: JsonRpc.Params): JsonRpc.Notification => ({
  _tag: "Notification",
  method: "notifications/subscriptions/acknowledged",
  params: { _meta: tag, notifications: Object.fromEntries([...heard].map(([key, { honoured }]) => [key, honoured])) }
})
