/**
 * Many servers at once: a client for each, by name, and the tools of all of them under names that cannot be confused.
 *
 * Knows no transport: each server is a layer of `ClientTransport`. One that cannot be reached leaves the others alone.
 *
 * @since 0.1.0
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import { TransportError } from "@mcp-effect/protocol/Peer"
import type { ToolResult } from "@mcp-effect/protocol/ToolResult"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { ClientTransport } from "./ClientTransport.ts"
import * as ToolNames from "./internal/toolNames.ts"
import type { ListedTool } from "./ListedTool.ts"
import * as McpClient from "./McpClient.ts"
import type { RequestOptions } from "./Requests.ts"

/**
 * What every client says of itself, and how it behaves.
 *
 * - `listWithin`: how long a list of all tools waits for a server before it leaves that one out (default 10 seconds).
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends McpClient.Options {
  readonly listWithin?: Duration.Input
}

/**
 * A tool of one of the servers. `name` is unambiguous, and one that language models take: `server__tool`, with a mark at
 * its end where that had to be changed, cut, or told from another. `tool` is what the server calls it.
 *
 * @since 0.1.0
 * @category models
 */
export interface NamedTool extends ListedTool {
  readonly server: string
  readonly tool: string
}

/**
 * The clients.
 *
 * @since 0.1.0
 * @category services
 */
export class McpClients extends Context.Service<McpClients, {
  /** By the names that the servers were given. Each connects in the background, and again when it has lost its server. */
  readonly clients: ReadonlyMap<string, McpClient.McpClient["Service"]>
  /** The tools of all servers. One that does not list its own in time is left out, which the log says. */
  readonly listTools: (options?: RequestOptions) => Effect.Effect<ReadonlyArray<NamedTool>>
  /** Calls a tool by its name in the list of all tools. */
  readonly callTool: (
    name: string,
    args?: Params,
    options?: RequestOptions
  ) => Effect.Effect<ToolResult, McpError.McpError>
}>()("@mcp-effect/client/McpClients") {}

/**
 * Servers by name. What a layer provides beside the transport, such as handlers of what the server asks, is for this one.
 *
 * @since 0.1.0
 * @category models
 */
export type Servers<E = unknown, R = never> = Readonly<Record<string, Layer.Layer<ClientTransport, E, R>>>

/**
 * Connects to all of them in the background; is there at once.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <R>(
  servers: Servers<unknown, R>,
  options: Options
): Effect.Effect<McpClients["Service"], never, R | Scope.Scope> =>
  Effect.gen(function*() {
    const { listWithin = "10 seconds", ...rest } = options
    const clients = new Map<string, McpClient.McpClient["Service"]>()
    for (const [name, server] of Object.entries(servers)) {
      clients.set(name, yield* Effect.provideContext(McpClient.make(rest), yield* built(name, server)))
    }
    // As last listed. Those of a server that is away keep their names, and a call says what is wrong with it.
    const last = new Map<string, ReadonlyArray<ListedTool>>()
    let known: ReadonlyMap<string, NamedTool> = new Map()

    const list = (server: string, client: McpClient.McpClient["Service"], options: RequestOptions | undefined) =>
      client.listTools(options).pipe(
        Effect.timeoutOrElse({ duration: listWithin, orElse: () => Effect.fail(late(listWithin)) }),
        Effect.map((tools) => {
          last.set(server, tools)
          return server
        }),
        Effect.catch(({ message }) =>
          Effect.as(
            Effect.logWarning(`The tools of the server ${JSON.stringify(server)} are left out. ${message}`),
            undefined
          )
        )
      )

    const listTools = Effect.fnUntraced(function*(options?: RequestOptions) {
      const listed = new Set(
        yield* Effect.forEach(clients, ([name, client]) => list(name, client, options), { concurrency: "unbounded" })
      )
      const tools = [...last].flatMap(([server, tools]) =>
        tools.map((tool): NamedTool => ({ ...tool, server, tool: tool.name }))
      )
      const names = ToolNames.make(tools)
      const named = tools.map((tool, index) => ({ ...tool, name: names[index] ?? tool.name }))
      known = new Map(named.map((tool) => [tool.name, tool]))
      return named.filter(({ server }) => listed.has(server))
    })

    return {
      clients,
      listTools,
      callTool: Effect.fnUntraced(function*(name, args, options) {
        if (!known.has(name)) yield* listTools()
        const tool = known.get(name)
        const client = tool === undefined ? undefined : clients.get(tool.server)
        if (tool === undefined || client === undefined) {
          return yield* new McpError.ToolNotFound({ tool: name, message: `No server offers a tool ${name}` })
        }
        return yield* client.callTool(tool.tool, args, options)
      })
    }
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = <R = never>(servers: Servers<unknown, R>, options: Options): Layer.Layer<McpClients, never, R> =>
  Layer.effect(McpClients, make(servers, options))

const late = (within: Duration.Input): McpError.RequestTimeout =>
  new McpError.RequestTimeout({ method: "tools/list", millis: Duration.toMillis(within), kind: "timeout" })

// A transport that cannot even be made is one that nobody can connect by.
const built = <R>(
  name: string,
  server: Layer.Layer<ClientTransport, unknown, R>
): Effect.Effect<Context.Context<ClientTransport>, never, R | Scope.Scope> =>
  Effect.flatMap(Effect.exit(Layer.build(server)), (exit) => {
    if (Exit.isSuccess(exit)) return Effect.succeed(exit.value)
    const error = Cause.squash(exit.cause)
    const why = error instanceof Error ? error.message : String(error)
    const message = `The transport of the server ${JSON.stringify(name)} could not be made: ${why}`
    const refused = new TransportError({ reason: "refused", processed: "no", message, cause: error })
    return Effect.as(
      Effect.logWarning(message),
      Context.make(ClientTransport, { connect: () => Effect.fail(refused) })
    )
  })
