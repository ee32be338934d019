/** Tools that are not for everybody: for the rest they do not exist. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Tool from "@mcp-effect/protocol/Tool"
import { ErrorCodes } from "@mcp-effect/server/ErrorCodes"
import * as McpServer from "@mcp-effect/server/McpServer"
import type * as Registry from "@mcp-effect/server/Registry"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { type Client, meta, recorder, serve, speak, texts } from "./client.ts"
import { logged } from "./log.ts"

const tool = (name: string, visibleTo?: Registry.Visibility["visibleTo"]) =>
  McpServer.tool(Tool.make(name, {}), () => Effect.succeed(`I am ${name}`), { visibleTo })

const subject = (...subjects: ReadonlyArray<string>) => (principal: Principal.Principal | undefined) =>
  principal !== undefined && subjects.includes(principal.subject)

const as = (name: string | undefined) =>
  Effect.provideService(Principal.Principal, name === undefined ? undefined : Principal.make({ subject: name }))

const names = (client: Client, params?: JsonRpc.Params) =>
  Effect.map(client.result("tools/list", params), ({ nextCursor, tools }) => ({
    names: (tools as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name),
    nextCursor
  }))

const pages = (client: Client) =>
  Effect.gen(function*() {
    const found: Array<ReadonlyArray<string>> = []
    let cursor: unknown
    do {
      const page = yield* names(client, cursor === undefined ? {} : { cursor })
      found.push(page.names)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return found
  })

const some = Layer.mergeAll(
  tool("a"),
  tool("b", subject("ada", "bob")),
  tool("c", subject("ada")),
  tool("d"),
  tool("e", subject("bob")),
  tool("f")
)

const settle = Effect.repeat(Effect.yieldNow, { times: 5 })

describe.each(Revisions.all)("a hidden tool in $name", ({ era, name }) => {
  it.effect("MUST NOT be listed, and the pages MUST be those of what there is", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(some, { pageSize: 2 }), name)
      assert.deepStrictEqual(yield* pages(client), [["a", "d"], ["f"]])
      assert.deepStrictEqual(yield* as("ada")(pages(client)), [["a", "b"], ["c", "d"], ["f"]])
      assert.deepStrictEqual(yield* as("bob")(pages(client)), [["a", "b"], ["d", "e"], ["f"]])
      assert.deepStrictEqual(yield* as("eve")(pages(client)), [["a", "d"], ["f"]])
    }))

  it.effect("MUST NOT be told by a cursor of somebody who sees it", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(some, { pageSize: 2 }), name)
      const { nextCursor: cursor } = yield* as("ada")(names(client))
      assert.deepStrictEqual((yield* names(client, { cursor })).names, ["d", "f"])
    }))

  it.effect("MUST NOT be called, with the error of one that does not exist", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(some), name)
      assert.deepStrictEqual(texts(yield* as("ada")(client.call("c"))), ["I am c"])
      for (const who of [undefined, "bob", "eve"]) {
        const hidden = yield* as(who)(client.error("tools/call", { name: "c" }))
        const unknown = yield* as(who)(client.error("tools/call", { name: "x" }))
        assert.deepStrictEqual(hidden, { ...unknown, message: unknown.message.replace("x", "c") })
      }
    }))

  it.effect("MUST NOT be told by the codes of older deployments either", () =>
    Effect.gen(function*() {
      const client = yield* Effect.provideService(
        speak(yield* serve(some), name),
        ErrorCodes,
        McpError.legacyNotFoundCodes
      )
      assert.deepStrictEqual(yield* client.error("tools/call", { name: "c" }), {
        code: -32002,
        message: "Unknown tool: c"
      })
    }))

  it.effect("whose predicate throws MUST fail the request as an internal error, and say why in the log only", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const broken = tool("broken", (principal) => {
          if (principal?.subject === "ada") return true
          throw new Error("secret")
        })
        const client = yield* speak(yield* serve(Layer.merge(tool("a"), broken)), name)
        const internal = { code: JsonRpc.INTERNAL_ERROR, message: "Internal error" }
        assert.deepStrictEqual(yield* client.error("tools/list"), internal)
        assert.deepStrictEqual(yield* client.error("tools/call", { name: "broken" }), internal)
        assert.lengthOf(lines.filter((line) => line.includes("secret")), 2)
        // The rest goes on.
        assert.deepStrictEqual(texts(yield* client.call("a")), ["I am a"])
        assert.deepStrictEqual((yield* as("ada")(names(client))).names, ["a", "broken"])
      })
    ))

  it.effect("MUST be told of by list_changed like any other", () =>
    Effect.gen(function*() {
      if (era === "stateless") return
      const server = yield* serve(tool("a"))
      const client = yield* speak(server, name)
      const scope = yield* Scope.make()
      yield* McpServer.addTool(Tool.make("b", {}), () => Effect.void, { visibleTo: () => false }).pipe(
        Effect.provideService(McpServer.McpServer, server),
        Scope.provide(scope)
      )
      yield* settle
      assert.lengthOf(client.heard, 1)
      assert.deepStrictEqual((yield* names(client)).names, ["a"])
      yield* Scope.close(scope, Exit.void)
      yield* settle
      assert.lengthOf(client.heard, 2)
    }))
})

describe.each(Revisions.all)("a hidden resource, template or prompt in $name", ({ name }) => {
  it.effect("MUST NOT be listed, nor read, nor got, with the errors of what does not exist", () =>
    Effect.gen(function*() {
      const text = () => Effect.succeed("secret")
      const hidden = { visibleTo: subject("ada") }
      const features = Layer.mergeAll(
        McpServer.resource(Resource.make({ name: "x", uri: "test://x" }), text, hidden),
        McpServer.resourceTemplate(Resource.template("secret://{id}", { name: "t" }), text, hidden),
        McpServer.prompt(Prompt.make("x"), text, hidden)
      )
      const client = yield* speak(yield* serve(features), name)
      const lists = [["resources/list", "resources"], ["resources/templates/list", "resourceTemplates"], [
        "prompts/list",
        "prompts"
      ]] as const
      for (const [method, member] of lists) {
        assert.deepStrictEqual((yield* client.result(method))[member], [])
        assert.lengthOf((yield* as("ada")(client.result(method)))[member] as ReadonlyArray<unknown>, 1)
      }
      const gets = [
        ["resources/read", { uri: "test://x" }, { uri: "test://y" }],
        ["resources/read", { uri: "secret://x" }, { uri: "secret://x/y" }],
        ["prompts/get", { name: "x" }, { name: "y" }]
      ] as const
      for (const [method, params, unknown] of gets) {
        yield* as("ada")(client.result(method, params))
        const told = yield* as("bob")(client.error(method, params))
        const nothing = yield* as("bob")(client.error(method, unknown))
        assert.strictEqual(told.code, nothing.code)
        assert.deepStrictEqual(Object.keys(told), Object.keys(nothing))
        assert.notInclude(JSON.stringify(told), "ada")
      }
    }))
})

describe("a list of which some is hidden", () => {
  const open = { caching: { ttl: 5, scope: "public" } } as const
  const scopeOf = (client: Client, params?: JsonRpc.Params) =>
    Effect.map(client.result("tools/list", params), ({ cacheScope, ttlMs }) => ({ cacheScope, ttlMs }))

  it.effect("MUST be private, whoever asks and whichever page, and public again when nothing is hidden", () =>
    Effect.gen(function*() {
      const server = yield* serve(Layer.merge(tool("a"), tool("d")), { ...open, pageSize: 1 })
      const client = yield* speak(server, "2026-07-28")
      assert.deepStrictEqual(yield* scopeOf(client), { cacheScope: "public", ttlMs: 5 })
      const scope = yield* Scope.make()
      yield* McpServer.addTool(Tool.make("b", {}), () => Effect.void, { visibleTo: subject("ada") }).pipe(
        Effect.provideService(McpServer.McpServer, server),
        Scope.provide(scope)
      )
      for (const who of [undefined, "ada", "bob"]) {
        assert.deepStrictEqual(yield* as(who)(scopeOf(client)), { cacheScope: "private", ttlMs: 5 })
        const { nextCursor: cursor } = yield* as(who)(names(client))
        assert.deepStrictEqual(yield* as(who)(scopeOf(client, { cursor })), { cacheScope: "private", ttlMs: 5 })
      }
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* scopeOf(client), { cacheScope: "public", ttlMs: 5 })
    }))

  it.effect("MUST be written once for all who see the same", () =>
    Effect.gen(function*() {
      const { connection } = yield* speak(yield* serve(some), "2026-07-28")
      const text = (who: string | undefined) =>
        Effect.map(
          as(who)(connection.request(JsonRpc.request(1, "tools/list", { _meta: meta() }), recorder([]))),
          (response) => response._tag === "Success" ? response.result : assert.fail("an error")
        )
      const [ada, bob, eve, nobody, again] = [
        yield* text("ada"),
        yield* text("bob"),
        yield* text("eve"),
        yield* text(undefined),
        yield* text("ada")
      ]
      assert.strictEqual(ada, again)
      assert.strictEqual(eve, nobody)
      assert.lengthOf(new Set([ada, bob, eve]), 3)
    }))
})
