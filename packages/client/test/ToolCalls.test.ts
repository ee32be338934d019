/** Calls by name, and by a definition that client and server share. */
import { assert, describe, it } from "@effect/vitest"
import { ToolFailure } from "@mcp-effect/client/ToolFailure"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ToolResult from "@mcp-effect/protocol/ToolResult"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ready, stateful, text } from "./wire.ts"

class NoSuchCity extends Schema.TaggedError<NoSuchCity>()("NoSuchCity", { city: Schema.String, at: Schema.Date }) {}

const Forecast = Tool.make("forecast", {
  input: {
    city: Schema.String,
    at: Schema.Date,
    days: Schema.optionalKey(Schema.Int),
    unit: Schema.Option(Schema.String)
  },
  output: Schema.Struct({ from: Schema.Date, degrees: Schema.Array(Schema.Finite) }),
  failure: NoSuchCity
})
const Count = Tool.make("count", { output: Schema.Int })
const Say = Tool.make("say", { input: { text: Schema.String } })

const input = { city: "Rome", at: new Date(0), unit: Option.some("C") }

/** Calls the tool, and answers with a result. */
const called = <T extends Tool.Tool>(tool: T, input: Tool.Input<T>, result: JsonRpc.Params, revision?: string) =>
  Effect.gen(function*() {
    const { mcp, server } = yield* revision === undefined ? ready() : ready({}, stateful(revision))
    const call = yield* Effect.forkChild(Effect.result(mcp.call(tool, input)))
    const sent = yield* server.expect("tools/call")
    yield* server.reply(sent, result)
    return { sent, outcome: yield* Fiber.join(call) }
  })

describe("call", () => {
  it.effect("MUST write its input as JSON, and read its output as values", () =>
    Effect.gen(function*() {
      const json = { from: "1970-01-01T00:00:00.000Z", degrees: [20, 21.5] }
      const { outcome, sent } = yield* called(Forecast, input, {
        content: [text("whatever")],
        structuredContent: json
      })
      assert.strictEqual(sent.params?.name, "forecast")
      assert.deepStrictEqual(sent.params?.arguments, {
        city: "Rome",
        at: "1970-01-01T00:00:00.000Z",
        unit: { _tag: "Some", value: "C" }
      })
      assert.ok(outcome._tag === "Success")
      assert.deepStrictEqual(outcome.success, { from: new Date(0), degrees: [20, 21.5] })
    }))

  it.effect("MUST NOT send an input that does not fit its schema", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const error = yield* Effect.flip(mcp.call(Forecast, { ...input, days: 1.5 }))
      assert.ok(error._tag === "InvalidParams")
      assert.include(error.message, "\"days\"")
      assert.deepStrictEqual(server.received.map(({ method }) => method), ["server/discover"])
    }))

  it.effect("of a tool without an output schema MUST yield its content", () =>
    Effect.gen(function*() {
      const content = [text("hello"), { type: "image", data: "AQID", mimeType: "image/png" }]
      const { outcome } = yield* called(Say, { text: "x" }, { content })
      assert.ok(outcome._tag === "Success")
      assert.deepStrictEqual(outcome.success, content as never)
    }))

  it.effect.each(["2024-11-05", "2025-03-26", "2025-11-25"])(
    "MUST read the JSON in the last text where there is no structured content (%s)",
    (revision) =>
      Effect.gen(function*() {
        const image = { type: "image", data: "AQID", mimeType: "image/png" }
        const { outcome } = yield* called(Count, {}, { content: [text("41"), text("42"), image] }, revision)
        assert.ok(outcome._tag === "Success")
        assert.strictEqual(outcome.success, 42)
      })
  )

  it.effect("MUST take structured content that is null as the value that it is", () =>
    Effect.gen(function*() {
      const Nothing = Tool.make("nothing", { output: Schema.Null })
      const { outcome } = yield* called(Nothing, {}, { content: [text("no JSON")], structuredContent: null })
      assert.ok(outcome._tag === "Success")
      assert.strictEqual(outcome.success, null)
    }))

  it.effect.each([
    { what: "does not fit the schema", result: { content: [], structuredContent: "42" }, says: "does not fit" },
    { what: "is text that does not fit", result: { content: [text("\"42\"")] }, says: "does not fit" },
    { what: "is text, but no JSON", result: { content: [text("forty-two")] }, says: "no structured content" },
    { what: "is not there", result: { content: [] }, says: "no structured content" },
    { what: "has no content", result: {}, says: "content" },
    { what: "has content of an unknown kind", result: { content: [{ type: "smell" }] }, says: "malformed" },
    { what: "has content that is a text", result: { content: "42" }, says: "malformed" }
  ])("whose result $what MUST be an InvalidResult", ({ result, says }) =>
    Effect.gen(function*() {
      const { outcome } = yield* called(Count, {}, result)
      assert.ok(outcome._tag === "Failure" && outcome.failure._tag === "InvalidResult")
      assert.strictEqual(outcome.failure.method, "tools/call")
      assert.include(outcome.failure.message, says)
    }))

  it.effect("MUST fail with the failure that the tool declares, as a value", () =>
    Effect.gen(function*() {
      const { outcome } = yield* called(Forecast, input, {
        content: [text("There is no such city")],
        isError: true,
        _meta: { [ToolResult.FAILURE]: { _tag: "NoSuchCity", city: "Rome", at: "1970-01-01T00:00:00.000Z" } }
      })
      assert.ok(outcome._tag === "Failure")
      assert.instanceOf(outcome.failure, NoSuchCity)
      assert.deepStrictEqual(outcome.failure, new NoSuchCity({ city: "Rome", at: new Date(0) }))
    }))

  it.effect.each([
    { what: "no failure in it", _meta: undefined },
    { what: "a failure that does not fit", _meta: { [ToolResult.FAILURE]: { _tag: "NoSuchCity" } } },
    { what: "a failure that is null", _meta: { [ToolResult.FAILURE]: null } }
  ])(
    "MUST fail with a ToolFailure, which holds the whole result, for one with $what",
    ({ _meta }) =>
      Effect.gen(function*() {
        const result = {
          content: [text("It is"), text("closed")],
          isError: true,
          ...(_meta === undefined ? {} : { _meta })
        }
        const { outcome } = yield* called(Forecast, input, result)
        assert.ok(outcome._tag === "Failure")
        assert.ok(outcome.failure instanceof ToolFailure)
        assert.strictEqual(outcome.failure.message, "It is\nclosed")
        assert.strictEqual(outcome.failure.tool, "forecast")
        assert.deepStrictEqual(outcome.failure.result, result)
      })
  )

  it.effect("MUST NOT read a failure from a tool that declares none", () =>
    Effect.gen(function*() {
      const _meta = { [ToolResult.FAILURE]: { anything: 1 } }
      const { outcome } = yield* called(Say, { text: "x" }, { content: [text("no")], isError: true, _meta })
      assert.ok(outcome._tag === "Failure" && outcome.failure._tag === "ToolFailure")
    }))
})

describe("callTool", () => {
  it.effect("MUST send its arguments as they are, an empty object by default", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      yield* Effect.forkChild(mcp.callTool("a"))
      assert.deepStrictEqual((yield* server.expect("tools/call")).params?.arguments, {})
      yield* Effect.forkChild(mcp.callTool("b", { x: [null, { y: "é" }] }))
      assert.deepStrictEqual((yield* server.expect("tools/call")).params?.arguments, { x: [null, { y: "é" }] })
    }))

  it.effect("MUST yield a failure of the tool as a result, for a model to read", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const call = yield* Effect.forkChild(mcp.callTool("t"))
      const result = { content: [text("It is closed")], isError: true, _meta: { "example.com/m": 1 } }
      yield* server.reply(yield* server.expect("tools/call"), { resultType: "complete", ...result })
      assert.deepStrictEqual(yield* Fiber.join(call), result)
    }))

  it.effect("MUST fail for a result that is malformed", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const call = yield* Effect.forkChild(Effect.flip(mcp.callTool("t")))
      yield* server.reply(yield* server.expect("tools/call"), { content: [{ type: "text" }] })
      const error = yield* Fiber.join(call)
      assert.ok(error._tag === "InvalidResult")
      assert.include(error.message, "text")
    }))

  it.effect("with arguments that are not JSON MUST fail, and leave the connection alone", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const error = yield* Effect.flip(mcp.callTool("t", { n: 1n }))
      assert.ok(error._tag === "ConnectionClosed" && error.processed === "no")
      const call = yield* Effect.forkChild(mcp.callTool("t"))
      yield* server.reply(yield* server.expect("tools/call"), { content: [] })
      yield* Fiber.join(call)
    }))
})

describe("two calls at once", () => {
  it.effect("MUST have ids and progress tokens of their own on the wire", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const reports: Array<string> = []
      const call = (name: string) =>
        Effect.forkChild(mcp.callTool(name, {}, {
          onProgress: ({ progress }) => Effect.sync(() => reports.push(`${name} ${progress}`))
        }))
      const one = yield* call("one")
      const two = yield* call("two")
      const first = yield* server.expect("tools/call")
      const second = yield* server.expect("tools/call")
      assert.notStrictEqual(first.id, second.id)
      yield* server.progress(second, 2)
      yield* server.progress(first, 1)
      yield* server.reply(second, { content: [text("second")] })
      yield* server.reply(first, { content: [text("first")] })
      assert.deepStrictEqual((yield* Fiber.join(one)).content, [text("first")])
      assert.deepStrictEqual((yield* Fiber.join(two)).content, [text("second")])
      assert.deepStrictEqual(reports, ["two 2", "one 1"])
    }))
})
