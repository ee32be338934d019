import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Registry from "@mcp-effect/server/Registry"
import * as RequestContext from "@mcp-effect/server/RequestContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { recorder, serve, speak } from "./client.ts"
import { logged } from "./log.ts"

const method = "example/when"
const When = Schema.Struct({ at: Schema.Date, times: Schema.optionalKey(Schema.Int) })

const later = McpServer.method(
  method,
  { params: When, result: Schema.Struct({ at: Schema.Date, times: Schema.Int }) },
  ({ at, times = 1 }) => Effect.succeed({ at: new Date(at.getTime() + 1000), times: times + 1 })
)

const revisions = ["2026-07-28", "2025-11-25", "2024-11-05"] as const

describe("a method of one's own", () => {
  it.effect.each(revisions)(
    "MUST have typed parameters and a typed result, in %s",
    (revision) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(later), revision)
        const result = yield* client.result(method, { at: "2026-01-01T00:00:00.000Z" })
        assert.deepInclude(result, { at: "2026-01-01T00:00:01.000Z", times: 2 })
        assert.strictEqual(result.resultType, revision === "2026-07-28" ? "complete" : undefined)
      })
  )

  it.effect("MUST refuse parameters that do not fit with -32602, naming every problem", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(later), "2026-07-28")
      const { code, message } = yield* client.error(method, { at: 5, times: "x" })
      assert.strictEqual(code, JsonRpc.INVALID_PARAMS)
      for (const part of [method, "at", "times"]) assert.include(message, part)
      assert.strictEqual((yield* client.error(method)).code, JsonRpc.INVALID_PARAMS)
    }))

  it.effect("MAY have any parameters and any result, which do not hold `_meta`", () =>
    Effect.gen(function*() {
      const seen: Array<JsonRpc.Params> = []
      const echo = McpServer.method("example/echo", {}, (params) => Effect.sync(() => (seen.push(params), params)))
      const client = yield* speak(yield* serve(echo), "2026-07-28")
      const { a } = yield* client.result("example/echo", { a: [1], _meta: { own: true } })
      assert.deepStrictEqual([a, seen], [[1], [{ a: [1] }]])
    }))

  it.effect("MUST reply with the error of the protocol that it fails with", () =>
    Effect.gen(function*() {
      const failing = McpServer.method("example/fail", { params: Schema.Struct({ how: Schema.String }) }, ({ how }) =>
        Effect.fail(
          how === "remote"
            ? new McpError.RemoteError({ code: 42, message: "no", data: { why: "because" } })
            : new McpError.InvalidParams({ message: "how?" })
        ))
      const client = yield* speak(yield* serve(failing), "2025-11-25")
      assert.deepStrictEqual(yield* client.error("example/fail", { how: "remote" }), {
        code: 42,
        message: "no",
        data: { why: "because" }
      })
      assert.deepStrictEqual(yield* client.error("example/fail", { how: "" }), { code: -32602, message: "how?" })
    }))

  const broken: ReadonlyArray<readonly [how: string, handler: () => Effect.Effect<JsonRpc.Params>]> = [
    ["dies", () => Effect.die(new Error("secret"))],
    ["throws", () => {
      throw new Error("secret")
    }],
    ["returns no object", () => Effect.succeed("secret" as never)],
    ["is interrupted from inside", () => Effect.interrupt]
  ]
  it.effect.each(broken)(
    "that %s MUST be answered with -32603 that tells nothing, and be logged",
    ([, handler]) =>
      logged((lines) =>
        Effect.gen(function*() {
          const client = yield* speak(yield* serve(McpServer.method("example/broken", {}, handler)), "2026-07-28")
          assert.deepStrictEqual(yield* client.error("example/broken"), { code: -32603, message: "Internal error" })
          assert.match(lines.join("\n"), /Error The handler of example\/broken failed/)
        })
      )
  )

  it.effect("MUST be answered with -32603 where its result does not fit, and say in the log what is wrong", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const misfit = McpServer.method(
          "example/misfit",
          { result: Schema.Struct({ n: Schema.Int }) },
          () => Effect.succeed({ n: 0.5 })
        )
        const client = yield* speak(yield* serve(misfit), "2026-07-28")
        assert.strictEqual((yield* client.error("example/misfit")).message, "Internal error")
        assert.match(lines.join("\n"), /The result of example\/misfit does not fit its schema/)
      })
    ))

  it.effect("MUST run in the context of its layer, and know who calls", () =>
    Effect.gen(function*() {
      class Name extends Context.Service<Name, string>()("test/Name") {}
      const who = McpServer.method("example/who", {}, () =>
        Effect.gen(function*() {
          const { principal } = yield* RequestContext.current
          return { name: yield* Name, subject: principal?.subject }
        }))
      const client = yield* speak(yield* serve(Layer.provide(who, Layer.succeed(Name, "layer"))), "2026-07-28")
      const result = yield* client.result("example/who").pipe(
        Effect.provideService(Principal.Principal, Principal.make({ subject: "caller" }))
      )
      assert.deepInclude(result, { name: "layer", subject: "caller" })
    }))

  it.effect.each([
    "tools/call",
    "initialize",
    "server/discover",
    "subscriptions/listen",
    "ping",
    "sampling/createMessage",
    "roots/list"
  ])("MUST NOT take the protocol's name %s", (name) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(serve(McpServer.method(name, {}, () => Effect.succeed({}))))
      assert.instanceOf(error, Registry.RegistrationError)
      assert.deepStrictEqual([error.kind, error.key], ["method", name])
      assert.include(error.message, "belongs to the protocol")
    }))

  it.effect("MUST NOT take a name that is taken", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(serve(Layer.mergeAll(later, Layer.fresh(later))))
      assert.include(error.message, method)
    }))

  it.effect("MUST NOT exist by a name that every object has", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(later), "2026-07-28")
      for (const name of ["constructor", "toString", "__proto__"]) {
        assert.strictEqual((yield* client.error(name)).code, JsonRpc.METHOD_NOT_FOUND)
      }
    }))
})

describe("a method of an extension", () => {
  const id = "com.example/thing"
  const gated = McpServer.method("thing/get", { extension: id }, () => Effect.succeed({ got: true }))

  it.effect.each([["2026-07-28", -32021], ["2025-11-25", -32600]] as const)(
    "MUST be refused to clients that did not declare it, in %s with %d",
    ([revision, code]) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(gated), revision, { extensions: { "com.example/other": {} } })
        const error = yield* client.error("thing/get")
        assert.strictEqual(error.code, code)
        assert.include(error.message, id)
        assert.deepStrictEqual(error.data, { requiredCapabilities: { extensions: { [id]: {} } } })
      })
  )

  it.effect("MUST be warned about when the first client connects, if the server does not declare that extension", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const server = yield* serve(gated, { declare: ["tools"] })
        assert.deepStrictEqual(lines, [])
        yield* speak(server, "2025-11-25")
        yield* speak(server, "2026-07-28")
        assert.strictEqual(lines.length, 1)
        for (const said of ["Warn", "thing/get", id, "McpServer.extension("]) assert.include(lines[0], said)
        const known = Layer.mergeAll(gated, McpServer.extension({ id }), later)
        yield* speak(yield* serve(known, { declare: ["tools"] }), "2025-11-25")
        assert.strictEqual(lines.length, 1)
      })
    ))

  it.effect("MUST NOT be warned about for the order in which its layers are built", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const transport = Layer.effectDiscard(
          Effect.flatMap(McpServer.McpServer, ({ connect }) => connect(recorder([])))
        )
        const tool = McpServer.tool(Tool.make("tool"), () => Effect.void)
        yield* serve(Layer.mergeAll(transport, gated, tool, McpServer.extension({ id })))
        assert.deepStrictEqual(lines, [])
      })
    ))

  it.effect("MUST be there for clients that declared it, in either word", () =>
    Effect.gen(function*() {
      const server = yield* serve(gated)
      const clients = [
        yield* speak(server, "2026-07-28", { extensions: { [id]: {} } }),
        yield* speak(server, "2025-11-25", { experimental: { [id]: {} } }),
        yield* speak(server, "2025-06-18", { extensions: { [id]: {} } })
      ]
      for (const client of clients) assert.deepInclude(yield* client.result("thing/get"), { got: true })
    }))
})

describe("a notification", () => {
  const told = (name: string, handler: (params: JsonRpc.Params) => Effect.Effect<void>) =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(McpServer.notification(name, handler)), "2025-11-25")
      return (params?: JsonRpc.Params) => client.connection.notify(JsonRpc.notification(name, params))
    })

  it.effect.each(["notifications/example", "notifications/roots/list_changed"])(
    "MUST be handled: %s, with what is there of its parameters",
    (name) =>
      Effect.gen(function*() {
        const seen: Array<JsonRpc.Params> = []
        const notify = yield* told(name, (params) => Effect.sync(() => void seen.push(params)))
        yield* notify({ a: 1 })
        yield* notify()
        assert.deepStrictEqual(seen, [{ a: 1 }, {}])
      })
  )

  it.effect("whose handler fails MUST be logged, and hurt nobody", () =>
    logged((lines) =>
      Effect.gen(function*() {
        let calls = 0
        const notify = yield* told("notifications/example", () => {
          if (++calls === 1) throw new Error("thrown")
          return Effect.die(new Error("died"))
        })
        yield* notify()
        yield* notify()
        assert.strictEqual(calls, 2)
        for (const how of ["thrown", "died"]) {
          assert.match(lines.join("\n"), new RegExp(`Error The handler of notifications/example failed .*${how}`))
        }
      })
    ))

  it.effect("MUST be handled in the context of its layer, with a scope of its own, and know who sends it", () =>
    Effect.gen(function*() {
      class Name extends Context.Service<Name, string>()("test/Name") {}
      const seen: Array<unknown> = []
      const handler = McpServer.notification("notifications/example", () =>
        Effect.gen(function*() {
          const principal = yield* Principal.Principal
          yield* Effect.addFinalizer(() => Effect.sync(() => seen.push("closed")))
          seen.push(yield* Name, principal?.subject)
        }))
      const server = yield* serve(Layer.provide(handler, Layer.succeed(Name, "layer")))
      const client = yield* speak(server, "2026-07-28")
      yield* client.connection.notify(JsonRpc.notification("notifications/example")).pipe(
        Effect.provideService(Principal.Principal, Principal.make({ subject: "caller" }))
      )
      assert.deepStrictEqual(seen, ["layer", "caller", "closed"])
    }))

  it.effect("that nobody handles MUST be ignored", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(later), "2026-07-28")
      yield* client.connection.notify(JsonRpc.notification("notifications/unheard-of"))
      yield* client.connection.notify(JsonRpc.notification("toString"))
    }))

  it.effect.each([
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/tools/list_changed"
  ])("MUST NOT take the protocol's name %s", (name) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(serve(McpServer.notification(name, () => Effect.void)))
      assert.deepStrictEqual([error.kind, error.key], ["notification", name])
    }))
})
