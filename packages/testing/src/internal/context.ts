/** The rules of what a handler knows of its request, and how long the session's scope lives. */
import { assert } from "@effect/vitest"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as RequestContext from "@mcp-effect/server/RequestContext"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"

const Look = Tool.make("look")

/** Adds a tool that keeps what it knows. */
const looking = Effect.gen(function*() {
  const seen: Array<RequestContext.RequestContext> = []
  yield* McpServer.addTool(Look, () =>
    Effect.gen(function*() {
      seen.push(yield* RequestContext.current)
      yield* Progress.report({ progress: 1 })
    }))
  return seen
})

const capabilities = { sampling: {}, experimental: { "com.example/thing": { depth: 2 } } }

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST tell a handler who asks what, in which revision, and with what in `_meta`",
    test: (revision) =>
      Effect.gen(function*() {
        const seen = yield* looking
        const client = yield* RawClient.connect(revision.name, { capabilities })
        const own = { progressToken: "mine", "com.example/trace": { id: [1, "2"] } }
        yield* client.result("tools/call", { name: "look", arguments: {}, _meta: own })
        const [context = assert.fail("the handler did not run")] = seen
        assert.strictEqual(context.method, "tools/call")
        assert.strictEqual(context.revision, revision)
        assert.deepInclude(context.params, { name: "look", arguments: {} })
        assert.deepStrictEqual(context.client, { info: { name: "raw", version: "1.0.0" }, capabilities })
        assert.deepStrictEqual(context.extension("com.example/thing"), { depth: 2 })
        assert.isUndefined(context.extension("com.example/other"))
        assert.isUndefined(context.principal)
        assert.deepStrictEqual(context.meta["com.example/trace"], own["com.example/trace"])
        assert.strictEqual(Meta.PROTOCOL_VERSION in context.meta, revision.era === "stateless")
        // A token is the connection's own on the wire, and the caller's on what comes back.
        assert.isDefined(context.progressToken)
        const { params } = yield* Queue.take(client.tied)
        assert.strictEqual(params?.progressToken, "mine")
      })
  },
  {
    name: "MUST tell requests that run at the same time apart by their ids",
    test: (revision) =>
      Effect.gen(function*() {
        const seen: Array<RequestContext.RequestContext> = []
        const all = yield* Deferred.make<void>()
        yield* McpServer.addTool(Look, () =>
          Effect.gen(function*() {
            if (seen.push(yield* RequestContext.current) === 3) yield* Deferred.succeed(all, undefined)
            yield* Deferred.await(all)
          }))
        const client = yield* RawClient.connect(revision.name)
        yield* Effect.all(Array.from({ length: 3 }, () => client.result("tools/call", { name: "look" })), {
          concurrency: "unbounded"
        })
        assert.strictEqual(new Set(seen.map(({ id }) => id)).size, 3)
      })
  },
  {
    name: "MUST tell a handler who is calling, on each connection its own",
    principals: true,
    test: (revision, as) =>
      Effect.gen(function*() {
        const seen = yield* looking
        const principals = [
          Principal.make({ subject: "ada", scopes: ["read"], claims: { iss: "https://example.com" } }),
          Principal.make({ subject: "bob" })
        ]
        const call = Effect.flatMap(
          RawClient.connect(revision.name),
          (client) => client.result("tools/call", { name: "look" })
        )
        for (const principal of principals) yield* as(principal)(call)
        yield* call
        assert.deepStrictEqual(seen.map(({ principal }) => principal?.subject), ["ada", "bob", undefined])
        assert.deepStrictEqual(seen.map(({ principal }) => principal?.scopes), [["read"], [], undefined])
      })
  },
  {
    name: "MUST keep one scope for all of a session, and close it with the session",
    applies: ({ era }) => era === "stateful",
    test: (revision) =>
      Effect.gen(function*() {
        const seen = yield* looking
        const scope = yield* Scope.make()
        const client = yield* Scope.provide(RawClient.connect(revision.name), scope)
        const other = yield* RawClient.connect(revision.name)
        for (const { result } of [client, client, other]) yield* result("tools/call", { name: "look" })
        const [one, again, others] = seen.map(({ sessionScope }) => sessionScope ?? assert.fail("there is no scope"))
        assert.isTrue(one === again && one !== others)
        const closed: Array<string> = []
        const ended = yield* Deferred.make<void>()
        const closing = (name: string) => Effect.sync(() => void closed.push(name))
        if (one === undefined || others === undefined) return
        yield* Scope.addFinalizer(one, Effect.andThen(closing("one"), Deferred.succeed(ended, undefined)))
        yield* Scope.addFinalizer(others, closing("other"))
        yield* other.result("tools/list")
        assert.deepStrictEqual(closed, [])
        yield* Scope.close(scope, Exit.void)
        yield* Deferred.await(ended)
        yield* other.result("tools/list")
        assert.deepStrictEqual(closed, ["one"])
      })
  },
  {
    name: "MUST NOT give a request that has no session the scope of one",
    applies: ({ era }) => era === "stateless",
    test: (revision) =>
      Effect.gen(function*() {
        const seen = yield* looking
        const client = yield* RawClient.connect(revision.name)
        yield* client.result("tools/call", { name: "look" })
        assert.deepStrictEqual(seen.map(({ sessionScope }) => sessionScope), [undefined])
      })
  }
]
