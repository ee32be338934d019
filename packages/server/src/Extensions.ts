/**
 * Extensions of the protocol, as one layer each: their settings in the capabilities, their methods and notifications,
 * what can be listened for, and what they do to the requests of clients that declared them.
 *
 * @since 0.1.0
 */
import * as Capabilities from "@mcp-effect/protocol/Capabilities"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type { ProtocolError } from "@mcp-effect/protocol/McpError"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import type { Call, Feature, Interest, Method, Result, SessionState } from "./Call.ts"
import * as Captured from "./internal/captured.ts"
import * as Listens from "./internal/listens.ts"
import * as Registry from "./Registry.ts"
import * as Subscriptions from "./Subscriptions.ts"

/**
 * An extension of a server.
 *
 * - `id`: such as `com.example/thing`; `settings`: the value that is declared for it (default `{}`).
 * - `around`: wraps the named methods. It may go on with another call, such as one with an `input` or a `part` of its own,
 *   end with a `resultType` of its own, or go on in a scope of its own. Of several extensions around a method the one that
 *   was registered first is outermost, as with middleware, which is around them all.
 * - `listens`: members of the filter of `subscriptions/listen` that nobody else has; `announces`: the changes that a session
 *   hears of.
 *
 * All of it is for clients that declared the extension too: for the rest the server is one without it.
 *
 * Its methods are added by `McpServer.method`, with `extension` set to its id.
 *
 * @since 0.1.0
 * @category models
 */
export interface Extension<out R = never> {
  readonly id: string
  readonly settings?: Params
  readonly around?: {
    readonly [method: string]: (call: Call, next: Method) => Effect.Effect<Result, ProtocolError, R>
  }
  readonly listens?: Feature["listens"]
  readonly announces?: (session: SessionState) => Interest
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Extensions {
  /** What is declared: the settings by id. */
  readonly settings: () => Params
  /** The method of a call with what the extensions do to it; as it is, if they do nothing. */
  readonly extended: (call: Call, method: Method) => Method
  /** What can be listened for. */
  readonly feature: Feature
  readonly add: <R = never>(extension: Extension<R>) => Effect.Effect<void, Registry.RegistrationError, Scope.Scope | R>
}

interface Entry extends Registry.Entry {
  readonly extension: Extension
  /** When it came, among all. */
  readonly order: number
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Extensions => {
  const registry = Registry.make<Entry>({
    kind: "extension",
    check: ({ extension: { id, listens, settings } }) => {
      if (!Capabilities.isExtensionId(id)) {
        throw new TypeError(`The extension ${JSON.stringify(id)} is ill-formed: it must be like "com.example/thing"`)
      }
      checkSettings(id, settings ?? {})
      for (const key of Object.keys(listens ?? {})) {
        const owner = [...all(), { id: "the protocol", listens: members }].find(({ listens }) => has(listens, key))
        if (owner !== undefined) {
          throw new TypeError(`${id} cannot listen by ${JSON.stringify(key)}: it is ${owner.id}'s`)
        }
      }
    },
    changed: Effect.void
  })
  let count = 0
  let listed: ReadonlyArray<Entry> = []
  let ordered: ReadonlyArray<Extension> = []
  const all = (): ReadonlyArray<Extension> => {
    const entries = registry.list(undefined)
    if (entries !== listed) {
      listed = entries
      ordered = entries.toSorted((a, b) => a.order - b.order).map(({ extension }) => extension)
    }
    return ordered
  }

  const extended: Extensions["extended"] = (call, method) => {
    const extensions = all()
    let wrapped = method
    for (let index = extensions.length - 1; index >= 0; index--) {
      const extension = extensions[index]
      if (extension === undefined || !has(extension.around, call.request.method)) continue
      const outer = extension.around[call.request.method]
      if (outer === undefined || !isShared(call, extension.id)) continue
      const inner = wrapped
      wrapped = (call) => outer(call, inner)
    }
    return wrapped
  }

  return {
    settings: () => Object.fromEntries(all().map(({ id, settings }) => [id, settings ?? {}])),
    extended,
    feature: {
      declared: registry.used,
      capability: () => ({}),
      methods: {},
      announces: (session) =>
        Listens.any(
          all().flatMap(({ announces, id }) =>
            announces === undefined || !session.extensions.has(id) ? [] : [announces(session)]
          )
        ),
      get listens() {
        return Object.fromEntries(
          all().flatMap(({ id, listens = {} }) =>
            Object.entries(listens).map(([key, accept]): [string, typeof accept] => [
              key,
              (requested, call, bound) => isShared(call, id) ? accept(requested, call, bound) : undefined
            ])
          )
        )
      }
    },
    add: (extension) =>
      Effect.flatMap(bind(extension), (bound) => registry.add({ key: extension.id, extension: bound, order: count++ }))
  }
}

// Declared to everybody: what cannot be written would let nobody in.
const checkSettings = (id: string, settings: Params): void => {
  try {
    if (Predicate.isObject(JSON.parse(JSON.stringify(settings)))) return
  } catch {
    // Told below.
  }
  throw new TypeError(`The settings of ${id} cannot be declared: they must be an object that JSON can hold`)
}

const members = Object.fromEntries(Subscriptions.members.map((key) => [key, undefined]))

const has = <T extends object>(all: T | undefined, key: PropertyKey): all is T =>
  all !== undefined && Object.hasOwn(all, key)

// Whether both sides have declared it. What a session was not told of, it does not get.
const isShared = ({ client, session }: Call, id: string): boolean =>
  session === undefined ? Capabilities.hasExtension(client.capabilities, id) : session.extensions.has(id)

// Its effects run in the context of its layer.
const bind = <R>(extension: Extension<R>): Effect.Effect<Extension, never, R> =>
  Effect.map(Captured.make<R>(), (captured) => {
    const { around, ...rest } = extension
    if (around === undefined) return rest
    const bound = Object.entries(around).map(([name, outer]) =>
      [
        name,
        (call: Call, next: Method) => Effect.updateContext(Effect.suspend(() => outer(call, next)), captured)
      ] as const
    )
    return { ...rest, around: Object.fromEntries(bound) }
  })
