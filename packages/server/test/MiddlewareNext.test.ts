/** What comes after a middleware, and what it needs itself. */
import { assert, describe, it } from "@effect/vitest"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as McpError from "@mcp-effect/protocol/McpError"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Middleware from "@mcp-effect/server/Middleware"
import * as RequestContext from "@mcp-effect/server/RequestContext"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import { serve, speak, texts } from "./client.ts"
import { logged } from "./log.ts"
import { aCall, ada, denied, Echo, echo, settle, spy } from "./wrapped.ts"

describe("next", () => {
  it.effect.each(Revisions.all)(
    "MUST be safe to run again, one report of progress after the other: $name",
    ({ name }) =>
      logged(() =>
        Effect.gen(function*() {
          let runs = 0
          const flaky = McpServer.tool(Echo, () =>
            Effect.gen(function*() {
              const run = ++runs
              for (let progress = 1; progress <= 1 + run; progress++) yield* Progress.report({ progress })
              return yield* run < 3 ? Effect.die("not yet") : Effect.succeed(`run ${run}`)
            }))
          const retry = Middleware.make("retry", ({ method }, next) => {
            const again: Effect.Effect<JsonRpc.Params, McpError.ProtocolError> = Effect.flatMap(
              next(),
              (value) => value.isError === true ? again : Effect.succeed(value)
            )
            return method === "tools/call" ? again : next()
          })
          const client = yield* speak(yield* serve(flaky, { middleware: [retry] }), name)
          const called = yield* client.call("echo", { text: "x" }, { progressToken: 1 })
          assert.deepStrictEqual(texts(called), ["run 3"])
          assert.deepStrictEqual(client.tied.map(({ params }) => params?.progress), [1, 2, 3, 4])
        })
      )
  )

  it.effect("that is left behind MUST NOT tell the client anything after the reply", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      const slow = McpServer.tool(Echo, () =>
        Progress.report({ progress: 1 }).pipe(
          Effect.andThen(Deferred.await(gate)),
          Effect.andThen(Progress.report({ progress: 2 })),
          Effect.andThen(Effect.logError("late")),
          Effect.ensuring(Deferred.succeed(done, undefined))
        ))
      const ahead = Middleware.make("ahead", ({ method }, next) =>
        method === "tools/call"
          ? Effect.as(Effect.forkDetach(next(), { startImmediately: true }), { content: [] })
          : next())
      const server = yield* serve(Layer.merge(slow, McpServer.logging()), { middleware: [ahead] })
      yield* logged(() =>
        Effect.gen(function*() {
          const client = yield* speak(server, "2025-11-25")
          yield* client.call("echo", { text: "x" }, { progressToken: 1 })
          assert.lengthOf(client.tied, 1)
          yield* Deferred.succeed(gate, undefined)
          yield* Deferred.await(done)
          yield* settle
          assert.lengthOf(client.tied, 1)
        })
      )
    }))

  it.effect("that is run when the reply is out MUST NOT tell the client anything either", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      const reports = McpServer.tool(Echo, () =>
        Progress.report({ progress: 1 }).pipe(
          Effect.andThen(Effect.logError("late")),
          Effect.ensuring(Deferred.succeed(done, undefined))
        ))
      const later = Middleware.make("later", ({ method }, next) =>
        method === "tools/call"
          ? Effect.as(Effect.forkDetach(Effect.andThen(Deferred.await(gate), next())), { content: [] })
          : next())
      const server = yield* serve(Layer.merge(reports, McpServer.logging()), { middleware: [later] })
      yield* logged(() =>
        Effect.gen(function*() {
          const client = yield* speak(server, "2025-11-25")
          yield* client.call("echo", { text: "x" }, { progressToken: 1 })
          yield* Deferred.succeed(gate, undefined)
          yield* Deferred.await(done)
          yield* settle
          assert.deepStrictEqual([...client.tied, ...client.heard], [])
        })
      )
    }))

  it.effect("MUST bring to the handler what is provided around it", () =>
    Effect.gen(function*() {
      const Tenant = Context.Reference<string>("test/Tenant", { defaultValue: () => "nobody" })
      const sees = McpServer.tool(Echo, () =>
        Effect.gen(function*() {
          const span = yield* Effect.orDie(Effect.currentSpan)
          const { request } = yield* References.CurrentLogAnnotations
          return `${yield* Tenant} ${request} ${span.name}`
        }))
      const around = Middleware.make("around", (_, next) =>
        next().pipe(
          Effect.provideService(Tenant, "acme"),
          Effect.annotateLogs("request", 7),
          Effect.withSpan("around")
        ))
      const passing = Middleware.make("passing", (_, next) => next())
      const server = yield* serve(sees, { middleware: [around, passing] })
      for (const { name } of Revisions.all) {
        const client = yield* speak(server, name)
        assert.deepStrictEqual(texts(yield* client.call("echo", { text: "x" })), ["acme 7 around"])
      }
    }))

  it.effect("MUST go on as the principal that is provided around it, in all that decides by it", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const login = Middleware.make(
        "login",
        ({ meta }, next) =>
          meta["com.example/token"] === "secret" ? Effect.provideService(next(), Principal.Principal, ada) : next()
      )
      const secret = McpServer.tool(
        Echo,
        () => Effect.map(RequestContext.current, ({ principal }) => `${principal?.subject}`),
        { visibleTo: (principal) => principal?.subject === "ada" }
      )
      const server = yield* serve(secret, { middleware: [login, spy(seen)] })
      for (const { name } of Revisions.all) {
        const client = yield* speak(server, name)
        const _meta = { "com.example/token": "secret" }
        assert.deepStrictEqual(texts(yield* client.call("echo", { text: "x" }, _meta)), ["ada"])
        assert.lengthOf((yield* client.result("tools/list", { _meta })).tools as ReadonlyArray<unknown>, 1)
        assert.deepStrictEqual((yield* client.result("tools/list")).tools, [])
      }
    }))

  it.effect("MUST be interrupted with its request, and the middleware with it", () =>
    Effect.gen(function*() {
      const events: Array<string> = []
      const started = yield* Deferred.make<void>()
      const note = (what: string) => Effect.onInterrupt(() => Effect.sync(() => void events.push(what)))
      const never = McpServer.tool(Echo, () =>
        Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(note("handler")))
      const middleware = Middleware.make("m", (_, next) =>
        next().pipe(note("middleware")))
      for (const name of ["2025-11-25", "2026-07-28"] as const) {
        const client = yield* speak(yield* serve(never, { middleware: [middleware] }), name)
        const call = yield* Effect.forkChild(client.call("echo", { text: "x" }))
        yield* Deferred.await(started)
        yield* settle
        yield* Fiber.interrupt(call)
        assert.sameMembers(events.splice(0), ["handler", "middleware"])
      }
    }))
})

describe("what a middleware needs", () => {
  class Audit
    extends Context.Service<Audit, { readonly note: (what: string) => Effect.Effect<void> }>()("test/Audit")
  {}
  class Rate extends Context.Service<Rate, { readonly take: Effect.Effect<boolean> }>()("test/Rate") {}

  const audit = Middleware.make(
    "audit",
    ({ method, principal }, next) =>
      Effect.andThen(Effect.flatMap(Audit, ({ note }) => note(`${principal?.subject} ${method}`)), next())
  )
  const rate = Middleware.make<Rate>(
    "rate",
    (_, next) => Effect.flatMap(Rate, ({ take }) => Effect.flatMap(take, (free) => free ? next() : Effect.fail(denied)))
  )

  it.effect("MUST be a requirement of the server's layer, and come from where that was built", () =>
    Effect.gen(function*() {
      const notes: Array<string> = []
      const options = { name: "test", version: "1.0.0" }
      const one: Layer.Layer<McpServer.McpServer, never, Audit> = McpServer.layer({ ...options, middleware: [audit] })
      const both = McpServer.layer({ ...options, middleware: [audit, rate] })
      const typed: Layer.Layer<McpServer.McpServer, never, Audit | Rate> = both
      // @ts-expect-error: it needs both
      const free: Layer.Layer<McpServer.McpServer> = both
      // @ts-expect-error: it needs one
      const alone: Layer.Layer<McpServer.McpServer> = one
      const none: Layer.Layer<McpServer.McpServer> = McpServer.layer({ ...options, middleware: [] })
      const plain: Layer.Layer<McpServer.McpServer> = McpServer.layer(options)
      assert.exists([typed, free, alone, none, plain])
      let left = 2
      const services = Layer.merge(
        Layer.succeed(Audit, { note: (what) => Effect.sync(() => void notes.push(what)) }),
        Layer.succeed(Rate, { take: Effect.sync(() => left-- > 0) })
      )
      const server = yield* echo.pipe(
        Layer.provideMerge(Layer.provide(both, services)),
        Layer.build,
        Effect.map(Context.get(McpServer.McpServer)),
        // Who builds the server is not who calls it.
        Effect.provideService(Principal.Principal, Principal.make({ subject: "builder" }))
      )
      const client = yield* speak(server, "2026-07-28")
      yield* client.result("tools/list")
      yield* Effect.provideService(client.result("tools/list"), Principal.Principal, ada)
      assert.strictEqual((yield* client.error("tools/list")).message, "Denied")
      assert.deepStrictEqual(notes, ["undefined tools/list", "ada tools/list", "undefined tools/list"])
    }))

  it.effect("MUST NOT be a scope: each request has one, which closes when the middleware is done", () =>
    Effect.gen(function*() {
      const events: Array<string> = []
      const scoped = Middleware.make("scoped", ({ method }, next) =>
        Effect.acquireRelease(
          Effect.sync(() => events.push(`acquired for ${method}`)),
          (_, exit) => Effect.sync(() => events.push(`released on ${exit._tag}`))
        ).pipe(Effect.andThen(next()), Effect.tap(Effect.sync(() => events.push("done")))))
      const layer: Layer.Layer<McpServer.McpServer> = McpServer.layer({
        name: "test",
        version: "1.0.0",
        middleware: [scoped]
      })
      const server = yield* echo.pipe(
        Layer.provideMerge(layer),
        Layer.build,
        Effect.map(Context.get(McpServer.McpServer))
      )
      const client = yield* speak(server, "2026-07-28")
      yield* client.result("tools/list")
      assert.deepStrictEqual(events.splice(0), ["acquired for tools/list", "done", "released on Success"])
      yield* client.error("nothing/at-all")
      assert.deepStrictEqual(events, ["acquired for nothing/at-all", "released on Failure"])
    }))

  it.effect("MUST be all there is to it: it is tested as a function", () =>
    Effect.gen(function*() {
      const notes: Array<string> = []
      const call = yield* aCall
      const handled = audit.handle(RequestContext.ofCall(call), () => Effect.succeed({ tools: [] }))
      const value = yield* Effect.provideService(handled, Audit, {
        note: (what) => Effect.sync(() => void notes.push(what))
      })
      assert.deepStrictEqual(value, { tools: [] })
      assert.deepStrictEqual(notes, ["undefined tools/list"])
    }))

  it.effect("MUST NOT be more than its layer has, and RequestContext is there without", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const asks = Middleware.make("asks", (request, next) =>
        Effect.flatMap(RequestContext.current, (current) => {
          assert.strictEqual(current.id, request.id)
          seen.push(current.method)
          return next()
        }))
      const needs: Middleware.Middleware = asks
      const client = yield* speak(yield* serve(echo, { middleware: [needs, asks] }), "2025-11-25")
      yield* client.call("echo", { text: "x" })
      assert.deepStrictEqual(seen, ["initialize", "initialize", "tools/call", "tools/call"])
    }))
})
