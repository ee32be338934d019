/** What a prompt is given, what it is made of, and how it fails. */
import { assert, describe, it } from "@effect/vitest"
import * as Content from "@mcp-effect/protocol/Content"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import { ErrorCodes } from "@mcp-effect/server/ErrorCodes"
import { InputFailed } from "@mcp-effect/server/Input"
import * as McpServer from "@mcp-effect/server/McpServer"
import type * as PromptHandler from "@mcp-effect/server/PromptHandler"
import * as RequestContext from "@mcp-effect/server/RequestContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { type Client, serve, speak } from "./client.ts"
import { logged } from "./log.ts"

const Simple = Prompt.make("simple", { description: "A simple one" })

const simple = (returned: Effect.Effect<unknown, unknown>, revision: Revision.Name = "2025-11-25") =>
  // Sound: what a handler may not return is for some of these tests to return.
  Effect.flatMap(
    serve(McpServer.prompt(Simple, () => returned as Effect.Effect<PromptHandler.Returned, unknown>)),
    (server) => speak(server, revision)
  )

const get = (client: Client, name = "simple", args?: JsonRpc.Params) =>
  client.result("prompts/get", args === undefined ? { name } : { name, arguments: args })

const text = (text: string, role = "user") => ({ role, content: { type: "text", text } })

describe.each(Revisions.all.map(({ name }) => name))("in %s", (revision) => {
  it.effect("content MUST be of kinds that the revision has", () =>
    Effect.gen(function*() {
      const audio = Content.audio({ data: "AA==", mimeType: "audio/wav" })
      const link = Content.resourceLink({ uri: "a:b", name: "b" })
      const others = [
        Content.text("t", { annotations: { priority: 1 } }),
        Content.image({ data: new Uint8Array([0]), mimeType: "image/png" }),
        Content.resource({ uri: "a:c", text: "c" })
      ]
      const client = yield* simple(Effect.succeed([audio, link, ...others]), revision)
      const { description, messages } = yield* get(client)
      assert.strictEqual(description, "A simple one")
      assert.deepStrictEqual(
        messages,
        [
          revision >= "2025-03-26"
            ? audio
            : Content.resource({ uri: "attachment:audio", mimeType: "audio/wav", blob: "AA==" }),
          revision >= "2025-06-18" ? link : Content.text("b: a:b"),
          ...others
        ].map((content) => ({ role: "user", content }))
      )
    }))

  it.effect("a prompt that does not exist MUST be answered with -32602", () =>
    Effect.gen(function*() {
      const client = yield* simple(Effect.succeed(""), revision)
      const error = { code: JsonRpc.INVALID_PARAMS, message: "Unknown prompt: nothing" }
      assert.deepStrictEqual(yield* client.error("prompts/get", { name: "nothing" }), error)
      assert.strictEqual((yield* client.error("prompts/get", {})).code, JsonRpc.INVALID_PARAMS)
    }))
})

describe("a prompt that does not exist", () => {
  it.effect("MUST be answered with the code of older deployments where that profile is set: -32003", () =>
    Effect.gen(function*() {
      const client = yield* Effect.provideService(simple(Effect.succeed("")), ErrorCodes, McpError.legacyNotFoundCodes)
      assert.strictEqual((yield* client.error("prompts/get", { name: "nothing" })).code, -32003)
    }))
})

describe("what a handler returns", () => {
  it.effect.each<{ what: string; returned: PromptHandler.Returned; messages: unknown; more?: JsonRpc.Params }>([
    { what: "text", returned: "a", messages: [text("a")] },
    { what: "content", returned: Content.text("a"), messages: [text("a")] },
    { what: "a message", returned: Prompt.assistant("a"), messages: [text("a", "assistant")] },
    {
      what: "several of these",
      returned: ["a", Prompt.assistant("b"), Content.text("c")],
      messages: [text("a"), text("b", "assistant"), text("c")]
    },
    { what: "nothing", returned: [], messages: [] },
    {
      what: "messages with a description and _meta",
      returned: { description: "now", messages: ["a"], meta: { m: 1 } },
      messages: [text("a")],
      more: { description: "now", _meta: { m: 1 } }
    },
    { what: "messages alone", returned: { messages: [] }, messages: [] }
  ])("as $what MUST be messages", ({ messages, more, returned }) =>
    Effect.gen(function*() {
      const result = yield* get(yield* simple(Effect.succeed(returned)))
      assert.deepStrictEqual(result, { description: "A simple one", messages, ...more })
    }))

  it.effect("MUST have no description where the definition has none", () =>
    Effect.gen(function*() {
      const server = yield* serve(McpServer.prompt(Prompt.make("bare"), () => Effect.succeed("a")))
      assert.deepStrictEqual(yield* get(yield* speak(server, "2025-11-25"), "bare"), { messages: [text("a")] })
    }))

  it.effect.each([
    { what: "no message", returned: 1 },
    { what: "nothing at all", returned: undefined },
    { what: "a message of nobody", returned: { role: "system", content: Content.text("a") } },
    { what: "content of no kind", returned: [{ type: "video" }] },
    { what: "what JSON cannot hold", returned: { messages: [], meta: { n: 1n } } }
  ])(
    "as $what MUST be a defect, of which only the log tells",
    ({ returned }) =>
      logged((lines) =>
        Effect.gen(function*() {
          const client = yield* simple(Effect.succeed(returned))
          assert.deepStrictEqual(yield* client.error("prompts/get", { name: "simple" }), {
            code: JsonRpc.INTERNAL_ERROR,
            message: "Internal error"
          })
          assert.lengthOf(lines, 1)
        })
      )
  )
})

describe("arguments", () => {
  const Typed = Prompt.make("typed", {
    arguments: {
      days: Schema.NumberFromString.check(Schema.isGreaterThan(0)),
      unit: Schema.optionalKey(Schema.Literals(["c", "f"]))
    }
  })

  const typed = Effect.flatMap(
    serve(Layer.merge(
      McpServer.prompt(Typed, ({ days, unit = "c" }) => Effect.succeed(`${days + 1} ${unit}`)),
      McpServer.prompt(
        Prompt.dynamic("free", { arguments: [{ name: "a", required: true }] }),
        (args) => Effect.succeed(JSON.stringify(args))
      )
    )),
    (server) => speak(server, "2025-11-25")
  )

  it.effect("MUST be given to the handler decoded", () =>
    Effect.gen(function*() {
      const client = yield* typed
      assert.deepStrictEqual((yield* get(client, "typed", { days: "2", unit: "f" })).messages, [text("3 f")])
      assert.deepStrictEqual((yield* get(client, "typed", { days: "2" })).messages, [text("3 c")])
      assert.deepStrictEqual((yield* get(client, "free", { a: "b", c: "d" })).messages, [
        text("{\"a\":\"b\",\"c\":\"d\"}")
      ])
    }))

  it.effect.each([
    { what: "that are missing", name: "typed", args: undefined, says: ["days"] },
    { what: "that do not fit", name: "typed", args: { days: "0", unit: "k" }, says: ["days", "unit"] },
    { what: "that are no texts", name: "typed", args: { days: 1 }, says: ["days"] },
    { what: "that are no record", name: "typed", args: ["1"], says: ["typed"] },
    { what: "of a dynamic prompt that are missing", name: "free", args: {}, says: ["\"a\""] }
  ])("$what MUST be refused with -32602, by name", ({ args, name, says }) =>
    Effect.gen(function*() {
      const error = yield* (yield* typed).error(
        "prompts/get",
        args === undefined ? { name } : { name, arguments: args }
      )
      assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
      assert.include(error.message, `Invalid arguments for prompt ${name}: `)
      for (const part of says) assert.include(error.message, part)
    }))
})

describe("what a handler fails with", () => {
  class Custom extends Schema.TaggedError<Custom>()("Custom", { message: Schema.String }) {}

  it.effect.each([
    {
      what: "an error of the protocol",
      error: new McpError.InvalidParams({ message: "Not like this" }),
      reply: { code: JsonRpc.INVALID_PARAMS, message: "Not like this" }
    },
    {
      what: "an error with a message",
      error: new Custom({ message: "It is raining" }),
      reply: { code: JsonRpc.INTERNAL_ERROR, message: "It is raining" }
    },
    {
      what: "what comes of asking",
      error: new InputFailed({ reason: "refused", message: "No answer" }),
      reply: { code: JsonRpc.INTERNAL_ERROR, message: "No answer" }
    },
    {
      what: "anything else",
      error: { a: 1 },
      reply: { code: JsonRpc.INTERNAL_ERROR, message: "The prompt simple could not be made" }
    }
  ])("if it is $what MUST be the reply", ({ error, reply }) =>
    Effect.gen(function*() {
      const client = yield* simple(Effect.fail(error))
      assert.deepStrictEqual(yield* client.error("prompts/get", { name: "simple" }), reply)
    }))

  it.effect("if it is a defect MUST be told to the log alone", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const client = yield* simple(Effect.die(new Error("secret")))
        const { message } = yield* client.error("prompts/get", { name: "simple" })
        assert.strictEqual(message, "Internal error")
        assert.include(lines.join("\n"), "secret")
      })
    ))
})

describe("a handler", () => {
  class Words extends Context.Service<Words, string>()("test/Words") {}

  it.effect("MUST run in the context of its layer, with a scope and a request of its own", () =>
    Effect.gen(function*() {
      const closed = yield* Ref.make(0)
      const layer = McpServer.prompt(Simple, () =>
        Effect.gen(function*() {
          yield* Effect.addFinalizer(() => Ref.update(closed, (n) => n + 1))
          yield* Progress.report({ progress: 1 })
          const { method } = yield* RequestContext.current
          return `${yield* Words} ${method}`
        })).pipe(Layer.provide(Layer.succeed(Words, "words")))
      const client = yield* speak(yield* serve(layer), "2025-11-25")
      const result = yield* client.result("prompts/get", { name: "simple", _meta: { progressToken: 7 } })
      assert.deepStrictEqual(result.messages, [text("words prompts/get")])
      assert.strictEqual(yield* Ref.get(closed), 1)
      assert.deepStrictEqual(client.tied.map(({ params }) => params), [{ progressToken: 7, progress: 1 }])
    }))

  it.effect.each([["2025-11-25", -32600], ["2026-07-28", -32021]] as const)(
    "MUST NOT run for a client without what the prompt needs (%s)",
    ([revision, code]) =>
      Effect.gen(function*() {
        const Needy = Prompt.make("needy", { needs: { sampling: {} } })
        const server = yield* serve(McpServer.prompt(Needy, () => Effect.succeed("ran")))
        const error = yield* (yield* speak(server, revision)).error("prompts/get", { name: "needy" })
        assert.strictEqual(error.code, code)
        assert.include(error.message, "The prompt needy needs")
        assert.property(yield* get(yield* speak(server, revision, { sampling: {} }), "needy"), "messages")
      })
  )

  it.effect("MUST be able to ask the client, in a round of the call", () =>
    Effect.gen(function*() {
      const Name = Elicitation.form({ message: "Who?", fields: { name: Schema.String } })
      const server = yield* serve(
        McpServer.prompt(Simple, () =>
          Effect.map(
            ClientInput.elicit(Name, { key: "who" }),
            (answer) => answer._tag === "Accept" ? `Hi ${answer.content.name}` : "Nobody"
          ))
      )
      const client = yield* speak(server, "2026-07-28", { elicitation: { form: {} } })
      const round = yield* get(client)
      assert.strictEqual(round.resultType, "input_required")
      const done = yield* client.result("prompts/get", {
        name: "simple",
        requestState: round.requestState,
        inputResponses: { who: { action: "accept", content: { name: "Ada" } } }
      })
      assert.deepStrictEqual(done.messages, [text("Hi Ada")])
    }))
})
