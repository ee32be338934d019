/**
 * How a client finds out what the server speaks: the probe for the stateless era, and `initialize` for the stateful one.
 * Its outcome is an `Era`, which writes every later request; nothing after it asks which era that is.
 *
 * Source: `basic/transports/stdio#backward-compatibility` of 2026-07-28, `basic/lifecycle` of the earlier revisions.
 *
 * @since 0.1.0
 */
import type * as Capabilities from "@mcp-effect/protocol/Capabilities"
import { Implementation } from "@mcp-effect/protocol/Implementation"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import { cancelReason, type Connection, type Peer, type TransportError } from "@mcp-effect/protocol/Peer"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as SchemaParser from "effect/SchemaParser"
import * as Scope from "effect/Scope"

/**
 * What a server says of itself. `info` may be absent from 2026-07-28 on.
 *
 * @since 0.1.0
 * @category models
 */
export interface Server {
  readonly info: Implementation | undefined
  readonly capabilities: Capabilities.Server
  readonly instructions: string | undefined
  readonly revision: Revision
}

/**
 * How requests are written to this server.
 *
 * @since 0.1.0
 * @category models
 */
export interface Era {
  readonly server: Server
  readonly prepare: (params: JsonRpc.Params | undefined) => JsonRpc.Params | undefined
  /** The request that asks for nothing but an answer. */
  readonly ping: string
}

/**
 * What the client says of itself, and how long it waits: `probe` for an answer to `server/discover`, `initialize` for one
 * to `initialize`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly info: Implementation
  readonly capabilities: Capabilities.Client
  readonly revisions: ReadonlyArray<Revision>
  readonly probeTimeout: Duration.Input
  readonly initializeTimeout: Duration.Input
}

/**
 * Why there is no common ground, or no connection.
 *
 * @since 0.1.0
 * @category models
 */
export type HandshakeError = McpError.McpError

/**
 * Connects, and finds the era and the newest revision that both sides speak. A server that the probe has killed is
 * connected to again.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = (
  connect: Effect.Effect<Connection, TransportError, Scope.Scope>,
  local: Peer,
  options: Options
): Effect.Effect<{ readonly connection: Connection; readonly era: Era }, HandshakeError, Scope.Scope> =>
  Effect.gen(function*() {
    const stateless = Revisions.ofEra(options.revisions, "stateless")
    const newest = stateless[0]
    if (newest === undefined) {
      const connection = yield* open(connect)
      return { connection, era: yield* initialize(connection, local, options) }
    }
    const first = yield* Scope.fork(yield* Effect.scope)
    const connection = yield* Scope.provide(open(connect), first)
    const found = yield* probe(connection, local, options, newest)
    if (typeof found === "object") return { connection, era: yield* agree(connection, local, options, found) }
    const alive = yield* isAlive(connection)
    if (alive) {
      const began = initialize(connection, local, options)
      const era = found === "silent" ? orDiscover(began, connection, local, options, newest) : began
      return { connection, era: yield* era }
    }
    yield* Effect.logDebug("The server ended at the probe; connecting again for initialize")
    yield* Scope.close(first, Exit.void)
    const second = yield* open(connect)
    return { connection: second, era: yield* initialize(second, local, options) }
  })

// A server that refuses `initialize` may merely have been too slow for the probe.
const orDiscover = (
  began: Effect.Effect<Era, HandshakeError>,
  connection: Connection,
  local: Peer,
  options: Options,
  newest: Revision
): Effect.Effect<Era, HandshakeError> =>
  Effect.catch(began, (refused) => {
    const wasAsked = Revisions.ofEra(options.revisions, "stateful").length > 0
    if (!wasAsked || refused._tag === "ConnectionClosed" || refused._tag === "RequestTimeout") {
      return Effect.fail(refused)
    }
    const patient = { ...options, probeTimeout: options.initializeTimeout }
    return Effect.flatMap(probe(connection, local, patient, newest), (found) =>
      typeof found === "object" ? agree(connection, local, options, found) : Effect.fail(refused))
  })

const open = (
  connect: Effect.Effect<Connection, TransportError, Scope.Scope>
): Effect.Effect<Connection, McpError.McpError, Scope.Scope> =>
  Effect.mapError(connect, (error) => McpError.fromTransport("initialize", error))

const isAlive = (connection: Connection): Effect.Effect<boolean> =>
  Effect.raceFirst(Effect.as(connection.closed, false), Effect.as(Effect.yieldNow, true))

const ask = (
  connection: Connection,
  local: Peer,
  method: string,
  params: JsonRpc.Params,
  timeout: Duration.Input
): Effect.Effect<Option.Option<Exit.Exit<JsonRpc.Response, TransportError>>> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(connection.request(JsonRpc.request(method, method, params), local))
    const exit = yield* Effect.timeoutOption(Fiber.await(fiber), timeout)
    if (Option.isNone(exit)) yield* Fiber.interruptAs(fiber, undefined, cancelReason("No reply in time"))
    return exit
  })

interface Discovered {
  readonly supported: ReadonlyArray<string>
  readonly result: JsonRpc.Params | undefined
}

// "silent" means: no answer in time. "other" means: nothing that a stateless server would say.
const probe = Effect.fnUntraced(function*(
  connection: Connection,
  local: Peer,
  options: Options,
  revision: Revision
): Effect.fn.Return<Discovered | "silent" | "other"> {
  const params = statelessMeta(options, revision, undefined)
  const exit = yield* ask(connection, local, "server/discover", params, options.probeTimeout)
  if (Option.isNone(exit)) return "silent"
  if (Exit.isFailure(exit.value)) return "other"
  const response = exit.value.value
  if (response._tag === "Success") {
    const { supportedVersions } = response.result
    return Array.isArray(supportedVersions)
      ? { supported: supportedVersions.filter(Predicate.isString), result: response.result }
      : "other"
  }
  const error = McpError.fromWire({ method: "server/discover", params }, response.error)
  return error._tag === "UnsupportedProtocolVersion" ? { supported: error.supported, result: undefined } : "other"
})

const agree = Effect.fnUntraced(function*(
  connection: Connection,
  local: Peer,
  options: Options,
  { result, supported }: Discovered
): Effect.fn.Return<Era, HandshakeError> {
  const revision = Revisions.newestCommon(options.revisions, supported)
  if (revision === undefined) {
    return yield* new McpError.UnsupportedProtocolVersion({ requested: namesOf(options), supported })
  }
  if (revision.era === "stateful") return yield* initialize(connection, local, options)
  // A server that did not speak the newest of ours is asked again in a revision that it does speak.
  const again = result === undefined ? yield* probe(connection, local, options, revision) : undefined
  const found = result ?? (typeof again === "object" ? again.result : undefined)
  if (found === undefined) {
    return yield* new McpError.InvalidResult({
      method: "server/discover",
      message: `The server says that it speaks ${revision.name}, but does not answer in it`
    })
  }
  return {
    server: {
      info: Option.getOrUndefined(yield* implementation(Meta.of(found)?.[Meta.SERVER_INFO])),
      capabilities: objectOr(found.capabilities),
      instructions: stringOr(found.instructions),
      revision
    },
    prepare: (params) => statelessMeta(options, revision, params),
    ping: "server/discover"
  }
})

const statelessMeta = (
  options: Options,
  revision: Revision,
  params: JsonRpc.Params | undefined
): JsonRpc.Params =>
  Meta.assign(params, {
    [Meta.PROTOCOL_VERSION]: revision.name,
    [Meta.CLIENT_INFO]: options.info,
    [Meta.CLIENT_CAPABILITIES]: options.capabilities
  })

const initialize = Effect.fnUntraced(function*(
  connection: Connection,
  local: Peer,
  options: Options
): Effect.fn.Return<Era, HandshakeError> {
  const revisions = Revisions.ofEra(options.revisions, "stateful")
  const newest = revisions[0]
  if (newest === undefined) {
    return yield* new McpError.UnsupportedProtocolVersion({
      requested: namesOf(options),
      supported: ["a revision that begins with initialize"]
    })
  }
  let answer = yield* sendInitialize(connection, local, options, newest)
  // Some servers refuse a version that they do not know, and name theirs, instead of offering one.
  if ("supported" in answer) {
    const offered = Revisions.newestCommon(revisions, answer.supported)
    if (offered !== undefined) answer = yield* sendInitialize(connection, local, options, offered)
  }
  if ("supported" in answer) {
    return yield* new McpError.UnsupportedProtocolVersion({ requested: namesOf(options), supported: answer.supported })
  }
  const { result } = answer
  const version = result.protocolVersion
  if (!Predicate.isString(version)) return yield* malformed("\"protocolVersion\" must be a string")
  const revision = Revisions.newestCommon(revisions, [version])
  if (revision === undefined) {
    return yield* new McpError.UnsupportedProtocolVersion({ requested: namesOf(options), supported: [version] })
  }
  const info = yield* implementation(result.serverInfo)
  if (Option.isNone(info)) return yield* malformed("\"serverInfo\" must be a name and a version")
  if (!Predicate.isObject(result.capabilities)) return yield* malformed("\"capabilities\" must be an object")
  yield* Effect.mapError(
    connection.notify(JsonRpc.notification("notifications/initialized")),
    (error) => McpError.fromTransport("notifications/initialized", error)
  )
  return {
    server: {
      info: info.value,
      capabilities: objectOr(result.capabilities),
      instructions: stringOr(result.instructions),
      revision
    },
    prepare: (params) => params,
    ping: "ping"
  }
})

// The result, or the versions that the server names in its refusal.
const sendInitialize = Effect.fnUntraced(function*(
  connection: Connection,
  local: Peer,
  options: Options,
  revision: Revision
): Effect.fn.Return<
  { readonly result: JsonRpc.Params } | { readonly supported: ReadonlyArray<string> },
  HandshakeError
> {
  const params = {
    protocolVersion: revision.name,
    // Peers of this era know extensions by either name.
    capabilities: {
      ...options.capabilities,
      experimental: { ...options.capabilities.experimental, ...options.capabilities.extensions }
    },
    clientInfo: options.info
  }
  const exit = yield* ask(connection, local, "initialize", params, options.initializeTimeout)
  if (Option.isNone(exit)) {
    const millis = Duration.toMillis(options.initializeTimeout)
    return yield* new McpError.RequestTimeout({ method: "initialize", millis, kind: "timeout" })
  }
  const response = yield* Effect.mapError(exit.value, (error) => McpError.fromTransport("initialize", error))
  if (response._tag === "Success") return { result: response.result }
  const { data } = response.error
  if (Predicate.isObject(data) && Array.isArray(data.supported)) {
    return { supported: data.supported.filter(Predicate.isString) }
  }
  return yield* McpError.fromWire({ method: "initialize", params }, response.error)
})

const malformed = (what: string): McpError.InvalidResult =>
  new McpError.InvalidResult({ method: "initialize", message: `The handshake failed: ${what}` })

const namesOf = (options: Options): string => options.revisions.map((revision) => revision.name).join(", ")

const decodeImplementation = SchemaParser.decodeUnknownEffect(Implementation)

const implementation = (u: unknown): Effect.Effect<Option.Option<Implementation>> =>
  Effect.option(decodeImplementation(u))

const objectOr = (u: unknown): JsonRpc.Params => Predicate.isObject(u) ? u : {}

const stringOr = (u: unknown): string | undefined => typeof u === "string" ? u : undefined
