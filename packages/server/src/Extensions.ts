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
import type * as Scope from "effect/Scope"
import type { Call, Feature, Interest, Method, Result, SessionState } from "./Call.ts"
import * as Captured from "./internal/captured.ts"
import * as Registry from "./Registry.ts"

/**
 * An extension of a server.
 *
 * - `id`: such as `com.example/thing`; `settings`: the value that is declared for it (default `{}`).
 * - `around`: wraps the named methods, for clients that declared the extension. It may go on with another call, such as one
 *   with an `input` or a `part` of its own, end with a `resultType` of its own, or go on in a scope of its own.
 * - `listens`: members of the filter of `subscriptions/listen`; `announces`: the changes that a session hears of.
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
  /** A method with what the extensions do to it. */
  readonly extended: (method: Method) => Method
  /** What can be listened for. */
  readonly feature: Feature
  readonly add: <R>(extension: Extension<R>) => Effect.Effect<void, Registry.RegistrationError, Scope.Scope | R>
}

interface Entry extends Registry.Entry {
  readonly extension: Extension
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Extensions => {
  const registry = Registry.make<Entry>({
    kind: "extension",
    check: ({ key }) => {
      if (
        /^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)*\/[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/
          .test(key)
      ) return
      throw new TypeError(`The extension ${JSON.stringify(key)} is ill-formed: it must be like "com.example/thing"`)
    },
    changed: Effect.void
  })
  const all = (): ReadonlyArray<Extension> => registry.list(undefined).map(({ extension }) => extension)

  const extended = (method: Method): Method => (call) => {
    let wrapped = method
    for (const { around, id } of all()) {
      const outer = around?.[call.request.method]
      if (outer === undefined || !Capabilities.hasExtension(call.client.capabilities, id)) continue
      const inner = wrapped
      wrapped = (call) => outer(call, inner)
    }
    return wrapped(call)
  }
  return {
    settings: () => Object.fromEntries(all().map(({ id, settings }) => [id, settings ?? {}])),
    extended,
    feature: {
      declared: registry.used,
      capability: () => ({}),
      methods: {},
      announces: (session) => {
        const interests = all().flatMap(({ announces }) => announces === undefined ? [] : [announces(session)])
        return { matches: (change) => interests.some((interest) => interest.matches(change)) }
      },
      get listens() {
        return Object.assign({}, ...all().map(({ listens }) => listens ?? {}))
      }
    },
    add: (extension) =>
      Effect.flatMap(bind(extension), (bound) => registry.add({ key: extension.id, extension: bound }))
  }
}

// Its effects run in the context of its layer.
const bind = <R>(extension: Extension<R>): Effect.Effect<Extension, never, R> =>
  Effect.map(Captured.make<R>(), (captured) => {
    const { around, ...rest } = extension
    if (around === undefined) return rest
    const bound = Object.entries(around).map(([name, outer]) =>
      [name, (call: Call, next: Method) => Effect.updateContext(outer(call, next), captured)] as const
    )
    return { ...rest, around: Object.fromEntries(bound) }
  })
