/**
 * An MCP client: one connection to one server, over whatever `ClientTransport` is provided.
 *
 * @since 0.1.0
 */
import type * as Capabilities from "@mcp-effect/protocol/Capabilities"
import type { Implementation } from "@mcp-effect/protocol/Implementation"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Session from "@mcp-effect/protocol/Session"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ClientTransport } from "./ClientTransport.ts"
import type { ClientExtension } from "./Extension.ts"
import * as Handshake from "./Handshake.ts"
import * as Deadlines from "./internal/deadlines.ts"
import * as Extensions from "./internal/extensions.ts"
import * as LocalPeer from "./internal/localPeer.ts"
import * as Requests from "./Requests.ts"
import * as StreamingTools from "./StreamingTools.ts"
import * as Tools from "./Tools.ts"

/**
 * What the client says of itself, and how it behaves.
 *
 * - `revisions`: those it speaks; all by default.
 * - `timeout`: how long a request waits for its reply, or its next progress (default 60 seconds).
 * - `maxTimeout`: how long it waits in all (default 15 minutes).
 * - `probeTimeout`: how long the server may be silent on `server/discover` before it counts as one that begins with
 *   `initialize` (default 5 seconds).
 * - `extensions`: what it speaks beside the protocol. Streaming tools are always there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Implementation {
  readonly revisions?: ReadonlyArray<Revision.Name>
  readonly capabilities?: Capabilities.Client
  readonly extensions?: ReadonlyArray<ClientExtension>
  readonly timeout?: Duration.Input
  readonly maxTimeout?: Duration.Input
  readonly probeTimeout?: Duration.Input
}

/**
 * The client.
 *
 * @since 0.1.0
 * @category services
 */
export class McpClient extends Context.Service<McpClient, {
  readonly session: Session.Session
  /** What the server says of itself. Waits for the handshake. */
  readonly server: Effect.Effect<Handshake.Server, McpError.McpError>
  /** Sends any request. Waits for the handshake; the result is as it came. */
  readonly request: (
    method: string,
    params?: JsonRpc.Params,
    options?: Requests.RequestOptions
  ) => Effect.Effect<JsonRpc.Params, McpError.McpError>
  /** Asks the server whether it is there: by `ping`, or by `server/discover` where that is no more. */
  readonly ping: Effect.Effect<void, McpError.McpError>
  /** What the server sends that belongs to no request. A slow subscriber keeps the last 256. */
  readonly notifications: Stream.Stream<JsonRpc.Notification>
  readonly listTools: Tools.Tools["listTools"]
  readonly callTool: Tools.Tools["callTool"]
  readonly call: Tools.Tools["call"]
  readonly stream: Tools.Tools["stream"]
}>()("@mcp-effect/client/McpClient") {}

/**
 * Connects in the background: requests wait for the handshake, and fail with its error if it fails. The session is
 * `created` when this returns. Throws a `TypeError` for an option that makes no sense.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<McpClient["Service"], never, ClientTransport | Scope.Scope> =>
  Effect.gen(function*() {
    const { connect } = yield* ClientTransport
    const session = Session.make()
    const notifications = yield* PubSub.sliding<JsonRpc.Notification>(256)
    const ready = yield* Deferred.make<Requests.Ready, McpError.McpError>()
    const timeout = options.timeout ?? "60 seconds"
    let tools: Tools.Tools | undefined
    const extensions = Extensions.make([StreamingTools.extension, ...(options.extensions ?? [])])
    const local = LocalPeer.make(extensions, (notification) => {
      if (notification.method === "notifications/tools/list_changed") tools?.changed()
      return Effect.asVoid(PubSub.publish(notifications, notification))
    })
    const deadlines = yield* Deadlines.make
    const send = Requests.make({
      ready: Deferred.await(ready),
      local,
      extensions,
      deadlines,
      timeout,
      maxTimeout: options.maxTimeout ?? "15 minutes"
    })
    tools = yield* Tools.make(send)
    const shake = Handshake.run(connect(local), local, handshakeOptions(options, timeout, extensions.declared))
    yield* Effect.forkScoped(establish(session, ready, shake))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        const message = "The client was closed"
        session.dispatch({ _tag: "TransportLost", reason: message })
        // Whoever waits for the handshake waits no longer.
        Deferred.doneUnsafe(ready, Effect.fail(new McpError.ConnectionClosed({ processed: "no", message })))
      })
    )
    return {
      session,
      server: Effect.map(Deferred.await(ready), ({ era }) => era.server),
      request: send,
      ping: Effect.flatMap(Deferred.await(ready), ({ era }) => Effect.asVoid(send(era.ping))),
      notifications: Stream.fromPubSub(notifications),
      listTools: tools.listTools,
      callTool: tools.callTool,
      call: tools.call,
      stream: tools.stream
    }
  })

/**
 * The client as a layer that is there once the session is ready, and fails if the handshake fails.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<McpClient, McpError.McpError, ClientTransport> =>
  Layer.effect(McpClient, Effect.tap(make(options), (client) => client.server))

/**
 * The client as a layer that is there at once and connects in the background, so that all states of the session can be
 * watched. See {@link make}.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerBackground = (options: Options): Layer.Layer<McpClient, never, ClientTransport> =>
  Layer.effect(McpClient, make(options))

const handshakeOptions = (
  { capabilities, extensions: _, maxTimeout: _max, probeTimeout, revisions, timeout: _timeout, ...info }: Options,
  timeout: Duration.Input,
  extensions: JsonRpc.Params
): Handshake.Options => {
  const spoken = Revisions.pick(revisions)
  if (spoken.length === 0) {
    throw new TypeError(`McpClient: revisions must name at least one of ${Revisions.names.join(", ")}`)
  }
  return {
    info,
    capabilities: { ...capabilities, extensions: { ...capabilities?.extensions, ...extensions } },
    revisions: spoken,
    probeTimeout: probeTimeout ?? "5 seconds",
    initializeTimeout: timeout
  }
}

// Runs the handshake, and keeps the session's state true from then on.
const establish = (
  session: Session.Cell,
  ready: Deferred.Deferred<Requests.Ready, McpError.McpError>,
  shake: Effect.Effect<Requests.Ready, McpError.McpError, Scope.Scope>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    // A turn for whoever watches the session to see it `created`.
    yield* Effect.yieldNow
    session.dispatch({ _tag: "HandshakeStarted" })
    const { connection, era } = yield* shake
    session.dispatch({ _tag: "HandshakeCompleted", revision: era.server.revision })
    Deferred.doneUnsafe(ready, Effect.succeed({ connection, era }))
    const lost = yield* connection.closed
    session.dispatch({ _tag: "TransportLost", reason: lost.message })
  }).pipe(Effect.catchCause((cause) => {
    // A transport that dies breaks its contract; whoever waits is told all the same.
    const error = Option.getOrElse(Cause.findErrorOption(cause), () =>
      new McpError.ConnectionClosed({ processed: "no", message: "The transport failed unexpectedly", cause }))
    session.dispatch(
      error._tag === "ConnectionClosed"
        ? { _tag: "TransportLost", reason: error.message }
        : { _tag: "HandshakeFailed", reason: error.message }
    )
    Deferred.doneUnsafe(ready, Effect.fail(error))
    return Effect.logDebug("The handshake failed", cause)
  }))
