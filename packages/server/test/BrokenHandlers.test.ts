/** Handlers and middleware that break their contract: the client gets a typed error, the log the reason, nobody else anything. */
import { assert, describe, it } from "@effect/vitest"
import * as Content from "@mcp-effect/protocol/Content"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import { TransportError } from "@mcp-effect/protocol/Peer"
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Changes from "@mcp-effect/server/Changes"
import type { Completer } from "@mcp-effect/server/Completer"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Middleware from "@mcp-effect/server/Middleware"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { hello, recorder, serve, speak } from "./client.ts"
import { complete, ofPrompt } from "./completing.ts"
import { settle } from "./listening.ts"
import { logged } from "./log.ts"
import { client, NOTE, note, readError } from "./resources.ts"

const internal: JsonRpc.ErrorObject = { code: JsonRpc.INTERNAL_ERROR, message: "Internal error" }

describe("what is no reply", () => {
  const odd: ReadonlyArray<readonly [what: string, made: Effect.Effect<unknown, unknown>]> = [
    ["nothing", Effect.void],
    ["null", Effect.succeed(null)],
    ["a text", Effect.succeed("secret")],
    ["a list", Effect.succeed(["secret"])],
    ["a failure that is a text", Effect.fail("secret")],
    ["a failure that is an error", Effect.fail(new Error("secret"))]
  ]
  const around = (made: Effect.Effect<unknown, unknown>) =>
    Middleware.make("odd", ({ method }, next) =>
      // Sound: that it is not is the point.
      method === "resources/list" ? made as Effect.Effect<JsonRpc.Params> : next())

  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    it.effect.each(odd)(
      `MUST be told as an internal error, and logged, in ${revision}: %s`,
      ([_, made]) =>
        logged((lines) =>
          Effect.gen(function*() {
            const server = yield* serve(note(() => Effect.succeed("a")), { middleware: [around(made)] })
            const { error } = yield* speak(server, revision)
            assert.deepStrictEqual(yield* error("resources/list"), internal)
            assert.lengthOf(lines.filter((line) => line.startsWith("Error The handler of resources/list failed")), 1)
          })
        )
    )
  }
})

describe("an error", () => {
  it.effect.each([Number.NaN, 1.5, Number.POSITIVE_INFINITY])(
    "MUST NOT have the code %d, which is none",
    (code) =>
      Effect.gen(function*() {
        const broken = yield* client(note(() => Effect.fail(new McpError.RemoteError({ code, message: "m" }))))
        assert.deepStrictEqual(yield* readError(broken), { code: JsonRpc.INTERNAL_ERROR, message: "m" })
      })
  )
})

describe("a list", () => {
  it.effect("MUST NOT be changed for others by middleware that changes what it is given", () =>
    logged(() =>
      Effect.gen(function*() {
        let evil = true
        const adds = Middleware.make("adds", ({ method }, next) =>
          Effect.map(next(), (result) => {
            // Sound: that it is not is the point.
            if (evil && method === "resources/list") (result.resources as Array<unknown>).push({ uri: "evil:" })
            return result
          }))
        const { error, result } = yield* speak(
          yield* serve(note(() => Effect.succeed("a")), { middleware: [adds] }),
          "2025-11-25"
        )
        assert.deepStrictEqual(yield* error("resources/list"), internal)
        evil = false
        assert.deepStrictEqual(yield* result("resources/list"), { resources: [{ uri: NOTE, name: "a" }] })
      })
    ))

  it.effect("MUST NOT hold what cannot be written: that is refused when it is registered", () =>
    Effect.gen(function*() {
      const refuses = (layer: Parameters<typeof serve>[0], what: RegExp) =>
        Effect.map(Effect.flip(serve(layer)), ({ message }) => assert.match(message, what))
      const text = () => Effect.succeed("x")
      yield* refuses(McpServer.prompt(Prompt.make("a", { meta: { a: 1n } }), text), /prompt "a" cannot be listed/)
      yield* refuses(
        McpServer.resource(Resource.make({ uri: NOTE, name: "a", annotations: { priority: 2 } }), text),
        /priority must be from 0 to 1, and is 2/
      )
      yield* refuses(McpServer.prompt(Prompt.make("\uD800"), text), /ill-formed/)
      yield* refuses(McpServer.extension({ id: "com.example/x", settings: { a: 1n } }), /settings of com.example\/x/)
    }))
})

describe("contents", () => {
  const odd: ReadonlyArray<readonly [what: string, contents: object]> = [
    ["text and a blob", { uri: NOTE, text: "a", blob: "AAAA" }],
    ["a blob that is not base64", { uri: NOTE, blob: "not base64" }],
    ["a blob without its padding", { uri: NOTE, blob: "AA" }],
    ["a blob in base64url", { uri: NOTE, blob: "-_-_" }]
  ]
  it.effect.each(odd)("MUST NOT be %s", ([_, contents]) =>
    logged((lines) =>
      Effect.gen(function*() {
        // Sound: that it is not is the point.
        const broken = yield* client(note(() => Effect.succeed(contents as Resource.Contents)))
        assert.deepStrictEqual(yield* readError(broken), internal)
        assert.include(lines.join(), NOTE)
      })
    ))

  it.effect("MUST be base64 in a prompt too", () =>
    logged((lines) =>
      Effect.gen(function*() {
        for (
          const content of [
            Content.image({ data: "no!", mimeType: "image/png" }),
            Content.audio({ data: "no!", mimeType: "audio/wav" }),
            Content.resource({ uri: NOTE, blob: "no!" })
          ]
        ) {
          const broken = yield* client(McpServer.prompt(Prompt.make("p"), () => Effect.succeed(content)))
          assert.deepStrictEqual(yield* broken.error("prompts/get", { name: "p" }), internal)
        }
        assert.lengthOf(lines.filter((line) => line.includes("is not base64")), 3)
      })
    ))
})

describe("a completer", () => {
  // Sound: that it is not is the point.
  const completing = (yielded: unknown) =>
    client(
      McpServer.prompt(Prompt.make("p", { arguments: { a: Schema.String } }), () => Effect.succeed(""), {
        complete: { a: (() => Effect.succeed(yielded)) as Completer }
      })
    )
  const params = ofPrompt("p", { name: "a", value: "" })

  it.effect.each([[1, 2], ["a", null], { values: "abc" }, { values: [1n] }, undefined, "abc"])(
    "that yields what is no list of texts MUST be told as an internal error, and logged",
    (yielded) =>
      logged((lines) =>
        Effect.gen(function*() {
          const broken = yield* completing(yielded)
          assert.deepStrictEqual(yield* broken.error("completion/complete", params), internal)
          assert.lengthOf(lines, 1)
        })
      )
  )

  it.effect("that counts to no number MUST NOT have that number sent", () =>
    Effect.gen(function*() {
      const counted = (total: number) =>
        Effect.flatMap(completing({ values: ["a"], total }), (client) => complete(client, params))
      assert.deepStrictEqual(yield* counted(Number.POSITIVE_INFINITY), { values: ["a"], hasMore: true })
      for (const total of [Number.NaN, 1.5, -1]) {
        assert.deepStrictEqual(yield* counted(total), { values: ["a"], total: 1, hasMore: false })
      }
    }))
})

describe("progress", () => {
  it.effect("of no known total MUST be sent without one", () =>
    Effect.gen(function*() {
      const totals = [Number.POSITIVE_INFINITY, Number.NaN]
      const tool = McpServer.tool(Tool.make("t", {}), () =>
        Effect.asVoid(Effect.forEach(totals, (total, index) => Progress.report({ progress: index, total }))))
      const client = yield* speak(yield* serve(tool), "2025-11-25")
      yield* client.call("t", {}, { progressToken: 7 })
      assert.deepStrictEqual(
        client.tied.map(({ params }) =>
          params
        ),
        totals.map((_, progress) => ({ progressToken: 7, progress }))
      )
    }))
})

describe("changes", () => {
  it.effect("that can be told to nobody MUST NOT undo a registration, nor its end", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const away = Layer.succeed(Changes.Changes, {
          publish: () => Effect.die(new Error("away")),
          observe: () => () => {}
        })
        const server = yield* Effect.provide(serve(Layer.empty, { declare: ["resources"] }), away)
        const scope = Scope.makeUnsafe()
        yield* McpServer.addResource(Resource.make({ uri: NOTE, name: "a" }), () => Effect.succeed("a")).pipe(
          Effect.provideService(McpServer.McpServer, server),
          Scope.provide(scope)
        )
        assert.lengthOf(server.resources.all(), 1)
        yield* Scope.close(scope, Exit.void)
        assert.lengthOf(server.resources.all(), 0)
        assert.lengthOf(lines.filter((line) => line.startsWith("Error Nobody was told")), 2)
      })
    ))

  it.effect.each([
    Effect.fail(new TransportError({ reason: "too large", processed: "no", message: "too large" })),
    Effect.die(new Error("broken"))
  ])("that could not be sent MUST be logged", (notify) =>
    logged((lines) =>
      Effect.gen(function*() {
        const server = yield* serve(note(() => Effect.succeed("a")))
        const back = { ...recorder([]), notify: () => notify }
        const connection = yield* server.connect(back)
        yield* connection.request(JsonRpc.request(0, "initialize", hello("2025-11-25")), back)
        yield* connection.notify(JsonRpc.notification("notifications/initialized"))
        yield* server.changes.publish(Changes.resources)
        yield* settle
        assert.lengthOf(
          lines.filter((line) => /^Warn A client was not told of .*resources\/list_changed/.test(line)),
          1
        )
      })
    ))
})
