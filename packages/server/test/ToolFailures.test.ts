/** How calls fail: what the model, and a typed client, may read of it, and what only the log may. */
import { assert, describe, it } from "@effect/vitest"
import * as Duplex from "@mcp-effect/protocol/Duplex"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Outbox from "@mcp-effect/protocol/Outbox"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ToolResult from "@mcp-effect/protocol/ToolResult"
import * as McpServer from "@mcp-effect/server/McpServer"
import type { ToolHandler } from "@mcp-effect/server/ToolHandler"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Stream from "effect/Stream"
import { meta, serve, speak, texts } from "./client.ts"
import { logged } from "./log.ts"

const calling = <T extends Tool.Tool>(tool: T, handler: ToolHandler<T, never>, args?: JsonRpc.Params) =>
  Effect.gen(function*() {
    const client = yield* speak(yield* serve(McpServer.tool(tool, handler)), "2025-11-25")
    return yield* client.call(tool.name, args)
  })

class NoSuchCity extends Schema.TaggedError<NoSuchCity>()("NoSuchCity", { city: Schema.String, seen: Schema.Date }) {
  override get message() {
    return `There is no city named ${this.city}`
  }
}

class Plain extends Data.TaggedError("Plain")<{ readonly secret: string }> {}

describe("a failure that the tool declares", () => {
  const Weather = Tool.make("weather", { output: Schema.Int, failure: NoSuchCity })

  it.effect("MUST be a result with its message for the model, and itself as JSON for a typed client", () =>
    Effect.gen(function*() {
      const failure = new NoSuchCity({ city: "Atlantis", seen: new Date(0) })
      assert.deepStrictEqual(yield* calling(Weather, () => Effect.fail(failure)), {
        content: [{ type: "text", text: "There is no city named Atlantis" }],
        isError: true,
        _meta: {
          [ToolResult.FAILURE]: { _tag: "NoSuchCity", city: "Atlantis", seen: "1970-01-01T00:00:00.000Z" }
        }
      })
    }))

  it.effect("without a message MUST be its JSON for the model", () =>
    Effect.gen(function*() {
      const Coded = Tool.make("coded", { failure: Schema.Struct({ code: Schema.Int }) })
      assert.deepStrictEqual(yield* calling(Coded, () => Effect.fail({ code: 7 })), {
        content: [{ type: "text", text: "{\"code\":7}" }],
        isError: true,
        _meta: { [ToolResult.FAILURE]: { code: 7 } }
      })
    }))

  it.effect("with a tag but without a message MUST be the tag and the fields for the model", () =>
    Effect.gen(function*() {
      class NoSuchNote extends Schema.TaggedError<NoSuchNote>()("NoSuchNote", { id: Schema.Int }) {}
      const result = yield* calling(
        Tool.make("note", { failure: NoSuchNote }),
        () => Effect.fail(new NoSuchNote({ id: 99 }))
      )
      assert.deepStrictEqual(result.content, [{ type: "text", text: "NoSuchNote: {\"id\":99}" }])
    }))

  it.effect("of a stream MUST be the result, whatever came before", () =>
    Effect.gen(function*() {
      const failure = new NoSuchCity({ city: "Atlantis", seen: new Date(0) })
      const stream = Stream.concat(Stream.succeed(Tool.part("part")), Stream.fail(failure))
      const result = yield* calling(Weather, () => stream)
      assert.deepStrictEqual(texts(result), ["There is no city named Atlantis"])
      assert.strictEqual(result.isError, true)
    }))

  it.effect("that does not fit its schema MUST still be a failure, without the JSON", () =>
    Effect.gen(function*() {
      const Coded = Tool.make("coded", { failure: Schema.Struct({ message: Schema.String, code: Schema.Int }) })
      assert.deepStrictEqual(yield* calling(Coded, () => Effect.fail({ message: "Half", code: 1.5 })), {
        content: [{ type: "text", text: "Half" }],
        isError: true
      })
    }))
})

describe("a failure that the tool does not declare", () => {
  const Any = Tool.make("any", {})

  it.effect.each([
    { failure: "in words", text: "in words" },
    { failure: new Error("a message"), text: "a message" },
    { failure: { message: "of a record" }, text: "of a record" },
    { failure: { code: 1 }, text: "{\"code\":1}" },
    { failure: undefined, text: "undefined" },
    { failure: new Plain({ secret: "s" }), text: "Plain" },
    { failure: new TypeError(), text: "TypeError" }
  ])("MUST be a result for the model, as text alone: $text", ({ failure, text }) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* calling(Any, () => Effect.fail(failure)), {
        content: [{ type: "text", text }],
        isError: true
      })
    }))
})

const SECRET = "hunter2"
const boom = (): never => {
  throw new Error(SECRET, { cause: new Error(`caused by ${SECRET}`) })
}

// A codec that throws while it reads or writes.
const Exploding = Schema.String.pipe(Schema.decodeTo(Schema.String, {
  decode: SchemaGetter.transform((text: string) => text === "fine" ? text : boom()),
  encode: SchemaGetter.transform((text: string) => text === "fine" ? text : boom())
}))

const Text = Tool.make("text", { output: Schema.String })
const Written = Tool.make("written", { output: Exploding })
const Failing = Tool.make("failing", { failure: Exploding })
const Read = Tool.make("read", { input: { value: Exploding } })
const Unknown = Tool.make("unknown", { output: Schema.Unknown })
const Content = Tool.make("content", {})

const cycle: { self?: unknown } = {}
cycle.self = cycle

const defects: ReadonlyArray<readonly [what: string, call: Effect.Effect<JsonRpc.Params, unknown, never>]> = [
  ["an effect that dies", calling(Text, () => Effect.die(new Error(SECRET)))],
  ["an effect that throws", calling(Text, () => Effect.sync(boom))],
  ["a promise that is rejected", calling(Text, () => Effect.promise(() => Promise.reject(new Error(SECRET))))],
  ["a stream that dies", calling(Text, () => Stream.die(new Error(SECRET)))],
  [
    "a stream that dies after its output",
    calling(Text, () => Stream.concat(Stream.succeed(Tool.output("fine")), Stream.die(new Error(SECRET))))
  ],
  ["a handler that throws", calling(Text, () => boom())],
  ["a finalizer that dies", calling(Text, () => Effect.ensuring(Effect.succeed("fine"), Effect.sync(boom)))],
  ["an output whose schema throws", calling(Written, () => Effect.succeed(SECRET))],
  [
    "a streamed output whose schema throws",
    calling(Written, () => Stream.succeed(Tool.output(SECRET)))
  ],
  ["an output that is a cycle", calling(Unknown, () => Effect.succeed(cycle))],
  ["an output that holds a bigint", calling(Unknown, () => Effect.succeed({ n: 1n, SECRET }))],
  // The types forbid these; a handler in plain JavaScript may do them all the same.
  ["an output that breaks its schema", calling(Text, (() => Effect.succeed(1)) as never)],
  ["content that is none", calling(Content, (() => Effect.succeed({ type: "text", body: SECRET })) as never)],
  ["nothing that can run", calling(Text, (() => SECRET) as never)]
].map(([what, call]) => [what, Effect.scoped(call as Effect.Effect<JsonRpc.Params>)] as never)

describe("a defect", () => {
  it.effect.each(defects)(
    "from %s MUST be a result that leaks nothing, and its cause goes to the log",
    ([, call]) =>
      logged((lines) =>
        Effect.gen(function*() {
          const result = yield* call
          assert.strictEqual(result.isError, true)
          assert.deepStrictEqual(Object.keys(result).toSorted(), ["content", "isError"])
          assert.lengthOf(texts(result), 1)
          assert.match(String(texts(result)[0]), /^The tool \w+ failed unexpectedly\.$/)
          assert.lengthOf(lines, 1)
          assert.match(lines[0] ?? "", /^Error Tool \w+ failed with a defect \S/)
        })
      )
  )

  it.effect("of the schema that arguments are read with MUST be an error that leaks nothing", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(McpServer.tool(Read, () => Effect.void)), "2025-11-25")
        const response = yield* client.ask("tools/call", { name: "read", arguments: { value: SECRET } })
        assert.notInclude(JSON.stringify(response), SECRET)
        assert.strictEqual(response._tag === "Failure" || response.result.isError, true)
        assert.include(lines.join("\n"), SECRET)
        assert.notProperty(yield* client.call("read", { value: "fine" }), "isError")
      })
    ))

  it.effect("of the schema that a failure is written with MUST be answered, and leak nothing", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(McpServer.tool(Failing, () => Effect.fail("x"))), "2025-11-25")
        const response = yield* client.ask("tools/call", { name: "failing" })
        assert.notInclude(JSON.stringify(response), SECRET)
        assert.strictEqual(response._tag === "Failure" || response.result.isError, true)
        assert.include(lines.join("\n"), SECRET)
      })
    ))

  it.effect("MUST leave the connection and the tool as they were", () =>
    logged(() =>
      Effect.gen(function*() {
        const Sometimes = Tool.make("sometimes", { input: { die: Schema.Boolean } })
        const client = yield* speak(
          yield* serve(McpServer.tool(Sometimes, ({ die }) => die ? Effect.die("x") : Effect.succeed("fine"))),
          "2025-11-25"
        )
        assert.strictEqual((yield* client.call("sometimes", { die: true })).isError, true)
        assert.deepStrictEqual(texts(yield* client.call("sometimes", { die: false })), ["fine"])
      })
    ))
})

describe("an interruption that starts inside a handler", () => {
  const joined = Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(Effect.never)
    yield* Fiber.interrupt(fiber)
    return yield* Fiber.join(fiber)
  })

  const Any = Tool.make("any", {})

  it.effect.each([
    { what: "joining an interrupted fiber", run: calling(Any, () => joined) },
    { what: "Effect.interrupt", run: calling(Any, () => Effect.interrupt) },
    { what: "a stream that interrupts", run: calling(Any, () => Stream.fromEffect(joined)) }
  ])("MUST be a defect with a reply: $what", ({ run }) =>
    logged((lines) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* Effect.scoped(run), {
          content: [{ type: "text", text: "The tool any failed unexpectedly." }],
          isError: true
        })
        assert.lengthOf(lines, 1)
      })
    ))
})

describe("a failure that cannot be told", () => {
  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const broken = Object.defineProperty(new Error(), "message", {
    get: () => {
      throw new Error(SECRET)
    }
  })

  it.effect.each([[10n], [cyclic], [broken]])(
    "MUST be a result all the same, and leak nothing: %#",
    ([failure]) =>
      Effect.gen(function*() {
        const result = yield* calling(Tool.make("odd"), () => Effect.fail(failure))
        assert.strictEqual(result.isError, true)
        assert.notInclude(JSON.stringify(result), SECRET)
      })
  )
})

describe("a result that cannot be written as JSON", () => {
  const Reply = Tool.make("reply", {})

  it.effect("MUST be answered with an error that leaks nothing, and the connection lives", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const server = yield* serve(
          McpServer.tool(Reply, () => Effect.succeed(Tool.reply({ meta: { n: 1n, SECRET } })))
        )
        const outbox = Outbox.make()
        const duplex = yield* Duplex.make({ outbox, local: server.connect, answerInvalid: true })
        const params = { _meta: meta(), name: "reply" }
        duplex.receive(JsonRpc.encode(JsonRpc.request(1, "tools/call", params)))
        duplex.receive(JsonRpc.encode(JsonRpc.request(2, "tools/list", params)))
        const [first, second] = (yield* outbox.take).map((text) => JsonRpc.decode(text))
        assert.ok(first?._tag === "Success" && first.result.isError === true)
        assert.notInclude(JSON.stringify(first), SECRET)
        assert.ok(second?._tag === "Success" && second.id === 2)
        assert.lengthOf(lines, 1)
      })
    ))
})
