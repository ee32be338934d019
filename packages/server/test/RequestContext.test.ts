/** What a handler may know of its request, and that it is of no other. */
import { assert, describe, it } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as Logging from "@mcp-effect/server/Logging"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as RequestContext from "@mcp-effect/server/RequestContext"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { meta, recorder, serve, speak, texts } from "./client.ts"
import { logged } from "./log.ts"

const Look = Tool.make("look", { input: { x: Schema.optionalKey(Schema.Number) } })
const Who = Tool.make("who", {})
const Add = Tool.make("add", {})

const ada = Principal.make({ subject: "ada", scopes: ["read"], claims: { iss: "x" } })
const bob = Principal.make({ subject: "bob" })
const as = (principal: Principal.Principal | undefined) => Effect.provideService(Principal.Principal, principal)

const who = McpServer.tool(Who, () =>
  Effect.zipWith(
    Effect.map(RequestContext.current, ({ principal }) => principal?.subject ?? "nobody"),
    Effect.map(Principal.Principal, (principal) => principal?.subject ?? "nobody"),
    (context, reference) => `${context} ${reference}`
  ))

describe.each(Revisions.all)("RequestContext.current in $name", ({ era, name }) => {
  const capabilities = {
    extensions: { "com.example/a": { x: 1 }, "com.example/list": [], "com.example/flag": true },
    experimental: { "com.example/b": { y: 2 } },
    sampling: {}
  }
  const ways = {
    effect: () => RequestContext.current,
    child: () => Effect.flatMap(Effect.forkChild(RequestContext.current), Fiber.join),
    detached: () => Effect.flatMap(Effect.forkDetach(RequestContext.current), Fiber.join),
    option: () => Effect.map(RequestContext.option, Option.getOrThrow)
  }

  it.effect.each(["effect", "child", "detached", "option", "stream"] as const)(
    "MUST say all of the request that is handled: %s",
    (way) =>
      Effect.gen(function*() {
        const seen: Array<RequestContext.RequestContext> = []
        const look = Effect.map(way === "stream" ? RequestContext.current : ways[way](), (context) =>
          void seen.push(context))
        const tools = McpServer.tool(Look, () =>
          way === "stream" ? Stream.drain(Stream.fromEffect(look)) : look)
        const client = yield* speak(yield* serve(tools), name, capabilities)
        yield* as(ada)(client.call("look", { x: 1 }, { progressToken: "t", "com.example/k": [1] }))
        const [context] = seen
        assert.exists(context)
        assert.lengthOf(seen, 1)
        const sent = { progressToken: "t", "com.example/k": [1], ...(era === "stateless" ? meta(capabilities) : {}) }
        assert.strictEqual(context.method, "tools/call")
        assert.deepStrictEqual(context.params, { name: "look", arguments: { x: 1 }, _meta: sent })
        assert.deepStrictEqual(context.meta, sent)
        assert.strictEqual(context.id, era === "stateless" ? 0 : 1)
        assert.strictEqual(context.progressToken, "t")
        assert.strictEqual(context.revision.name, name)
        assert.deepStrictEqual(
          context.client.info,
          era === "stateless" ? undefined : { name: "client", version: "1.0.0" }
        )
        assert.deepStrictEqual(context.client.capabilities, capabilities)
        assert.strictEqual(context.principal, ada)
        assert.strictEqual(context.sessionScope === undefined, era === "stateless")
        assert.deepStrictEqual(
          ["a", "b", "c", "list", "flag"].map((id) => context.extension(`com.example/${id}`)),
          [{ x: 1 }, { y: 2 }, undefined, undefined, undefined]
        )
      })
  )

  it.effect("MUST be made of nothing that a client did not say", () =>
    Effect.gen(function*() {
      const seen: Array<RequestContext.RequestContext> = []
      const tools = McpServer.tool(Look, () => Effect.map(RequestContext.current, (context) => void seen.push(context)))
      const server = yield* serve(tools)
      for (const extensions of [undefined, {}, null, 5, "text", []]) {
        const client = yield* speak(server, name, extensions === undefined ? {} : { extensions })
        yield* client.call("look")
        const context = seen.pop()
        for (const id of ["constructor", "__proto__", "length", "0", "com.example/a"]) {
          assert.isUndefined(context?.extension(id))
        }
        assert.isUndefined(context?.progressToken)
        assert.isUndefined(context?.principal)
      }
    }))

  it.effect("MUST be of each of the calls that run at the same time, with its own principal", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const tools = McpServer.tool(Look, ({ x }) =>
        Effect.andThen(
          Deferred.await(gate),
          Effect.map(
            RequestContext.current,
            ({ params, principal }) => `${x} ${JSON.stringify(params.arguments)} ${principal?.subject}`
          )
        ))
      const client = yield* speak(yield* serve(tools), name)
      const calls = yield* Effect.forEach(
        [ada, bob, undefined],
        (principal, x) => Effect.forkChild(as(principal)(client.call("look", { x })))
      )
      yield* Deferred.succeed(gate, undefined)
      const results = yield* Effect.forEach(calls, Fiber.join)
      assert.deepStrictEqual(results.flatMap(texts), ["0 {\"x\":0} ada", "1 {\"x\":1} bob", "2 {\"x\":2} undefined"])
    }))
})

describe("outside of a request", () => {
  it.effect("RequestContext.current MUST die and say why, and option MUST be none", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(RequestContext.current)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.include(String(Exit.isFailure(exit) ? Cause.squash(exit.cause) : ""), "no request is being handled here")
      assert.isTrue(Option.isNone(yield* RequestContext.option))
    }))

  it("MUST be no requirement of a handler", () => {
    const layer: Layer.Layer<never, unknown, McpServer.McpServer> = who
    const current: Effect.Effect<RequestContext.RequestContext> = RequestContext.current
    assert.exists([layer, current])
  })
})

describe("sessionScope", () => {
  const events: Array<string> = []
  const Resource = Tool.make("resource", {})
  // Acquired by the first call of a session, and used by all.
  const resource = (open: WeakMap<Scope.Scope, string>) =>
    McpServer.tool(Resource, () =>
      Effect.gen(function*() {
        const { sessionScope: scope } = yield* RequestContext.current
        if (scope === undefined) return "none"
        if (open.has(scope)) return "again"
        open.set(scope, "open")
        yield* Scope.provide(Effect.addFinalizer(() => Effect.sync(() => events.push("released"))), scope)
        return "first"
      }))

  it.effect.each(Revisions.ofEra(Revisions.all, "stateful"))(
    "MUST live across the calls of a session, and end with its connection, once: $name",
    ({ name }) =>
      Effect.gen(function*() {
        events.length = 0
        const server = yield* serve(resource(new WeakMap()))
        const scope = yield* Scope.make()
        const client = yield* Scope.provide(speak(server, name), scope)
        const other = yield* speak(server, name)
        for (const expected of ["first", "again", "again"]) {
          assert.deepStrictEqual(texts(yield* client.call("resource")), [expected])
        }
        assert.deepStrictEqual(texts(yield* other.call("resource")), ["first"])
        assert.deepStrictEqual(events, [])
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(events, ["released"])
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(events, ["released"])
      })
  )

  it.effect("MUST NOT exist for a stateless request, even on a connection that has a session", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(resource(new WeakMap())), "2025-11-25")
      assert.deepStrictEqual(texts(yield* client.call("resource")), ["first"])
      assert.deepStrictEqual(texts(yield* client.call("resource", {}, meta())), ["none"])
    }))
})

describe("a tool that is added inside of a request", () => {
  const within = (tool: Effect.Effect<void, unknown, McpServer.McpServer | Scope.Scope>) =>
    McpServer.tool(Add, () =>
      Effect.gen(function*() {
        const { sessionScope } = yield* RequestContext.current
        yield* Scope.provide(tool, sessionScope ?? (yield* Effect.die("a session is needed")))
      }))

  it.effect("MUST NOT see the principal, the request, or the annotations of who has added it", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const tool = McpServer.addTool(Who, () =>
        Effect.gen(function*() {
          const { params, principal } = yield* RequestContext.current
          const annotations = yield* References.CurrentLogAnnotations
          const spans = yield* References.CurrentLogSpans
          seen.push([principal, yield* Principal.Principal, params.name, annotations, spans])
        })).pipe(Effect.annotateLogs("added by", "ada"), Effect.withLogSpan("adding"))
      const server = yield* serve(within(tool))
      yield* as(ada)((yield* speak(server, "2025-11-25")).call("add"))
      const client = yield* speak(server, "2025-11-25")
      yield* as(bob)(client.call("who"))
      yield* client.call("who")
      assert.deepStrictEqual(seen, [[bob, bob, "who", {}, []], [undefined, undefined, "who", {}, []]])
    }))

  it.effect("MUST tell its own client, and not that of who has added it, who still runs", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const gate = yield* Deferred.make<void>()
        const added = yield* Deferred.make<void>()
        const tool = McpServer.addTool(Who, () =>
          Effect.gen(function*() {
            yield* Effect.logDebug("debug")
            yield* Effect.logError("error")
            yield* Logging.log({ level: "alert", data: "alert" })
            yield* Progress.report({ progress: 1 })
          }))
        const adding = within(tool.pipe(
          Effect.andThen(Deferred.succeed(added, undefined)),
          Effect.andThen(Deferred.await(gate))
        ))
        const server = yield* serve(Layer.merge(adding, McpServer.logging({ level: undefined })))
        const first = yield* speak(server, "2025-11-25")
        yield* first.result("logging/setLevel", { level: "debug" })
        const running = yield* Effect.forkChild(first.call("add", undefined, { progressToken: 1 }))
        yield* Deferred.await(added)
        const silent = yield* speak(server, "2025-11-25")
        yield* silent.call("who")
        const curious = yield* speak(server, "2025-11-25")
        yield* curious.result("logging/setLevel", { level: "error" })
        yield* curious.call("who", undefined, { progressToken: 2 })
        assert.deepStrictEqual([first.tied, silent.tied], [[], []])
        assert.deepStrictEqual(curious.tied.map(({ params }) => params), [
          { level: "error", data: "error" },
          { level: "alert", data: "alert" },
          { progressToken: 2, progress: 1 }
        ])
        assert.deepStrictEqual(lines.map((line) => line.trim()), ["Error error", "Error error"])
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(running)
      })
    ))
})

describe("the loggers of a tool that is added inside of a request", () => {
  it.effect("MUST be those of its callers, where its layer has none", () =>
    Effect.gen(function*() {
      const adds = McpServer.tool(Add, () =>
        Effect.gen(function*() {
          const { sessionScope } = yield* RequestContext.current
          const scope = sessionScope ?? (yield* Effect.die("a session is needed"))
          yield* Scope.provide(McpServer.addTool(Who, () => Effect.logInfo("inside")), scope)
        }))
      const server = yield* serve(Layer.merge(adds, McpServer.logging()))
      const client = yield* speak(server, "2025-11-25")
      yield* client.result("logging/setLevel", { level: "debug" })
      yield* client.call("add")
      yield* logged((lines) =>
        Effect.map(client.call("who"), () => assert.deepStrictEqual(lines.map((line) => line.trim()), ["Info inside"]))
      )
    }))
})

describe("a tool that is added by what runs once", () => {
  it.effect("MUST be able to ask like any other", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.Scope
      const form = Elicitation.form({ message: "?", fields: { a: Schema.String } })
      const tool = McpServer.addTool(Who, () => Effect.asVoid(ClientInput.elicit(form)))
      const adds = McpServer.tool(Add, () =>
        Effect.asVoid(ClientInput.once("add", Effect.orDie(Scope.provide(tool, scope)))))
      const client = yield* speak(yield* serve(adds), "2026-07-28", { elicitation: {} })
      yield* client.call("add")
      yield* logged(() =>
        Effect.map(client.call("who"), ({ resultType }) =>
          assert.strictEqual(resultType, "input_required"))
      )
    }))
})

describe("the principal", () => {
  it.effect("MUST be that of the request, and not that of the layer or the connection", () =>
    Effect.gen(function*() {
      const server = yield* as(ada)(serve(who))
      const { connection } = yield* as(ada)(speak(server, "2026-07-28"))
      const call = connection.request(
        JsonRpc.request(1, "tools/call", { name: "who", _meta: { [Meta.PROTOCOL_VERSION]: "2026-07-28", ...meta() } }),
        recorder([])
      )
      const text = (response: JsonRpc.Response) => response._tag === "Success" ? texts(response.result) : []
      assert.deepStrictEqual(text(yield* call), ["nobody nobody"])
      assert.deepStrictEqual(text(yield* as(bob)(call)), ["bob bob"])
    }))
})
