/**
 * Methods and notifications of a server that the protocol does not know, by name: what an extension adds, or an
 * application of its own.
 *
 * @since 0.1.0
 */
import * as Capabilities from "@mcp-effect/protocol/Capabilities"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Problem from "@mcp-effect/protocol/Problem"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type * as Scope from "effect/Scope"
import { type Call, type Method, result } from "./Call.ts"
import * as Captured from "./internal/captured.ts"
import * as Invocation from "./internal/invocation.ts"
import * as Reporter from "./internal/reporter.ts"
import * as Registry from "./Registry.ts"

/**
 * What runs when a notification arrives, one after the other.
 *
 * @since 0.1.0
 * @category models
 */
export type Notified = (params: Params) => Effect.Effect<void>

/**
 * @since 0.1.0
 * @category models
 */
export interface Methods {
  readonly get: (name: string) => Method | undefined
  readonly notified: (name: string) => Notified | undefined
  /** The methods that need an extension, each with its id. */
  readonly extending: () => ReadonlyArray<{ readonly name: string; readonly extension: string }>
  /** Adds a method until the scope closes; `extension`: the one without which a client may not call it. */
  readonly add: (
    name: string,
    method: Method,
    extension?: string
  ) => Effect.Effect<void, Registry.RegistrationError, Scope.Scope>
  readonly addNotified: (
    name: string,
    notified: Notified
  ) => Effect.Effect<void, Registry.RegistrationError, Scope.Scope>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Methods => {
  const methods = Registry.make<Registry.Entry & { readonly method: Method; readonly extension: string | undefined }>({
    kind: "method",
    check: ({ key }) => foreign(key, ["serverRequests", "clientRequests"]),
    changed: Effect.void
  })
  const notifications = Registry.make<Registry.Entry & { readonly notified: Notified }>({
    kind: "notification",
    check: ({ key }) => foreign(key, ["serverNotifications", "clientNotifications"]),
    changed: Effect.void
  })
  return {
    get: (name) => methods.get(name, undefined)?.method,
    notified: (name) => notifications.get(name, undefined)?.notified,
    extending: () =>
      methods.all().flatMap(({ extension, key }) => extension === undefined ? [] : [{ name: key, extension }]),
    add: (key, method, extension) => methods.add({ key, method, extension }),
    addNotified: (key, notified) => notifications.add({ key, notified })
  }
}

// What the protocol itself defines is not for others to define, whoever receives it; what it only lets through is.
const foreign = (name: string, kinds: ReadonlyArray<keyof Revision["methods"]>): void => {
  const known = Revisions.all.some(({ methods }) => kinds.some((kind) => methods[kind].has(name)))
  if (!known || name === "notifications/roots/list_changed") return
  throw new TypeError(`${JSON.stringify(name)} belongs to the protocol: it cannot be registered`)
}

/**
 * - `params`: what the parameters decode to, without their `_meta`; records by default.
 * - `result`: what the handler returns; records by default.
 * - `extension`: the extension without which a client may not call it, one that `McpServer.extension` adds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<P extends AnySchema = typeof Record, A extends AnySchema = typeof Record> {
  readonly params?: P
  readonly result?: A
  readonly extension?: string
}

type AnySchema = Schema.ConstraintCodec<unknown, unknown>

/**
 * What parameters and results are by default.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Record = Schema.Record(Schema.String, Schema.Unknown)

/**
 * A method from a typed handler, which fails with what is to be the reply, and runs in the context of the layer that
 * registers it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const method = <P extends AnySchema = typeof Record, A extends AnySchema = typeof Record, R = never>(
  name: string,
  { extension, params, result: output }: Options<P, A>,
  handler: (params: P["Type"]) => Effect.Effect<A["Type"], McpError.ProtocolError, R>
): Effect.Effect<Method, never, Exclude<R, Scope.Scope>> =>
  Effect.map(Invocation.make<R>(), (invocation) => {
    const decode = SchemaParser.decodeUnknownEffect(Schema.toCodecJson(params ?? Record))
    const encode = SchemaParser.encodeUnknownEffect(Schema.toCodecJson(output ?? Record))
    const handle = (call: Call): Effect.Effect<Params, McpError.ProtocolError, R> => {
      const { _meta, ...given } = call.request.params ?? {}
      return decode(given, Problem.thoroughly(given)).pipe(
        Effect.mapError((issue) => invalid(`Invalid params for ${name}: ${Problem.describe(issue)}`)),
        Effect.flatMap((decoded) => handler(decoded)),
        Effect.flatMap((value) =>
          Effect.catchEager(encode(value), (issue) =>
            Effect.die(new TypeError(`The result of ${name} does not fit its schema: ${Problem.describe(issue)}`)))
        ),
        Effect.flatMap((value) =>
          decodeRecord(value, name)
        )
      )
    }
    return (call) =>
      extension !== undefined && !Capabilities.hasExtension(call.client.capabilities, extension)
        ? Effect.fail(needed(name, extension))
        : Effect.map(invocation.run(call, Reporter.make(call), handle(call)), result)
  })

/**
 * What handles a notification, in the context of the layer that registers it. `Scope` is each notification's own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const notified = <R>(
  handler: (params: Params) => Effect.Effect<void, never, R>
): Effect.Effect<Notified, never, Exclude<R, Scope.Scope>> =>
  Effect.map(
    Captured.make<Exclude<R, Scope.Scope>>(),
    (captured) => (params) => Effect.updateContext(Effect.scoped(Effect.suspend(() => handler(params))), captured)
  )

const isRecord = Schema.is(Record)

const decodeRecord = (value: unknown, name: string): Effect.Effect<Params> =>
  isRecord(value) ? Effect.succeed(value) : Effect.die(new TypeError(`The result of ${name} must be an object`))

const invalid = (message: string): McpError.InvalidParams => new McpError.InvalidParams({ message })

const needed = (name: string, extension: string): McpError.MissingRequiredClientCapability =>
  new McpError.MissingRequiredClientCapability({
    message: `${name} needs the extension ${extension}, which the client did not declare`,
    requiredCapabilities: { extensions: { [extension]: {} } }
  })
