/**
 * An MCP server: what it is called and what it offers. Transports serve it; tools are layers that register themselves
 * with it. It knows neither.
 *
 * @since 0.1.0
 */
import type { Implementation } from "@mcp-effect/protocol/Implementation"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type { ProtocolError } from "@mcp-effect/protocol/McpError"
import type { Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type * as Prompt from "@mcp-effect/protocol/Prompt"
import type * as Resource from "@mcp-effect/protocol/Resource"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import type * as Tool from "@mcp-effect/protocol/Tool"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Caching from "./Caching.ts"
import type { Feature } from "./Call.ts"
import * as Changes from "./Changes.ts"
import type { ServicesOf } from "./Completer.ts"
import * as Completions from "./Completions.ts"
import * as ConsoleGuard from "./ConsoleGuard.ts"
import * as Dispatch from "./Dispatch.ts"
import * as Extensions from "./Extensions.ts"
import * as Oversights from "./internal/oversights.ts"
import type { ServerInfo } from "./internal/serverInfo.ts"
import * as Stateless from "./internal/stateless.ts"
import * as Logging from "./Logging.ts"
import * as Methods from "./Methods.ts"
import * as Middleware from "./Middleware.ts"
import type * as PromptHandler from "./PromptHandler.ts"
import * as Prompts from "./Prompts.ts"
import type * as Registry from "./Registry.ts"
import * as RequestState from "./RequestState.ts"
import type * as ResourceHandler from "./ResourceHandler.ts"
import * as Resources from "./Resources.ts"
import * as StreamingTools from "./StreamingTools.ts"
import * as ToolHandler from "./ToolHandler.ts"
import * as Tools from "./Tools.ts"
import { Transports } from "./Transports.ts"

/**
 * What a server says of itself, and how it behaves.
 *
 * - `instructions`: what a model should know to use the server well.
 * - `revisions`: those it speaks; all by default.
 * - `declare`: features to declare although there is nothing in them yet. A session only ever gets what was declared when
 *   it began: a server that adds its first tool while running says `["tools"]`.
 * - `pageSize`: items in one page of a list (default 1000: many clients read one page only).
 * - `caching`: how long results may be kept, and by whom.
 * - `middleware`: what wraps every request, the first outermost.
 * - `features`: what it offers, in place of what is registered with it: for servers that get it from elsewhere, as a proxy does.
 * - `streamingTools`: whether parts of a tool's content go to clients that declare the extension for that ahead of the
 *   result (default true). Without, it is not advertised, and parts are in the result and counted as progress.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<out M extends Middleware.Middleware<unknown> = Middleware.Middleware> extends Implementation {
  readonly instructions?: string
  readonly revisions?: ReadonlyArray<Revision.Name>
  readonly declare?: ReadonlyArray<"tools" | "resources" | "prompts" | "completions">
  readonly pageSize?: number
  readonly caching?: Caching.Options
  readonly middleware?: ReadonlyArray<M>
  readonly streamingTools?: boolean
  readonly features?: ReadonlyArray<Feature>
}

/**
 * The server. `connect` opens a connection, given the way back to the client: once for each stdio connection or stateful
 * session, once for all stateless traffic of an endpoint.
 *
 * `middleware` is the names of what wraps its requests, the first outermost.
 *
 * @since 0.1.0
 * @category services
 */
export class McpServer extends Context.Service<McpServer, {
  readonly info: Implementation
  readonly revisions: ReadonlyArray<Revision.Revision>
  readonly middleware: ReadonlyArray<string>
  readonly changes: Changes.Changes["Service"]
  readonly tools: Tools.Tools
  readonly resources: Resources.Resources
  readonly resourceTemplates: Resources.Templates
  readonly prompts: Prompts.Prompts
  readonly logging: Logging.Logging
  readonly methods: Methods.Methods
  readonly extensions: Extensions.Extensions
  readonly connect: (back: Peer) => Effect.Effect<Dispatch.ServerConnection, never, Scope.Scope>
}>()("@mcp-effect/server/McpServer") {}

/**
 * A server that offers nothing yet. Throws a `TypeError` for an option that makes no sense.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <M extends Middleware.Middleware<unknown> = Middleware.Middleware>(
  options: Options<M>
): Effect.Effect<McpServer["Service"], never, Scope.Scope | Middleware.Services<M>> => {
  const { caching = {}, declare = [], instructions, middleware = [], pageSize = 1000, ...rest } = options
  const { features, revisions, streamingTools = true, ...info } = rest
  if (!Number.isInteger(pageSize) || pageSize < 1) {
    throw new TypeError(`McpServer: pageSize must be a positive integer, but is ${pageSize}`)
  }
  const spoken = Revisions.pick(revisions)
  if (spoken.length === 0) {
    throw new TypeError(`McpServer: revisions must name at least one of ${Revisions.names.join(", ")}`)
  }
  const hints = Caching.make(caching)
  return Effect.gen(function*() {
    const changes = Option.getOrElse(yield* Effect.serviceOption(Changes.Changes), Changes.make)
    const tools = Tools.registry(changes)
    const resources = Resources.registry(changes)
    const resourceTemplates = Resources.templateRegistry(changes)
    const prompts = Prompts.registry(changes)
    const logging = Logging.cell()
    const methods = Methods.make()
    const extensions = Extensions.make()
    if (streamingTools) yield* Effect.orDie(extensions.add(StreamingTools.extension))
    const server: ServerInfo = {
      info,
      instructions,
      revisions: spoken,
      stateful: Revisions.ofEra(spoken, "stateful"),
      stateless: Revisions.ofEra(spoken, "stateless"),
      changes,
      logging,
      methods,
      extensions,
      caching: hints,
      requestState: yield* RequestState.RequestState,
      wrap: middleware.length === 0 ? undefined : yield* Middleware.wrap(middleware),
      features: features === undefined ?
        [
          Tools.make(tools, { declare: declare.includes("tools"), pageSize }),
          Resources.make(resources, resourceTemplates, { declare: declare.includes("resources"), pageSize }),
          Prompts.make(prompts, { declare: declare.includes("prompts"), pageSize }),
          Completions.make(prompts, resourceTemplates, { declare: declare.includes("completions") }),
          Logging.make(logging),
          extensions.feature
        ] :
        [...features, extensions.feature]
    }
    const stateless = Stateless.make(server)
    const oversights = Oversights.make(server)
    return {
      info,
      revisions: spoken,
      middleware: middleware.map(({ name }) => name),
      changes,
      tools,
      resources,
      resourceTemplates,
      prompts,
      logging,
      methods,
      extensions,
      connect: (back) => Effect.andThen(oversights, Effect.suspend(() => Dispatch.connect(server, stateless, back)))
    }
  })
}

/**
 * The server as a layer, for tools and transports to stand on.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <M extends Middleware.Middleware<unknown> = Middleware.Middleware>(
  options: Options<M>
): Layer.Layer<McpServer, never, Exclude<Middleware.Services<M>, Scope.Scope>> =>
  Layer.effect(McpServer, Effect.suspend(() => make(options)))

/**
 * Adds a tool until the scope closes. Sessions that are open are told of the change.
 *
 * @since 0.1.0
 * @category tools
 */
export const addTool = <T extends Tool.Tool, R = never>(
  tool: T,
  handler: ToolHandler.ToolHandler<T, R>,
  options: Registry.Visibility = {}
): Effect.Effect<void, Registry.RegistrationError, McpServer | Scope.Scope | Exclude<R, Scope.Scope>> =>
  Effect.gen(function*() {
    const { tools } = yield* McpServer
    const call = yield* ToolHandler.method(tool, handler)
    yield* tools.add({ key: tool.name, tool, call, visibleTo: options.visibleTo })
  })

/**
 * A tool with its handler, as a layer. A name that is ill-formed or taken fails the layer.
 *
 * @since 0.1.0
 * @category layers
 */
export const tool = <T extends Tool.Tool, R = never>(
  tool: T,
  handler: ToolHandler.ToolHandler<T, R>,
  options?: Registry.Visibility
): Registration<R> => register(addTool(tool, handler, options))

/**
 * Adds a resource until the scope closes. Sessions that are open are told of the change.
 *
 * @since 0.1.0
 * @category resources
 */
export const addResource = <R = never>(
  resource: Resource.Resource,
  handler: ResourceHandler.ResourceHandler<R>,
  options: Resources.Options = {}
): Effect.Effect<void, Registry.RegistrationError, McpServer | Scope.Scope | Exclude<R, Scope.Scope>> =>
  Effect.gen(function*() {
    const { resources } = yield* McpServer
    yield* resources.add(yield* Resources.entry(resource, handler, options))
  })

/**
 * A resource with its handler, as a layer. A URI that is no absolute one, or is taken, fails the layer.
 *
 * @since 0.1.0
 * @category layers
 */
export const resource = <R = never>(
  resource: Resource.Resource,
  handler: ResourceHandler.ResourceHandler<R>,
  options?: Resources.Options
): Registration<R> => register(addResource(resource, handler, options))

/**
 * Adds a resource template until the scope closes. Sessions that are open are told of the change.
 *
 * @since 0.1.0
 * @category resources
 */
export const addResourceTemplate = <T extends Resource.ResourceTemplate, R = never, C = {}>(
  template: T,
  handler: ResourceHandler.TemplateHandler<T, R>,
  options: Resources.TemplateOptions<T, C> = {}
): Effect.Effect<void, Registry.RegistrationError, McpServer | Scope.Scope | Exclude<R, Scope.Scope> | ServicesOf<C>> =>
  Effect.gen(function*() {
    const { resourceTemplates } = yield* McpServer
    yield* resourceTemplates.add(yield* Resources.templateEntry(template, handler, options))
  })

/**
 * A resource template with its handler, as a layer. A template that is malformed or taken fails the layer.
 *
 * @since 0.1.0
 * @category layers
 */
export const resourceTemplate = <T extends Resource.ResourceTemplate, R = never, C = {}>(
  template: T,
  handler: ResourceHandler.TemplateHandler<T, R>,
  options?: Resources.TemplateOptions<T, C>
): Registration<R | ServicesOf<C>> => register(addResourceTemplate(template, handler, options))

/**
 * Adds a prompt until the scope closes. Sessions that are open are told of the change.
 *
 * @since 0.1.0
 * @category prompts
 */
export const addPrompt = <P extends Prompt.Prompt, R = never, C = {}>(
  prompt: P,
  handler: PromptHandler.PromptHandler<P, R>,
  options: Prompts.Options<P, C> = {}
): Effect.Effect<void, Registry.RegistrationError, McpServer | Scope.Scope | Exclude<R, Scope.Scope> | ServicesOf<C>> =>
  Effect.gen(function*() {
    const { prompts } = yield* McpServer
    yield* prompts.add(yield* Prompts.entry(prompt, handler, options))
  })

/**
 * A prompt with its handler, as a layer. A name that is ill-formed or taken, or an argument that cannot be text, fails the
 * layer.
 *
 * @since 0.1.0
 * @category layers
 */
export const prompt = <P extends Prompt.Prompt, R = never, C = {}>(
  prompt: P,
  handler: PromptHandler.PromptHandler<P, R>,
  options?: Prompts.Options<P, C>
): Registration<R | ServicesOf<C>> => register(addPrompt(prompt, handler, options))

/**
 * Sends what handlers log to the clients that want to hear of it. See {@link Logging}.
 *
 * @since 0.1.0
 * @category layers
 */
export const logging = (settings: Partial<Logging.Settings> = {}): Layer.Layer<never, never, McpServer> =>
  Layer.effectDiscard(
    Effect.map(McpServer, ({ logging }) => logging.enable({ level: "level" in settings ? settings.level : "info" }))
  )

/**
 * A method that the protocol does not know. What its handler fails with is the reply.
 *
 * @since 0.1.0
 * @category layers
 */
export const method = <
  P extends Tool.AnySchema = typeof Methods.Record,
  A extends Tool.AnySchema = typeof Methods.Record,
  R = never
>(
  name: string,
  options: Methods.Options<P, A>,
  handler: (params: P["Type"]) => Effect.Effect<A["Type"], ProtocolError, R>
): Registration<R> =>
  register(Effect.gen(function*() {
    const { methods } = yield* McpServer
    yield* methods.add(name, yield* Methods.method(name, options, handler), options.extension)
  }))

/**
 * What to do when a notification arrives that the protocol does not know, or `notifications/roots/list_changed`.
 *
 * @since 0.1.0
 * @category layers
 */
export const notification = <R = never>(
  name: string,
  handler: (params: Params) => Effect.Effect<void, never, R>
): Registration<R> =>
  register(Effect.gen(function*() {
    const { methods } = yield* McpServer
    yield* methods.addNotified(name, yield* Methods.notified(handler))
  }))

/**
 * An extension of the protocol. See {@link Extensions}.
 *
 * @since 0.1.0
 * @category layers
 */
export const extension = <R = never>(extension: Extensions.Extension<R>): Registration<R> =>
  register(Effect.flatMap(McpServer, ({ extensions }) => extensions.add(extension)))

/**
 * Tells everybody who asked for it that something has changed, such as `Changes.resource(uri)`.
 *
 * @since 0.1.0
 * @category changes
 */
export const changed = (change: Changes.Change): Effect.Effect<void, never, McpServer> =>
  Effect.flatMap(McpServer, ({ changes }) => changes.publish(change))

/**
 * A layer that registers something with the server.
 *
 * @since 0.1.0
 * @category models
 */
export type Registration<R> = Layer.Layer<never, Registry.RegistrationError, McpServer | Exclude<R, Scope.Scope>>

const register = <R>(
  effect: Effect.Effect<void, Registry.RegistrationError, McpServer | Scope.Scope | R>
): Layer.Layer<never, Registry.RegistrationError, McpServer | Exclude<R, Scope.Scope>> =>
  Layer.effectDiscard(effect) as Layer.Layer<never, Registry.RegistrationError, McpServer | Exclude<R, Scope.Scope>>

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
    const endings: Array<Effect.Effect<void>> = []
    const release = (): void => {
      if (--open > 0 || started === 0) return
      Deferred.doneUnsafe(ended, broken === undefined ? Effect.void : Effect.fail(broken))
    }
    const transports: Transports = {
      started: (ending) => {
        open++
        started++
        if (ending !== undefined) endings.push(ending)
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
      Effect.ensuring(Effect.suspend(() => Effect.all(endings, { concurrency: "unbounded", discard: true }))),
      Effect.scoped,
      Effect.provideService(Transports, transports),
      // Whoever runs the program reports its failure in this very turn.
      Effect.onExit((exit) => Effect.sync(() => Exit.isFailure(exit) ? queueMicrotask(unguard) : unguard()))
    )
  })
