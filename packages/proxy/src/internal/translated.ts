/**
 * A connection of a proxy to a server that does not speak the era of its client: a server whose features are those of a client
 * of the other. It is made when it is first needed, with what its client declares.
 */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import { InputHandlers } from "@mcp-effect/client/InputHandlers"
import * as McpClient from "@mcp-effect/client/McpClient"
import type * as Capabilities from "@mcp-effect/protocol/Capabilities"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Logging from "@mcp-effect/protocol/Logging"
import * as McpError from "@mcp-effect/protocol/McpError"
import { type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Changes from "@mcp-effect/server/Changes"
import type { ServerConnection } from "@mcp-effect/server/Dispatch"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Features from "./features.ts"
import { type Limits, Lot } from "./lot.ts"

export interface Options {
  readonly connect: ClientTransport["Service"]["connect"]
  readonly client: McpClient.Options
  readonly limits: Limits
}

/** Yields the connection; the request is the one that it is first needed for, `revisions` those of the server. */
export type Translated = (
  request: JsonRpc.Request,
  revisions: ReadonlyArray<Revision.Name>
) => Effect.Effect<ServerConnection, TransportError>

export const make = (options: Options, back: Peer): Effect.Effect<Translated, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    let made: Effect.Effect<ServerConnection, TransportError> | undefined
    return (request, revisions) =>
      Effect.suspend(() => {
        if (made !== undefined) return made
        const opening = Effect.onError(open(options, revisions, back, scope, declaredBy(request)), () =>
          Effect.sync(() => {
            // The next request tries again.
            made = undefined
          }))
        return Effect.flatMap(Effect.cached(opening), (cached) =>
          made ??= cached)
      })
  })

// All that there is, where nobody can say before: who cannot answer says so when asked.
const ALL: Capabilities.Client = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true }
}

const declaredBy = ({ method, params }: JsonRpc.Request): Capabilities.Client => {
  if (method !== "initialize" || !Predicate.isObject(params?.capabilities)) return ALL
  const { elicitation, roots, sampling }: Capabilities.Client = params.capabilities
  return {
    ...(elicitation === undefined ? {} : { elicitation }),
    ...(sampling === undefined ? {} : { sampling }),
    ...(roots === undefined ? {} : { roots })
  }
}

const open = (
  { client: own, connect, limits }: Options,
  revisions: ReadonlyArray<Revision.Name>,
  back: Peer,
  scope: Scope.Scope,
  capabilities: Capabilities.Client
): Effect.Effect<ServerConnection, TransportError> =>
  Effect.gen(function*() {
    const lot = new Lot(yield* Effect.scope, limits)
    // Where a question comes tied to no request, it can be told whose it is only if there is just one.
    const answer = (method: string, params: JsonRpc.Params) =>
      lot.only?.ask(method, params) ?? Effect.fail(
        new McpError.InternalError({ message: "The proxy cannot tell which of its clients is asked" })
      )
    const client = yield* McpClient.make({ ...own, revisions }).pipe(
      Effect.provideService(ClientTransport, { connect }),
      Effect.provideService(InputHandlers, { capabilities, answer })
    )
    const { capabilities: offered, info, instructions } = yield* Effect.mapError(client.server, unreachable)
    const changes = Changes.make()
    const watched = new Set<string>()
    const watch = yield* watching(client, changes, watched)
    const server = yield* McpServer.make({
      ...(info ?? { name: "proxied", version: "0" }),
      ...(instructions === undefined ? {} : { instructions }),
      features: Features.make({ client, capabilities: offered, lot, watch })
    }).pipe(Effect.provideService(Changes.Changes, changes))
    server.logging.enable({ level: undefined })
    yield* logs(client, lot, back)
    yield* hearing(client, offered, changes)
    return yield* server.connect(back)
  }).pipe(Scope.provide(scope))

const unreachable = (error: McpError.McpError): TransportError =>
  new TransportError({
    reason: "refused",
    processed: "no",
    message: `The server behind the proxy cannot be reached: ${error.message}`,
    cause: error
  })

// How long a server may take to tell of changes before it is not waited for.
const STANDING = "5 seconds"

// Hears from now on; is done when the subscription stands, so that nothing is missed from then on.
const following = <A>(
  stream: Stream.Stream<A, McpError.McpError>,
  publish: Effect.Effect<void>,
  what: string
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const stands = Deferred.makeUnsafe<void>()
    const told = Stream.runForEach(stream, () =>
      Effect.suspend(() => Deferred.doneUnsafe(stands, Effect.void) ? Effect.void : publish))
    yield* Effect.forkScoped(
      Effect.ensuring(
        Effect.catch(told, ({ message }) =>
          Effect.logWarning(`${what} is not followed any more. ${message}`)),
        Effect.sync(() => Deferred.doneUnsafe(stands, Effect.void))
      )
    )
    yield* Effect.timeoutOption(Deferred.await(stands), STANDING)
  })

const watching = (
  client: McpClient.McpClient["Service"],
  changes: Changes.Changes["Service"],
  watched: Set<string>
) =>
  Effect.map(Effect.scope, (scope) => (uri: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (watched.has(uri)) return Effect.void
      watched.add(uri)
      const stream = Stream.ensuring(
        client.watchResource(uri, { initial: true }),
        Effect.sync(() => watched.delete(uri))
      )
      return Scope.provide(following(stream, changes.publish(Changes.resource(uri)), "A resource"), scope)
    }))

// A message that is tied to no request goes to the session that there is, or to the only call that it can be of.
const logs = (
  { notifications }: McpClient.McpClient["Service"],
  lot: Lot,
  back: Peer
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.forkScoped(Stream.runForEach(notifications, (notification) => {
    if (notification.method !== "notifications/message") return Effect.void
    if (lot.session === undefined) return lot.only?.told?.(notification) ?? Effect.void
    const { logLevel } = lot.session
    const level = notification.params?.level
    return logLevel !== undefined && Logging.isLevel(level) && Logging.isAtLeast(level, logLevel)
      ? Effect.ignore(back.notify(notification))
      : Effect.void
  })))

const hearing = (
  client: McpClient.McpClient["Service"],
  { prompts, resources, tools }: Capabilities.Server,
  changes: Changes.Changes["Service"]
): Effect.Effect<void, never, Scope.Scope> => {
  const lists = [
    { is: tools?.listChanged, list: "tools", change: Changes.tools },
    { is: prompts?.listChanged, list: "prompts", change: Changes.prompts },
    { is: resources?.listChanged, list: "resources", change: Changes.resources }
  ] as const
  return Effect.forEach(
    lists.filter(({ is }) => is === true),
    ({ change, list }) =>
      following(client.watchList(list, { initial: true }), changes.publish(change), `The list of ${list}`),
    { concurrency: "unbounded", discard: true }
  )
}
