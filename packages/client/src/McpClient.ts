/**
 * An MCP client: one connection to one server, over whatever `ClientTransport` is provided.
 *
 * @since 0.1.0
 */
import type * as Capabilities from "@mcp-effect/protocol/Capabilities"
import type { Implementation } from "@mcp-effect/protocol/Implementation"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as Logging from "@mcp-effect/protocol/Logging"
import type * as McpError from "@mcp-effect/protocol/McpError"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import type * as Session from "@mcp-effect/protocol/Session"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ClientTransport } from "./ClientTransport.ts"
import type { ClientExtension } from "./Extension.ts"
import * as Handshake from "./Handshake.ts"
import * as InputHandlers from "./InputHandlers.ts"
import * as Deadlines from "./internal/deadlines.ts"
import * as Extensions from "./internal/extensions.ts"
import * as Features from "./internal/features.ts"
import * as Link from "./internal/link.ts"
import * as LocalPeer from "./internal/localPeer.ts"
import * as RootsChanges from "./internal/rootsChanges.ts"
import type * as Reconnect from "./Reconnect.ts"
import * as Requests from "./Requests.ts"
import type * as ResponseCache from "./ResponseCache.ts"
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
 * - `reconnect`: when it connects again after it has lost the server, or `false` (default: {@link Reconnect.Options}).
 * - `maxInputRounds`: how many times a server may ask for input for one request (default 10).
 * - `extensions`: what it speaks beside the protocol. Streaming tools are always there.
 * - `cache`: what it shares of the results that may be kept, or `false` to keep none (default: {@link ResponseCache.Sharing}).
 * - `logLevel`: the least severe of the server's log messages to hear of (default: what the server sends by itself).
 * - `forwardLogs`: whether they go to the log of the program, annotated with `mcp.server` and `mcp.logger` (default `false`).
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
  readonly reconnect?: Reconnect.Options | false
  readonly maxInputRounds?: number
  readonly cache?: ResponseCache.Sharing | false
  readonly logLevel?: Logging.Level
  readonly forwardLogs?: boolean
}

/**
 * The client.
 *
 * @since 0.1.0
 * @category services
 */
export class McpClient extends Context.Service<
  McpClient,
  Features.Members & {
    readonly session: Session.Session
    /** What the server says of itself. Waits for the handshake. */
    readonly server: Effect.Effect<Handshake.Server, McpError.McpError>
    /** Sends any request. Waits for the handshake; the result is as it came. */
    readonly request: (
      method: string,
      params?: JsonRpc.Params,
      options?: Requests.TiedOptions
    ) => Effect.Effect<JsonRpc.Params, McpError.McpError>
    /** Asks the server whether it is there: by `ping`, or by `server/discover` where that is no more. */
    readonly ping: Effect.Effect<void, McpError.McpError>
    /** What the server sends that belongs to no request. A slow subscriber keeps the last 256. */
    readonly notifications: Stream.Stream<JsonRpc.Notification>
    readonly listTools: Tools.Tools["listTools"]
    readonly tools: Tools.Tools["tools"]
    readonly callTool: Tools.Tools["callTool"]
    readonly call: Tools.Tools["call"]
    readonly stream: Tools.Tools["stream"]
  }
>()("@mcp-effect/client/McpClient") {}

/**
 * Connects in the background: requests wait for the handshake, and fail with its error if it fails. The session is
 * `created` when this returns. `Elicitation`, `Sampling` and `Roots` that are provided answer what the server asks, and are
 * declared. Throws a `TypeError` for an option that makes no sense.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<McpClient["Service"], never, ClientTransport | Scope.Scope> =>
  Effect.gen(function*() {
    const { connect } = yield* ClientTransport
    const notifications = yield* PubSub.sliding<JsonRpc.Notification>(256)
    const timeout = Duration.toMillis(options.timeout ?? "60 seconds")
    let tools: Tools.Tools | undefined
    let link: Link.Link | undefined
    const features = yield* Features.make(options, timeout)
    const extensions = Extensions.make([StreamingTools.extension, ...(options.extensions ?? [])])
    const handlers = yield* InputHandlers.make
    const local = LocalPeer.make(extensions, handlers.answer, (notification) => {
      link?.heard()
      if (notification.method === "notifications/tools/list_changed") tools?.changed()
      return Effect.andThen(features.heard(notification), PubSub.publish(notifications, notification))
    })
    const deadlines = yield* Deadlines.make
    const capabilities = { ...handlers.capabilities, ...options.capabilities }
    const handshake = handshakeOptions({ ...options, capabilities }, timeout, extensions.declared)
    link = yield* Link.make(
      (opened) => Handshake.run(Effect.tap(connect(local), opened), local, handshake),
      options.reconnect ?? {},
      (ready) => {
        tools?.changed()
        features.began(ready, local)
      }
    )
    const send = Requests.make({
      link,
      local,
      extensions,
      deadlines,
      timeout,
      maxTimeout: Duration.toMillis(options.maxTimeout ?? "15 minutes"),
      around: features.around,
      answer: handlers.answer,
      maxInputRounds: options.maxInputRounds ?? 10
    })
    yield* RootsChanges.tell(link)
    const told = Stream.fromPubSub(notifications)
    const members = yield* features.members({ link, send, notifications: told })
    tools = yield* Tools.make(send)
    return {
      session: link.session,
      server: Effect.map(link.ready, ({ era }) => era.server),
      request: send,
      ping: Effect.flatMap(link.forCalls, ({ era }) => Effect.asVoid(send(era.ping))),
      notifications: told,
      listTools: tools.listTools,
      tools: tools.tools,
      callTool: tools.callTool,
      call: tools.call,
      stream: tools.stream,
      ...members
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
  {
    cache: _cache,
    capabilities,
    extensions: _,
    forwardLogs: _logs,
    logLevel: _level,
    maxInputRounds: _rounds,
    maxTimeout: _max,
    probeTimeout,
    reconnect: _re,
    revisions,
    timeout: _t,
    ...info
  }: Options,
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
