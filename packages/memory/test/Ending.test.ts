/** A server that ends before its clients do. */
import { assert, describe, it } from "@effect/vitest"
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import { InMemory } from "@mcp-effect/memory"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import { closed, type Peer } from "@mcp-effect/protocol/Peer"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Middleware from "@mcp-effect/server/Middleware"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

const slowly = Middleware.make("slowly", (_request, next) => Effect.tap(next(), settle))

const wait = McpServer.tool(Tool.make("wait"), () => Effect.never)

/** A connection to a server, and how that server ends. */
const open = (options?: Partial<McpServer.Options>) =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const transport = yield* InMemory.layer.pipe(
      Layer.provide(wait.pipe(Layer.provideMerge(McpServer.layer({ name: "test", version: "1.0.0", ...options })))),
      Layer.build,
      Scope.provide(scope),
      Effect.map(Context.get(ClientTransport))
    )
    const told: Array<JsonRpc.Notification> = []
    const back: Peer = { ...closed, notify: (notification) => Effect.sync(() => void told.push(notification)) }
    const connection = yield* transport.connect(back)
    const _meta = { [Meta.PROTOCOL_VERSION]: "2026-07-28", [Meta.CLIENT_CAPABILITIES]: {} }
    const ask = (id: JsonRpc.Id, method: string, params: JsonRpc.Params) =>
      Effect.forkChild(connection.request(JsonRpc.request(id, method, { ...params, _meta }), back))
    const listen = (id: JsonRpc.Id) => ask(id, "subscriptions/listen", { notifications: { toolsListChanged: true } })
    return { ask, connection, end: Scope.close(scope, Exit.void), listen, told }
  })

describe("the end of the server", () => {
  it.effect.each([["at once", {}], ["slowly", { middleware: [slowly] }]] as const)(
    "MUST answer every open subscription, with the caller's own ids, and then close the connection, where it is done %s",
    ([, options]) =>
      Effect.gen(function*() {
        const { connection, end, listen, told } = yield* open(options)
        const ids = ["one", 2, "three"]
        const listening = yield* Effect.forEach(ids, listen)
        yield* settle
        assert.strictEqual(told.length, 3)
        yield* end
        const responses = yield* Effect.forEach(listening, Fiber.join)
        assert.deepStrictEqual(
          responses.map((response) => response._tag === "Success" && [response.id, response.result.resultType]),
          ids.map((id) => [id, "complete"])
        )
        assert.deepStrictEqual(
          responses.map((response) => response._tag === "Success" && Meta.of(response.result)?.[Meta.SUBSCRIPTION_ID]),
          ids
        )
        assert.strictEqual((yield* connection.closed).reason, "closed")
      })
  )

  it.effect("MUST fail what else is in flight, and what comes later", () =>
    Effect.gen(function*() {
      const { ask, end, listen } = yield* open()
      const call = yield* ask(1, "tools/call", { name: "wait" })
      yield* listen(2)
      yield* settle
      yield* end
      assert.strictEqual((yield* Effect.flip(Fiber.join(call))).reason, "closed")
      assert.strictEqual((yield* Effect.flip(Fiber.join(yield* listen(3)))).processed, "no")
    }))
})

describe("the end of the client", () => {
  it.effect("MUST end its subscriptions on the server, and fail them here, without a wait", () =>
    Effect.gen(function*() {
      let open = 0
      const counted = Middleware.make("counted", (_request, next) => {
        open++
        return Effect.ensuring(next(), Effect.sync(() => void open--))
      })
      const server = McpServer.layer({ name: "test", version: "1.0.0", declare: ["tools"], middleware: [counted] })
      const transport = Context.get(
        yield* Layer.build(Layer.provide(InMemory.layer, server)),
        ClientTransport
      )
      const scope = yield* Scope.make()
      const connection = yield* Scope.provide(transport.connect(closed), scope)
      const _meta = { [Meta.PROTOCOL_VERSION]: "2026-07-28", [Meta.CLIENT_CAPABILITIES]: {} }
      const request = JsonRpc.request(1, "subscriptions/listen", { notifications: {}, _meta })
      const listening = yield* Effect.forkChild(Effect.exit(connection.request(request, closed)))
      yield* settle
      // A client that takes nothing has gone; this one is there still.
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(listening)
      assert.strictEqual(open, 0)
    }))
})
