/** What a completer knows, and what comes of it when it fails or goes. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as RequestContext from "@mcp-effect/server/RequestContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { serve, speak } from "./client.ts"
import { byPrefix, client, complete, none, ofPrompt, ofResource, Review, whole } from "./completing.ts"
import { logged } from "./log.ts"

describe("a completer", () => {
  class Words extends Context.Service<Words, ReadonlyArray<string>>()("test/Words") {}
  class Suffix extends Context.Service<Suffix, string>()("test/Suffix") {}

  it.effect("MUST run in the context of its layer, and know the request", () =>
    Effect.gen(function*() {
      const layer = McpServer.prompt(Review, () => Effect.succeed(""), {
        complete: {
          language: () => Words,
          framework: () => Effect.map(Suffix, (suffix) => [suffix]),
          notes: () =>
            Effect.map(RequestContext.current, ({ method, principal }) => [method, principal?.subject ?? "nobody"])
        }
      }).pipe(Layer.provide(Layer.succeed(Words, ["a"])), Layer.provide(Layer.succeed(Suffix, "b")))
      const asking = yield* client(layer)
      const of = (name: string) => complete(asking, ofPrompt("review", { name, value: "" }))
      assert.deepStrictEqual(yield* of("language"), whole(["a"]))
      assert.deepStrictEqual(yield* of("framework"), whole(["b"]))
      const principal = Effect.provideService(Principal.Principal, Principal.make({ subject: "ada" }))
      assert.deepStrictEqual(yield* principal(of("notes")), whole(["completion/complete", "ada"]))
    }))

  it.effect("of a variable MUST run in the context of its layer, whatever the others need", () =>
    Effect.gen(function*() {
      const layer = McpServer.resourceTemplate(
        Resource.template("a:{b}/{c}", { name: "a" }),
        () => Effect.succeed(""),
        {
          complete: { b: () => Words, c: () => Effect.map(Suffix, (suffix) => [suffix]) }
        }
      ).pipe(Layer.provide(Layer.succeed(Words, ["a"])), Layer.provide(Layer.succeed(Suffix, "b")))
      const asking = yield* client(layer)
      const of = (name: string) => complete(asking, ofResource("a:{b}/{c}", { name, value: "" }))
      assert.deepStrictEqual([yield* of("b"), yield* of("c")], [whole(["a"]), whole(["b"])])
    }))

  const failing = (failure: Effect.Effect<never, unknown>) =>
    Effect.flatMap(
      client(McpServer.prompt(Review, () => Effect.succeed(""), { complete: { language: () => failure } })),
      (asking) => asking.error("completion/complete", ofPrompt("review", { name: "language", value: "" }))
    )

  it.effect("that fails MUST be answered with its error, or its message", () =>
    Effect.gen(function*() {
      const invalid = new McpError.InvalidParams({ message: "Not now" })
      assert.deepStrictEqual(yield* failing(Effect.fail(invalid)), { code: JsonRpc.INVALID_PARAMS, message: "Not now" })
      const internal = { code: JsonRpc.INTERNAL_ERROR, message: "no words" }
      assert.deepStrictEqual(yield* failing(Effect.fail(new Error("no words"))), internal)
      const { message } = yield* failing(Effect.fail(undefined))
      assert.strictEqual(message, "The argument \"language\" of the prompt review could not be completed")
    }))

  it.effect("that dies MUST be told of in the log alone", () =>
    logged((lines) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* failing(Effect.die(new Error("secret")))).message, "Internal error")
        assert.include(lines.join("\n"), "secret")
      })
    ))

  it.effect("MUST be heard by a client that wants its log", () =>
    Effect.gen(function*() {
      const layer = McpServer.prompt(Review, () => Effect.succeed(""), {
        complete: { language: () => Effect.as(Effect.logInfo("looking"), []) }
      })
      const asking = yield* client(Layer.merge(layer, McpServer.logging()))
      yield* complete(asking, ofPrompt("review", { name: "language", value: "" }))
      assert.deepStrictEqual(asking.tied.map(({ method, params }) => [method, params?.level]), [
        ["notifications/message", "info"]
      ])
    }))

  it.effect("that has gone MUST leave the method to sessions that were told of it", () =>
    Effect.gen(function*() {
      const server = yield* serve(none)
      const before = yield* speak(server, "2025-11-25")
      const scope = yield* Scope.make()
      yield* McpServer.addPrompt(Review, () => Effect.succeed(""), { complete: { language: byPrefix } }).pipe(
        Scope.provide(scope),
        Effect.provideService(McpServer.McpServer, server)
      )
      const during = yield* speak(server, "2025-11-25")
      const params = ofPrompt("none", { name: "a", value: "" })
      assert.deepStrictEqual(yield* complete(during, params), whole([]))
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* complete(during, params), whole([]))
      assert.strictEqual((yield* before.error("completion/complete", params)).code, JsonRpc.METHOD_NOT_FOUND)
    }))
})
