/** A client that is a literal peer: it asks in raw messages, and keeps what comes back. */
import { assert } from "@effect/vitest"
import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import { type Peer, type TransportError } from "@mcp-effect/protocol/Peer"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import type { ServerConnection } from "@mcp-effect/server/Dispatch"
import * as McpServer from "@mcp-effect/server/McpServer"
import type * as Registry from "@mcp-effect/server/Registry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

type Params = JsonRpc.Params

export interface Client {
  readonly connection: ServerConnection
  /** What came to the connection's own peer. */
  readonly heard: Array<JsonRpc.Notification>
  /** What came back to a request, ahead of its response. */
  readonly tied: Array<JsonRpc.Notification>
  readonly ask: (method: string, params?: Params) => Effect.Effect<JsonRpc.Response, TransportError>
  /** The result, as it travels. */
  readonly result: (method: string, params?: Params) => Effect.Effect<Params, TransportError>
  readonly error: (method: string, params?: Params) => Effect.Effect<JsonRpc.ErrorObject, TransportError>
  readonly call: (name: string, args?: Params, meta?: Params) => Effect.Effect<Params, TransportError>
  readonly initialized: Effect.Effect<void, TransportError>
}

/** A server with these tools. */
export const serve = (
  tools: Layer.Layer<never, Registry.RegistrationError, McpServer.McpServer> = Layer.empty,
  options?: Partial<McpServer.Options>
): Effect.Effect<McpServer.McpServer["Service"], Registry.RegistrationError, Scope.Scope> =>
  tools.pipe(
    Layer.provideMerge(McpServer.layer({ name: "test", version: "1.0.0", ...options })),
    Layer.build,
    Effect.map(Context.get(McpServer.McpServer))
  )

const travelled = (message: JsonRpc.Message): unknown => JsonRpc.decode(JsonRpc.encode(message))

/** What a peer is told, kept as it travels. */
export const recorder = (kept: Array<JsonRpc.Notification>): Peer => ({
  request: ({ id, method }) =>
    Effect.succeed(JsonRpc.failure(id, { code: JsonRpc.METHOD_NOT_FOUND, message: `Method not found: ${method}` })),
  notify: (notification) => Effect.sync(() => void kept.push(travelled(notification) as JsonRpc.Notification))
})

/** A connection on which nothing was said yet. `prepare` makes the parameters of every request. */
export const connect = (
  server: McpServer.McpServer["Service"],
  prepare: (params: Params | undefined) => Params | undefined = (params) => params,
  options: WireSchema.Options = {}
): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.gen(function*() {
    const heard: Array<JsonRpc.Notification> = []
    const tied: Array<JsonRpc.Notification> = []
    // What the server sends satisfies the schema of its revision; what these tests send need not.
    const violations: Array<WireSchema.Violation> = []
    const watch = WireSchema.watch({
      ...options,
      onViolation: (violation) => {
        if (violation.from === "server") violations.push(violation)
      }
    })
    yield* Effect.addFinalizer(() =>
      violations.length === 0
        ? Effect.void
        : Effect.die(new Error(violations.map(WireSchema.toSentence).join("\n")))
    )
    const opened = yield* server.connect(WireSchema.checked(recorder(heard), "client", watch))
    const connection: ServerConnection = { ...opened, ...WireSchema.checked(opened, "server", watch) }
    let id = 0
    const ask: Client["ask"] = (method, params) =>
      Effect.suspend(() => {
        const request = JsonRpc.request(id++, method, prepare(params))
        return Effect.tap(
          connection.request(request, recorder(tied)),
          (response) => Effect.sync(() => assert.strictEqual(response.id, request.id))
        )
      })
    const result: Client["result"] = (method, params) =>
      Effect.map(ask(method, params), (response) => {
        assert.strictEqual(response._tag, "Success", JSON.stringify(response))
        return (travelled(response) as JsonRpc.Success).result
      })
    return {
      connection,
      heard,
      tied,
      ask,
      result,
      error: (method, params) =>
        Effect.map(ask(method, params), (response) => {
          assert.strictEqual(response._tag, "Failure", JSON.stringify(response))
          return (travelled(response) as JsonRpc.Failure).error
        }),
      call: (name, args, meta) =>
        result("tools/call", {
          name,
          ...(args === undefined ? {} : { arguments: args }),
          ...(meta === undefined ? {} : { _meta: meta })
        }),
      initialized: connection.notify(JsonRpc.notification("notifications/initialized"))
    }
  })

/** The parameters of `initialize`. */
export const hello = (protocolVersion: string, capabilities: Params = {}): Params => ({
  protocolVersion,
  capabilities,
  clientInfo: { name: "client", version: "1.0.0" }
})

/** The `_meta` of a stateless request. */
export const meta = (capabilities: Params = {}): Params => ({
  [Meta.PROTOCOL_VERSION]: "2026-07-28",
  [Meta.CLIENT_CAPABILITIES]: capabilities
})

/** What declares the streaming extension, in the words of an era. */
export const streaming = (name: Revision.Name): Params =>
  isStateless(name) ? { extensions: { [StreamingTools.ID]: {} } } : { experimental: { [StreamingTools.ID]: {} } }

const isStateless = (name: Revision.Name): boolean => Revisions.get(name)?.era === "stateless"

/** A connection that is ready to speak a revision. `options`: what else its messages may be. */
export const speak = (
  server: McpServer.McpServer["Service"],
  name: Revision.Name,
  capabilities: Params = {},
  options?: WireSchema.Options
): Effect.Effect<Client, TransportError, Scope.Scope> =>
  isStateless(name)
    ? connect(server, (params) => Meta.assign(params, meta(capabilities)), options)
    : Effect.tap(
      connect(server, undefined, options),
      (client) => Effect.andThen(client.result("initialize", hello(name, capabilities)), client.initialized)
    )

/** The texts of a result's content. */
export const texts = (result: Params): ReadonlyArray<unknown> =>
  (result.content as ReadonlyArray<{ readonly text?: string }>).map(({ text }) => text)
