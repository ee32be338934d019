/** What is listed of prompts, to whom, and who hears that the list has changed. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as McpServer from "@mcp-effect/server/McpServer"
import type * as Registry from "@mcp-effect/server/Registry"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { connect, hello, serve, speak } from "./client.ts"
import { acknowledged, settle, tag, told } from "./listening.ts"

const icons = [{ src: "https://example.com/a.png" }]

const Whole = Prompt.make("whole", {
  title: "The title",
  description: "What it is",
  icons,
  meta: { m: 1 },
  arguments: {
    city: Schema.String.annotate({ title: "City", description: "Where" }),
    days: Schema.optionalKey(Schema.NumberFromString)
  }
})

const named = (name: string, options?: Registry.Visibility) =>
  McpServer.prompt(Prompt.make(name), () => Effect.succeed("hi"), options)

const namesOf = (result: JsonRpc.Params) => (result.prompts as ReadonlyArray<{ name: string }>).map(({ name }) => name)

const add = (server: McpServer.McpServer["Service"], name: string) =>
  Effect.provideService(
    McpServer.addPrompt(Prompt.make(name), () => Effect.succeed("hi")),
    McpServer.McpServer,
    server
  )

const changed = JsonRpc.notification("notifications/prompts/list_changed")

const since = { title: "2025-06-18", icons: "2025-11-25" }

describe.each(Revisions.all.map(({ name }) => name))("in %s", (revision) => {
  it.effect("prompts/list MUST have the members that the revision has, and no others", () =>
    Effect.gen(function*() {
      const server = yield* serve(Layer.merge(McpServer.prompt(Whole, () => Effect.succeed("")), named("bare")))
      const { prompts } = yield* (yield* speak(server, revision)).result("prompts/list")
      assert.deepStrictEqual(prompts, [{ name: "bare" }, {
        name: "whole",
        description: "What it is",
        arguments: [
          {
            name: "city",
            description: "Where",
            required: true,
            ...(revision >= since.title ? { title: "City" } : {})
          },
          { name: "days", required: false }
        ],
        ...(revision >= since.title ? { title: "The title", _meta: { m: 1 } } : {}),
        ...(revision >= since.icons ? { icons } : {})
      }])
    }))

  it.effect("a server without prompts MUST NOT have their methods", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(), revision)
      for (const method of ["prompts/list", "prompts/get"]) {
        assert.strictEqual((yield* client.error(method, { name: "a" })).code, JsonRpc.METHOD_NOT_FOUND)
      }
    }))
})

describe("the capability", () => {
  const capabilities = (layer: Parameters<typeof serve>[0], options?: Partial<McpServer.Options>) =>
    Effect.gen(function*() {
      const server = yield* serve(layer, options)
      const greeted = yield* (yield* connect(server)).result("initialize", hello("2025-11-25"))
      const discovered = yield* (yield* speak(server, "2026-07-28")).result("server/discover")
      return [greeted, discovered].map(({ capabilities }) => (capabilities as JsonRpc.Params).prompts)
    })

  it.effect("MUST be declared with a prompt, and where the options say so", () =>
    Effect.gen(function*() {
      const declared = Array.from({ length: 2 }, () => ({ listChanged: true }))
      assert.deepStrictEqual(yield* capabilities(named("a")), declared)
      assert.deepStrictEqual(yield* capabilities(Layer.empty, { declare: ["prompts"] }), declared)
      assert.deepStrictEqual(yield* capabilities(Layer.empty), [undefined, undefined])
    }))

  it.effect("declared ahead MUST give an empty list", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(Layer.empty, { declare: ["prompts"] }), "2025-11-25")
      assert.deepStrictEqual(yield* client.result("prompts/list"), { prompts: [] })
    }))
})

describe("prompts/list", () => {
  it.effect("MUST come in pages, in the order of the names", () =>
    Effect.gen(function*() {
      const server = yield* serve(Layer.mergeAll(named("c"), named("a"), named("b")), { pageSize: 2 })
      const client = yield* speak(server, "2026-07-28")
      const first = yield* client.result("prompts/list")
      assert.deepStrictEqual(namesOf(first), ["a", "b"])
      const second = yield* client.result("prompts/list", { cursor: first.nextCursor })
      assert.deepStrictEqual(namesOf(second), ["c"])
      assert.notProperty(second, "nextCursor")
      assert.strictEqual((yield* client.error("prompts/list", { cursor: "x" })).code, JsonRpc.INVALID_PARAMS)
    }))

  it.effect("MUST NOT have what is for others, which MUST NOT be kept for everybody, nor be there to get", () =>
    Effect.gen(function*() {
      const forAda = { visibleTo: (principal: Principal.Principal | undefined) => principal?.subject === "ada" }
      const server = yield* serve(Layer.merge(named("open"), named("secret", forAda)), { caching: { scope: "public" } })
      const client = yield* speak(server, "2026-07-28")
      const ada = Effect.provideService(Principal.Principal, Principal.make({ subject: "ada" }))
      const listed = yield* client.result("prompts/list")
      assert.deepStrictEqual(namesOf(listed), ["open"])
      assert.strictEqual(listed.cacheScope, "private")
      assert.deepStrictEqual(namesOf(yield* ada(client.result("prompts/list"))), ["open", "secret"])
      assert.deepStrictEqual(yield* client.error("prompts/get", { name: "secret" }), {
        code: JsonRpc.INVALID_PARAMS,
        message: "Unknown prompt: secret"
      })
      assert.property(yield* ada(client.result("prompts/get", { name: "secret" })), "messages")
    }))
})

describe("notifications/prompts/list_changed", () => {
  it.effect("MUST tell a session of a prompt that was added, and of one that has gone", () =>
    Effect.gen(function*() {
      const server = yield* serve(named("a"))
      const client = yield* speak(server, "2025-11-25")
      const scope = yield* Scope.make()
      yield* Scope.provide(add(server, "b"), scope)
      yield* settle
      assert.deepStrictEqual(client.heard, [changed])
      yield* Scope.close(scope, Exit.void)
      yield* settle
      assert.deepStrictEqual(client.heard, [changed, changed])
      assert.deepStrictEqual(namesOf(yield* client.result("prompts/list")), ["a"])
    }))

  it.effect("MUST tell a session of nothing that it was not told of", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const client = yield* speak(server, "2025-11-25")
      yield* add(server, "b")
      yield* settle
      assert.deepStrictEqual(client.heard, [])
    }))

  it.effect("MUST tell who listens for it, and nobody who does not", () =>
    Effect.gen(function*() {
      const server = yield* serve(named("a"))
      const hearing = yield* told(server, { promptsListChanged: true })
      const others = yield* told(server, { toolsListChanged: true, promptsListChanged: false })
      yield* add(server, "b")
      yield* settle
      assert.deepStrictEqual(hearing.heard, [
        acknowledged({ promptsListChanged: true }),
        JsonRpc.notification(changed.method, { _meta: tag })
      ])
      assert.deepStrictEqual(others.heard, [acknowledged({})])
    }))
})

describe("registering", () => {
  it.effect.each([
    { what: "a name that is empty", layer: named(""), says: "1 to 128 characters" },
    { what: "a name that is too long", layer: named("a".repeat(129)), says: "1 to 128 characters" },
    {
      what: "a name that is taken",
      layer: Layer.mergeAll(named("a"), named("a")),
      says: "already"
    },
    {
      what: "an argument that cannot be text",
      layer: McpServer.prompt(
        // Sound: what the compiler refuses too.
        Prompt.make("p", { arguments: { n: Schema.Number as unknown as typeof Schema.String } }),
        () => Effect.succeed("")
      ),
      says: "The argument \"n\" of prompt \"p\" must be text"
    },
    {
      what: "a completer of an argument that does not exist",
      layer: McpServer.prompt(Prompt.dynamic("p", { arguments: [{ name: "a" }] }), () => Effect.succeed(""), {
        complete: { b: () => Effect.succeed([]) }
      }),
      says: "has no argument \"b\" to complete"
    }
  ])("$what MUST fail the layer, and say so", ({ layer, says }) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(serve(layer))
      assert.strictEqual(error.kind, "prompt")
      assert.include(error.message, says)
    }))
})
