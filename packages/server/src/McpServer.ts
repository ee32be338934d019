/**
 * An MCP server: what it is called and what it offers. Transports serve it; tools are layers that register themselves
 * with it. It knows neither.
 *
 * @since 0.1.0
 */
import type { Implementation } from "@mcp-effect/protocol/Implementation"
import type { Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import type * as Tool from "@mcp-effect/protocol/Tool"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as ConsoleGuard from "./ConsoleGuard.ts"
import * as Dispatch from "./Dispatch.ts"
import * as Stateless from "./internal/stateless.ts"
import * as ToolHandler from "./ToolHandler.ts"
import * as ToolRegistry from "./ToolRegistry.ts"
import * as Tools from "./Tools.ts"
import { Transports } from "./Transports.ts"

/**
 * What a server says of itself, and how it behaves.
 *
 * - `instructions`: what a model should know to use the server well.
 * - `revisions`: those it speaks; all by default.
 * - `declare`: features to declare although there is nothing in them yet. A session only ever gets what was declared when
 *   it began: a server that adds its first tool while running says `["tools"]`.
 * - `pageSize`: tools in one page of a list (default 1000: many clients read one page only).
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Implementation {
  readonly instructions?: string
  readonly revisions?: ReadonlyArray<Revision.Name>
  readonly declare?: ReadonlyArray<"tools">
  readonly pageSize?: number
}

/**
 * The server. `connect` opens a connection, given the way back to the client: once for each stdio connection or stateful
 * session, once for all stateless traffic of an endpoint.
 *
 * @since 0.1.0
 * @category services
 */
export class McpServer extends Context.Service<McpServer, {
  readonly info: Implementation
  readonly tools: ToolRegistry.ToolRegistry
  readonly connect: (back: Peer) => Effect.Effect<Dispatch.ServerConnection, never, Scope.Scope>
}>()("@mcp-effect/server/McpServer") {}

/**
 * A server without tools. Throws a `TypeError` for an option that makes no sense.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  { declare = [], instructions, pageSize = 1000, revisions, ...info }: Options
): McpServer["Service"] => {
  if (!Number.isInteger(pageSize) || pageSize < 1) {
    throw new TypeError(`McpServer: pageSize must be a positive integer, but is ${pageSize}`)
  }
  const spoken = Revisions.pick(revisions)
  if (spoken.length === 0) {
    throw new TypeError(`McpServer: revisions must name at least one of ${Revisions.names.join(", ")}`)
  }
  const tools = ToolRegistry.make()
  const server = {
    info,
    instructions,
    revisions: spoken,
    features: [Tools.make(tools, { declare: declare.includes("tools"), pageSize })]
  }
  const stateless = Stateless.make(server)
  const nothing = Effect.logWarning(
    `The server ${JSON.stringify(info.name)} offers nothing. Are its tools and its transport provided with the same ` +
      "McpServer layer? If tools come later, say so: declare: [\"tools\"]"
  )
  return {
    info,
    tools,
    connect: (back) =>
      Effect.suspend(() => {
        const connection = Dispatch.connect(server, stateless, back)
        return server.features.some((feature) => feature.declared()) ? connection : Effect.andThen(nothing, connection)
      })
  }
}

/**
 * The server as a layer, for tools and transports to stand on.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<McpServer> => Layer.sync(McpServer, () => make(options))

/**
 * Adds a tool until the scope closes. Sessions that are open are told of the change.
 *
 * @since 0.1.0
 * @category tools
 */
export const addTool = <T extends Tool.Tool, R = never>(
  tool: T,
  handler: ToolHandler.ToolHandler<T, R>
): Effect.Effect<void, ToolRegistry.RegistrationError, McpServer | Scope.Scope | Exclude<R, Scope.Scope>> =>
  Effect.gen(function*() {
    const { tools } = yield* McpServer
    const call = yield* ToolHandler.method(tool, handler)
    yield* tools.add({ tool, call })
  })

/**
 * A tool with its handler, as a layer. A name that is ill-formed or taken fails the layer.
 *
 * @since 0.1.0
 * @category layers
 */
export const tool = <T extends Tool.Tool, R = never>(
  tool: T,
  handler: ToolHandler.ToolHandler<T, R>
): Layer.Layer<never, ToolRegistry.RegistrationError, McpServer | Exclude<R, Scope.Scope>> =>
  Layer.effectDiscard(addTool(tool, handler)) as Layer.Layer<
    never,
    ToolRegistry.RegistrationError,
    McpServer | Exclude<R, Scope.Scope>
  >

/**
 * Serves until every transport in the layer has ended: stdio at end of input, HTTP never by itself. Then closes all of
 * it and succeeds, or fails with the error of a transport that did not end well: nobody may be left to serve, but what
 * holds the process, such as an input that is open still, must not. `Layer.launch`, in its place, does not end at all.
 *
 * One of the transports may need standard output for itself, from the first layer that is built to the last error that
 * is reported, so `console`, and with it Effect's loggers, print to standard error meanwhile.
 *
 * @since 0.1.0
 * @category running
 */
export const launch = <A, E, R>(layer: Layer.Layer<A, E, R>): Effect.Effect<void, E | TransportError, R> =>
  Effect.suspend(() => {
    const ended = Deferred.makeUnsafe<void, TransportError>()
    let broken: TransportError | undefined
    // One is held while the layer is built, so that a transport that ends at once does not end the others.
    let open = 1
    let started = 0
    const release = (): void => {
      if (--open > 0 || started === 0) return
      Deferred.doneUnsafe(ended, broken === undefined ? Effect.void : Effect.fail(broken))
    }
    const transports: Transports = {
      started: () => {
        open++
        started++
        let done = false
        return (error) => {
          broken ??= error
          if (!done) release()
          done = true
        }
      }
    }
    const unguard = ConsoleGuard.hold()
    return Layer.build(layer).pipe(
      Effect.andThen(Effect.suspend(() => {
        release()
        return Deferred.await(ended)
      })),
      Effect.scoped,
      Effect.provideService(Transports, transports),
      // Whoever runs the program reports its failure in this very turn.
      Effect.onExit((exit) => Effect.sync(() => Exit.isFailure(exit) ? queueMicrotask(unguard) : unguard()))
    )
  })
