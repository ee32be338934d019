import { assert, describe, it } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Principal from "@mcp-effect/protocol/Principal"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import * as Tool from "@mcp-effect/protocol/Tool"
import { type Call, result } from "@mcp-effect/server/Call"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import type { Extension } from "@mcp-effect/server/Extensions"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Middleware from "@mcp-effect/server/Middleware"
import * as RequestContext from "@mcp-effect/server/RequestContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { connect, hello, serve, speak, texts } from "./client.ts"
import { logged } from "./log.ts"

const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

const id = "com.example/thing"
const both = { extensions: { [id]: {} } }

const greet = McpServer.tool(Tool.make("greet", {}), () => Effect.succeed("hello"))

/** A server with a tool and these extensions, registered in this order. */
const withExtensions = (...extensions: ReadonlyArray<Extension>) =>
  Effect.tap(
    serve(greet),
    (server) => Effect.forEach(extensions, (extension) => server.extensions.add(extension), { discard: true })
  )

/** A client that knows the results of tasks. */
const withTasks = (server: McpServer.McpServer["Service"], revision: Revision.Name) =>
  speak(server, revision, both, { resultTypes: ["task"] })

/** Adds a word to the text of every call. */
const saying = (word: string, id: string): Extension => ({
  id,
  around: {
    "tools/call": (call, next) =>
      Effect.map(next(call), (inner) => {
        const content = [{ type: "text", text: `${word}(${texts(inner.value).join()})` }]
        return { ...inner, value: { ...inner.value, content }, key: undefined }
      })
  }
})

describe("the settings of an extension", () => {
  const server = withExtensions({ id, settings: { depth: 2 } })
  const declared = { [StreamingTools.ID]: {}, [id]: { depth: 2 } }

  it.effect("MUST be in `extensions` of server/discover", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* server, "2026-07-28")
      const { capabilities } = yield* client.result("server/discover")
      assert.deepStrictEqual(capabilities, { tools: { listChanged: true }, extensions: declared })
    }))

  it.effect.each(["2025-11-25", "2024-11-05"] as const)(
    "MUST be in `extensions` and `experimental` in %s",
    (name) =>
      Effect.gen(function*() {
        const client = yield* connect(yield* server)
        const { capabilities } = yield* client.result("initialize", hello(name))
        assert.deepStrictEqual(capabilities, {
          tools: { listChanged: true },
          extensions: declared,
          experimental: declared
        })
      })
  )

  it.effect("MUST be gone when its scope closes", () =>
    Effect.gen(function*() {
      const running = yield* serve(greet)
      const scope = yield* Scope.make()
      yield* Scope.provide(running.extensions.add({ id }), scope)
      const client = yield* speak(running, "2026-07-28")
      const declared = Effect.map(client.result("server/discover"), (result) => JSON.stringify(result.capabilities))
      assert.include(yield* declared, id)
      yield* Scope.close(scope, Exit.void)
      assert.notInclude(yield* declared, id)
    }))
})

describe("what is around a method", () => {
  it.effect("MUST be there for clients that declared the extension, and for no others", () =>
    Effect.gen(function*() {
      const server = yield* withExtensions(saying("a", id))
      const clients = [
        yield* speak(server, "2026-07-28", both),
        yield* speak(server, "2025-11-25", { experimental: { [id]: {} } }),
        yield* speak(server, "2026-07-28", { extensions: { "com.example/other": {} } }),
        yield* speak(server, "2025-11-25")
      ]
      const said = yield* Effect.forEach(clients, (client) => Effect.map(client.call("greet"), texts))
      assert.deepStrictEqual(said, [["a(hello)"], ["a(hello)"], ["hello"], ["hello"]])
    }))

  it.effect("MUST NOT be there for a session that was not told of the extension", () =>
    Effect.gen(function*() {
      const server = yield* serve(greet)
      const session = yield* speak(server, "2025-11-25", both)
      const stateless = yield* speak(server, "2026-07-28", both)
      yield* server.extensions.add(saying("a", id))
      assert.deepStrictEqual(texts(yield* session.call("greet")), ["hello"])
      assert.deepStrictEqual(texts(yield* stateless.call("greet")), ["a(hello)"])
    }))

  it.effect("of several extensions MUST be the first registered outermost, whatever their ids", () =>
    Effect.gen(function*() {
      const [z, m, a] = ["com.example/z", "com.example/m", "com.example/a"]
      const server = yield* withExtensions(saying("1", z), saying("2", m), saying("3", a))
      const all = yield* speak(server, "2026-07-28", { extensions: { [a]: {}, [m]: {}, [z]: {} } })
      assert.deepStrictEqual(texts(yield* all.call("greet")), ["1(2(3(hello)))"])
      const two = yield* speak(server, "2026-07-28", { extensions: { [a]: {}, [z]: {} } })
      assert.deepStrictEqual(texts(yield* two.call("greet")), ["1(3(hello))"])
    }))

  it.effect("MUST be inside middleware", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const middleware = Middleware.make("m", (_request, next) =>
        Effect.tap(next(), (value) => Effect.sync(() => seen.push(String(texts(value))))))
      const server = yield* serve(Layer.mergeAll(greet, McpServer.extension(saying("a", id))), {
        middleware: [middleware]
      })
      yield* (yield* speak(server, "2026-07-28", both)).call("greet")
      assert.deepStrictEqual(seen, ["a(hello)"])
    }))

  it.effect.each(["2026-07-28", "2025-11-25"] as const)(
    "MAY end with a resultType of its own, in %s",
    (revision) =>
      Effect.gen(function*() {
        const task: Extension = {
          id,
          around: { "tools/call": () => Effect.succeed(result({ resultType: "task", taskId: "t", _meta: { own: 1 } })) }
        }
        const value = yield* (yield* withTasks(yield* withExtensions(task), revision)).call("greet")
        assert.deepInclude(value, { resultType: "task", taskId: "t" })
        assert.deepInclude(value._meta, { own: 1 })
        assert.notProperty(value, "ttlMs")
      })
  )

  it.effect("MAY go on in a scope of its own: the handler outlives its request", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const scope = yield* Effect.scope
      const background: Extension = {
        id,
        around: {
          "tools/call": (call, next) =>
            Effect.as(
              Effect.forkIn(
                Effect.tap(next(call), ({ value }) => Effect.sync(() => seen.push(...texts(value) as []))),
                scope
              ),
              result({ resultType: "task", taskId: "t" })
            )
        }
      }
      const slow = McpServer.tool(Tool.make("slow", {}), () => Effect.as(Effect.sleep("1 second"), "done"))
      const server = yield* serve(slow)
      yield* server.extensions.add(background)
      const client = yield* withTasks(server, "2026-07-28")
      assert.strictEqual((yield* client.call("slow")).resultType, "task")
      yield* Effect.andThen(settle, TestClock.adjust("1 second"))
      yield* settle
      assert.deepStrictEqual(seen, ["done"])
    }))

  it.effect("MAY give the call a part notification of its own, which wins over that of streaming tools", () =>
    Effect.gen(function*() {
      const parts = McpServer.tool(Tool.make("parts", {}), () => Stream.make(Tool.part("p0"), Tool.part("p1")))
      const own: Extension = {
        id,
        around: {
          "tools/call": (call, next) =>
            next({
              ...call,
              part: (content, index, progressToken) =>
                index === 0 ? undefined : JsonRpc.notification("notifications/own", { content, progressToken })
            })
        }
      }
      const server = yield* serve(parts)
      yield* server.extensions.add(own)
      const client = yield* speak(server, "2026-07-28", { extensions: { [id]: {}, [StreamingTools.ID]: {} } })
      yield* client.call("parts", {}, { progressToken: 5 })
      assert.deepStrictEqual(client.tied, [
        JsonRpc.notification("notifications/own", { content: { type: "text", text: "p1" }, progressToken: 5 })
      ])
    }))

  it.effect("MAY answer what the handler asks by an input of its own", () =>
    Effect.gen(function*() {
      const question = Elicitation.form({ message: "Who?", fields: { name: Schema.String } })
      const asking = McpServer.tool(Tool.make("ask", {}), () =>
        Effect.map(ClientInput.elicit(question), (answer) =>
          answer._tag === "Accept" ? answer.content.name : answer._tag))
      const ask = () =>
        Effect.succeed({ action: "accept", content: { name: "extension" } })
      const answering: Extension = {
        id,
        around: {
          "tools/call": (call, next) =>
            next({ ...call, input: { ...call.input, ask } })
        }
      }
      const server = yield* serve(asking)
      yield* server.extensions.add(answering)
      for (const revision of ["2026-07-28", "2025-11-25"] as const) {
        const client = yield* speak(server, revision, { ...both, elicitation: {} })
        assert.deepStrictEqual(texts(yield* client.call("ask")), ["extension"])
      }
    }))

  it.effect("MUST run in the context of its layer, with the principal of the request", () =>
    Effect.gen(function*() {
      class Name extends Context.Service<Name, string>()("test/Name") {}
      const seen: Array<unknown> = []
      const extension: Extension<Name> = {
        id,
        around: {
          "tools/call": (call, next) =>
            Effect.gen(function*() {
              seen.push(yield* Name, (yield* Principal.Principal)?.subject)
              return yield* next(call)
            })
        }
      }
      const who = McpServer.tool(Tool.make("greet", {}), () =>
        Effect.gen(function*() {
          const { principal } = yield* RequestContext.current
          return `hello ${principal?.subject}`
        }))
      const provided = McpServer.extension(extension).pipe(
        Layer.provide(Layer.succeed(Name, "layer")),
        // What was around the build is not around the calls.
        Layer.provide(Layer.succeed(Principal.Principal, Principal.make({ subject: "builder" })))
      )
      const client = yield* speak(yield* serve(Layer.mergeAll(who, provided)), "2026-07-28", both)
      const said = yield* client.call("greet").pipe(
        Effect.provideService(Principal.Principal, Principal.make({ subject: "caller" }))
      )
      assert.deepStrictEqual([seen, texts(said)], [["layer", "caller"], ["hello caller"]])
    }))

  it.effect("that throws MUST be answered with -32603 that tells nothing, and be logged", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const broken: Extension = {
          id,
          around: {
            "tools/call": () => {
              throw new Error("secret")
            }
          }
        }
        const client = yield* speak(yield* withExtensions(broken), "2026-07-28", both)
        const error = yield* client.error("tools/call", { name: "greet" })
        assert.deepStrictEqual(error, { code: -32603, message: "Internal error" })
        assert.match(lines.join("\n"), /Error The handler of tools\/call failed .*secret/)
      })
    ))

  it.effect("MUST NOT be found by a name that every object has", () =>
    Effect.gen(function*() {
      const server = yield* withExtensions(saying("a", id))
      const client = yield* speak(server, "2026-07-28", both)
      for (const name of ["constructor", "toString", "hasOwnProperty"]) {
        assert.strictEqual((yield* client.error(name)).code, JsonRpc.METHOD_NOT_FOUND)
      }
    }))

  it.effect("MUST be around methods of one's own too", () =>
    Effect.gen(function*() {
      const doubled: Extension = {
        id,
        around: {
          "example/n": (call: Call, next) => Effect.map(next(call), ({ value }) => result({ n: Number(value.n) * 2 }))
        }
      }
      const server = yield* serve(McpServer.method("example/n", {}, () => Effect.succeed({ n: 21 })))
      yield* server.extensions.add(doubled)
      const client = yield* speak(server, "2026-07-28", both)
      assert.strictEqual((yield* client.result("example/n")).n, 42)
    }))
})
