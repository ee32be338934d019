/** What wraps the requests of a server: it sees all of them, and decides. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import type { Peer } from "@mcp-effect/protocol/Peer"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Tool from "@mcp-effect/protocol/Tool"
import { type Method, type Result, result } from "@mcp-effect/server/Call"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Middleware from "@mcp-effect/server/Middleware"
import type * as RequestContext from "@mcp-effect/server/RequestContext"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { connect, hello, meta, recorder, serve, speak, texts } from "./client.ts"
import { logged } from "./log.ts"
import { aCall, ada, denied, Echo, echo, spy } from "./wrapped.ts"

const traced = (events: Array<string>, name: string) =>
  Middleware.make(name, ({ method }, next) =>
    Effect.sync(() => events.push(`${name} ${method}`)).pipe(
      Effect.andThen(next()),
      Effect.tap(Effect.sync(() => events.push(`${name} done`)))
    ))

describe("middleware", () => {
  it.effect("MUST be around each other in the order that is given and shown", () =>
    Effect.gen(function*() {
      const events: Array<string> = []
      const server = yield* serve(echo, { middleware: ["a", "b", "c"].map((name) => traced(events, name)) })
      assert.deepStrictEqual(server.middleware, ["a", "b", "c"])
      yield* (yield* speak(server, "2026-07-28")).result("tools/list")
      assert.deepStrictEqual(events, ["a tools/list", "b tools/list", "c tools/list", "c done", "b done", "a done"])
      assert.deepStrictEqual((yield* serve(echo)).middleware, [])
    }))

  it.effect.each(Revisions.all)(
    "MUST see every request, and what becomes of it: $name",
    ({ era, name }) =>
      logged(() =>
        Effect.gen(function*() {
          const seen: Array<[RequestContext.RequestContext, JsonRpc.Params]> = []
          const server = yield* serve(echo, { middleware: [spy(seen)] })
          const client = yield* speak(server, name)
          const asked: Array<[string, JsonRpc.Params]> = [
            [era === "stateless" ? "server/discover" : "ping", {}],
            ["tools/list", {}],
            ["tools/call", { name: "echo", arguments: { text: "x" } }],
            ["tools/call", { name: "echo", arguments: { text: "fail" } }],
            ["tools/call", { name: "nothing" }],
            ["nothing/at-all", { a: 1 }]
          ]
          seen.length = 0
          for (const [method, params] of asked) {
            yield* Effect.provideService(client.ask(method, params), Principal.Principal, ada)
          }
          assert.deepStrictEqual(seen.map(([{ method }]) => method), asked.map(([method]) => method))
          for (const [index, [request]] of seen.entries()) {
            const { _meta, ...params } = request.params
            assert.deepStrictEqual(params, asked[index]?.[1])
            assert.strictEqual(request.principal, ada)
            assert.isDefined(request.id)
            // Before a session there is none to speak of, but `ping` is.
            assert.strictEqual(request.revision.era, era)
          }
          const [, list, good, bad, unknown, nothing] = seen.map(([, result]) => result)
          assert.property(list, "tools")
          assert.deepStrictEqual(texts(good ?? {}), ["x"])
          assert.strictEqual(bad?.isError, true)
          assert.isTrue(Exit.isExit(unknown) && Exit.isFailure(unknown))
          assert.isTrue(Exit.isExit(nothing) && Exit.isFailure(nothing))
        })
      )
  )

  it.effect("MUST see initialize with the revision that will be spoken, and its result", () =>
    Effect.gen(function*() {
      const seen: Array<[RequestContext.RequestContext, JsonRpc.Params]> = []
      const client = yield* connect(yield* serve(echo, { middleware: [spy(seen)] }))
      yield* client.result("initialize", hello("2025-03-26"))
      const [[request, value] = assert.fail("nothing was seen")] = seen
      assert.strictEqual(request.method, "initialize")
      assert.strictEqual(request.revision.name, "2025-03-26")
      assert.deepStrictEqual(request.client.info, { name: "client", version: "1.0.0" })
      assert.strictEqual(value.protocolVersion, "2025-03-26")
    }))

  it.effect("MUST be able to deny: what it fails with is the reply, and the handler does not run", () =>
    Effect.gen(function*() {
      const deny = Middleware.make(
        "deny",
        ({ method }, next) =>
          method === "tools/call" ? Effect.fail(new McpError.ToolNotFound({ tool: "x", message: "No" })) : next()
      )
      let ran = 0
      const tool = McpServer.tool(Echo, () => Effect.sync(() => void ran++))
      for (const { name } of Revisions.all) {
        const client = yield* speak(yield* serve(tool, { middleware: [deny] }), name)
        const error = yield* client.error("tools/call", { name: "echo", arguments: { text: "x" } })
        assert.deepStrictEqual(error, { code: JsonRpc.INVALID_PARAMS, message: "No" })
        yield* client.result("tools/list")
      }
      assert.strictEqual(ran, 0)
    }))

  it.effect("that denies initialize MUST leave the session as it was, to be opened by another", () =>
    Effect.gen(function*() {
      let allowed = false
      const guard = Middleware.make(
        "guard",
        ({ method }, next) => method === "initialize" && !allowed ? Effect.fail(denied) : next()
      )
      const client = yield* connect(yield* serve(echo, { middleware: [guard] }))
      const error = yield* client.error("initialize", hello("2025-11-25"))
      assert.deepStrictEqual(error, { code: JsonRpc.INVALID_REQUEST, message: "Denied" })
      assert.strictEqual((yield* client.connection.session.state)._tag, "created")
      allowed = true
      yield* client.result("initialize", hello("2025-11-25"))
      yield* client.initialized
      assert.deepStrictEqual(texts(yield* client.call("echo", { text: "x" })), ["x"])
    }))

  it.effect("MUST be able to change what was asked, of initialize too", () =>
    Effect.gen(function*() {
      const change = Middleware.make("change", ({ method, params }, next) => {
        if (method === "initialize") return next({ ...params, protocolVersion: "2024-11-05" })
        return method === "tools/call" ? next({ ...params, arguments: { text: "changed" } }) : next()
      })
      const client = yield* connect(yield* serve(echo, { middleware: [change] }))
      const opened = yield* client.result("initialize", hello("2025-11-25"))
      assert.strictEqual(opened.protocolVersion, "2024-11-05")
      yield* client.initialized
      assert.strictEqual(client.connection.batches(), false)
      assert.deepStrictEqual(texts(yield* client.call("echo", { text: "x" })), ["changed"])
    }))

  it.effect("that makes initialize ill-formed MUST get an error, and leave the session as it was", () =>
    Effect.gen(function*() {
      const spoil = Middleware.make("spoil", (_, next) => next({}))
      const client = yield* connect(yield* serve(echo, { middleware: [spoil] }))
      assert.strictEqual((yield* client.error("initialize", hello("2025-11-25"))).code, JsonRpc.INVALID_PARAMS)
      assert.strictEqual((yield* client.connection.session.state)._tag, "created")
    }))

  it.effect("MUST be able to replace a result, which keeps the members of its era and its hints", () =>
    Effect.gen(function*() {
      const replace = Middleware.make(
        "replace",
        ({ method }, next) => Effect.map(next(), (value) => method === "tools/list" ? { ...value, tools: [] } : value)
      )
      const server = yield* serve(echo, { middleware: [replace], caching: { ttl: 7, scope: "public" } })
      const list = yield* (yield* speak(server, "2026-07-28")).result("tools/list")
      assert.deepInclude(list, { tools: [], ttlMs: 7, cacheScope: "public", resultType: "complete" })
      assert.deepStrictEqual(yield* (yield* speak(server, "2025-11-25")).result("tools/list"), { tools: [] })
    }))

  it.effect("MUST be able to answer by itself, and to fail without harm", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const own = Middleware.make("own", ({ method }, next) => {
          if (method === "tools/list") return Effect.succeed({ tools: [] })
          if (method === "prompts/list") return Effect.die("broken")
          if (method === "nothing/at-all") throw new Error("thrown")
          return next()
        })
        const client = yield* speak(yield* serve(echo, { middleware: [own], caching: { ttl: 7 } }), "2026-07-28")
        assert.deepInclude(yield* client.result("tools/list"), { tools: [], ttlMs: 7, cacheScope: "private" })
        for (const method of ["prompts/list", "nothing/at-all"]) {
          assert.deepStrictEqual(yield* client.error(method), {
            code: JsonRpc.INTERNAL_ERROR,
            message: "Internal error"
          })
        }
        assert.include(lines.join("\n"), "broken")
        assert.include(lines.join("\n"), "thrown")
        assert.deepStrictEqual(texts(yield* client.call("echo", { text: "x" })), ["x"])
      })
    ))
})

describe("a list that middleware passes on", () => {
  const list = (client: { readonly connection: Peer }) =>
    Effect.map(
      client.connection.request(JsonRpc.request(1, "tools/list", { _meta: meta() }), recorder([])),
      (response) => response._tag === "Success" ? response : assert.fail("an error")
    )

  it.effect("MUST be written once only, also if it was kept meanwhile", () =>
    Effect.gen(function*() {
      let kept: JsonRpc.Params | undefined
      const cache = Middleware.make("cache", (_, next) =>
        kept === undefined
          ? Effect.tap(next(), (value) => Effect.sync(() => kept = value))
          : Effect.succeed(kept))
      const client = yield* speak(yield* serve(echo, { middleware: [cache] }), "2026-07-28")
      const [one, two] = [yield* list(client), yield* list(client)]
      assert.isString(one.text)
      assert.strictEqual(one.text, two.text)
      assert.strictEqual(one.result, two.result)
    }))

  it.effect("MUST stay private where something is not for everybody, also if it was kept or changed", () =>
    Effect.gen(function*() {
      let kept: JsonRpc.Params | undefined
      const ways = ["pass", "keep", "change", "both"] as const
      let how: typeof ways[number] = "pass"
      const middleware = Middleware.make("m", (_, next) => {
        switch (how) {
          case "pass":
            return Effect.tap(next(), (value) => Effect.sync(() => kept = value))
          case "keep":
            return Effect.succeed(kept ?? {})
          case "change":
            return Effect.map(next(), (value) => ({ ...value }))
          case "both":
            return Effect.map(Effect.all([next(), next()]), ([a]) => ({ ...a }))
        }
      })
      const hidden = McpServer.tool(Tool.make("hidden", {}), () => Effect.void, { visibleTo: () => true })
      const server = yield* serve(Layer.merge(echo, hidden), {
        middleware: [middleware],
        caching: { ttl: 7, scope: "public" }
      })
      const client = yield* speak(server, "2026-07-28")
      for (how of ways) {
        assert.deepInclude(yield* client.result("tools/list"), { ttlMs: 7, cacheScope: "private" }, how)
      }
    }))

  const hinted = (caching: Result["caching"]): Result => ({ value: {}, caching, key: undefined })

  it.effect("MUST NOT be kept if it was made of results whose hints differ", () =>
    Effect.gen(function*() {
      const results = [hinted({ cacheScope: "private" }), hinted({ ttlMs: 9, cacheScope: "public" })]
      const method: Method = () => Effect.succeed(results.shift() ?? result({}))
      const both = Middleware.make("both", (_, next) => Effect.map(Effect.all([next(), next()]), ([a]) => ({ ...a })))
      const call = yield* aCall
      const wrapped = yield* Middleware.wrap([both])
      assert.deepStrictEqual((yield* wrapped(method)(call)).caching, { ttlMs: 0, cacheScope: "private" })
    }))

  it.effect("MUST be the one that was chosen of several, with its own hints", () =>
    Effect.gen(function*() {
      const results = [hinted({ cacheScope: "private" }), hinted({ ttlMs: 9, cacheScope: "public" })]
      const [first] = results
      const method: Method = () => Effect.succeed(results.shift() ?? result({}))
      const both = Middleware.make("both", (_, next) => Effect.map(Effect.all([next(), next()]), ([a]) => a))
      const call = yield* aCall
      const wrapped = yield* Middleware.wrap([both])
      assert.strictEqual(yield* wrapped(method)(call), first)
    }))
})
