/** Handlers that answer with a stream: parts, progress, and exactly one output. */
import { assert, describe, it } from "@effect/vitest"
import * as Content from "@mcp-effect/protocol/Content"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Client, connect, hello, serve, speak, streaming, texts } from "./client.ts"
import { logged } from "./log.ts"

const Count = Tool.make("count", { output: Schema.Struct({ n: Schema.Int }) })
const Parts = Tool.make("parts", {})

type Event = Tool.Event<{ readonly n: number }>

const output = Tool.output({ n: 1 })

const counting = (...events: ReadonlyArray<Event>) => McpServer.tool(Count, () => Stream.fromIterable(events))

const parting = (...events: ReadonlyArray<Tool.Event<never>>) =>
  McpServer.tool(Parts, () => Stream.fromIterable(events))

const token = { progressToken: "t" }

const paramsOf = (client: Client) => client.tied.map(({ method, params }) => ({ method, ...params }))

const part = (index: number, content: Content.Content | string): JsonRpc.Params => ({
  method: StreamingTools.METHOD,
  progressToken: "t",
  index,
  content: typeof content === "string" ? { type: "text", text: content } : content
})

const progress = (progress: number, more?: JsonRpc.Params): JsonRpc.Params => ({
  method: "notifications/progress",
  progressToken: "t",
  progress,
  ...more
})

describe("a stream of a tool with an output schema", () => {
  it.effect("MUST hold its parts, and the JSON of its output after them, in the result", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(counting(Tool.part("a"), Tool.part("b"), output)), "2025-11-25")
      assert.deepStrictEqual(yield* client.call("count"), {
        content: [{ type: "text", text: "a" }, { type: "text", text: "b" }, { type: "text", text: "{\"n\":1}" }],
        structuredContent: { n: 1 }
      })
    }))

  it.effect("MAY go on after its output: the parts still come first in the result", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(counting(output, Tool.part("late"))), "2025-11-25")
      assert.deepStrictEqual(texts(yield* client.call("count")), ["late", "{\"n\":1}"])
    }))

  it.effect("MUST put the content and the meta of a reply where those of an effect go", () =>
    Effect.gen(function*() {
      const reply = Tool.output(Tool.reply({ output: { n: 1 }, content: [Content.text("r")], meta: { m: 1 } }))
      const tools = McpServer.tool(Count, () => Stream.make(Tool.part("p"), reply))
      const client = yield* speak(yield* serve(tools), "2025-11-25")
      const result = yield* client.call("count")
      assert.deepStrictEqual(texts(result), ["p", "r", "{\"n\":1}"])
      assert.deepStrictEqual(result._meta, { m: 1 })
    }))

  it.effect("MUST be stopped at an output too many", () =>
    Effect.gen(function*() {
      const endless = McpServer.tool(Count, () => Stream.forever(Stream.succeed(Tool.output({ n: 1 }))))
      const client = yield* speak(yield* serve(endless), "2025-11-25")
      assert.strictEqual((yield* client.call("count")).isError, true)
    }))

  it.effect.each([
    { what: "no output", events: [Tool.part("a")] },
    { what: "two outputs", events: [output, Tool.output({ n: 2 })] },
    { what: "nothing at all", events: [] }
  ])("with $what MUST be a defect", ({ events }) =>
    logged((lines) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(counting(...events)), "2025-11-25")
        assert.deepStrictEqual(yield* client.call("count"), {
          content: [{ type: "text", text: "The tool count failed unexpectedly." }],
          isError: true
        })
        assert.include(lines.join("\n"), "it must emit 1")
      })
    ))
})

describe("a stream of a tool without an output schema", () => {
  it.effect("MUST have its parts as the result, none included", () =>
    Effect.gen(function*() {
      const some = yield* speak(yield* serve(parting(Tool.part("a"), Tool.progress({ progress: 1 }))), "2025-11-25")
      assert.deepStrictEqual(yield* some.call("parts"), { content: [{ type: "text", text: "a" }] })
      const none = yield* speak(yield* serve(parting()), "2025-11-25")
      assert.deepStrictEqual(yield* none.call("parts"), { content: [] })
    }))

  it.effect("MUST NOT emit an output", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const tools = McpServer.tool(Parts, (() => Stream.make(Tool.part("a"), output)) as never)
        const client = yield* speak(yield* serve(tools), "2025-11-25")
        assert.strictEqual((yield* client.call("parts")).isError, true)
        assert.include(lines.join("\n"), "it must emit 0")
      })
    ))
})

describe.each(["2025-03-26", "2025-11-25", "2026-07-28"] as const)("parts in %s", (revision) => {
  const events = [Tool.part("a"), Tool.progress({ progress: 5, total: 9 }), Tool.part("b"), output]

  it.effect("MUST go to a caller that declared the extension, by index, between its progress", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(counting(...events)), revision, streaming(revision))
      yield* client.call("count", {}, token)
      assert.deepStrictEqual(paramsOf(client), [part(0, "a"), progress(5, { total: 9 }), part(1, "b")])
    }))

  const told = (...events: ReadonlyArray<Event>) =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(counting(...events, output)), revision)
      yield* client.call("count", {}, token)
      return paramsOf(client)
    })

  it.effect("MUST be a count, as progress, for the others, where the handler reports none", () =>
    Effect.gen(function*() {
      const parts = ["a", "b", "c"].map((text) => Tool.part(text))
      assert.deepStrictEqual(yield* told(...parts), [progress(2), progress(3)])
      assert.deepStrictEqual(yield* told(Tool.part("a")), [])
    }))

  it.effect("MUST NOT be counted where the handler reports progress of its own, the first part before it included", () =>
    Effect.gen(function*() {
      const step = (n: number) => [Tool.part(`${n}`), Tool.progress({ progress: n, total: 3, message: `${n} of 3` })]
      const all = [1, 2, 3].map((n) => progress(n, { total: 3, message: `${n} of 3` }))
      assert.deepStrictEqual(yield* told(...[1, 2, 3].flatMap(step)), all)
      assert.deepStrictEqual(yield* told(...events.slice(0, 3)), [progress(5, { total: 9 })])
      const own = [Tool.progress({ progress: 0.5 }), Tool.part("a"), Tool.part("b")]
      assert.deepStrictEqual(yield* told(...own), [progress(0.5)])
    }))

  it.effect("MUST move the handler's own progress on, and its total, if they were counted before", () =>
    Effect.gen(function*() {
      const own = (n: number) => Tool.progress({ progress: n, total: 2 })
      const before = [Tool.part("a"), Tool.part("b")]
      assert.deepStrictEqual(
        yield* told(...before, own(0.5), Tool.part("c"), own(1), own(2)),
        [progress(2), progress(2.5, { total: 4 }), progress(3, { total: 4 }), progress(4, { total: 4 })]
      )
      for (const first of [0, -3]) {
        assert.deepStrictEqual(
          yield* told(...before, own(first), own(first + 1)),
          [progress(2), progress(3, { total: 5 - first }), progress(4, { total: 5 - first })]
        )
      }
      const none = Tool.progress({ progress: Number.NaN })
      assert.deepStrictEqual(yield* told(...before, none, Tool.part("c")), [progress(2), progress(3)])
    }))

  it.effect("MUST be told to nobody without a token, and MUST all be in the result", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(counting(...events)), revision, streaming(revision))
      assert.deepStrictEqual(texts(yield* client.call("count")), ["a", "b", "{\"n\":1}"])
      assert.deepStrictEqual(client.tied, [])
      assert.deepStrictEqual(client.heard, [])
    }))

  it.effect("MUST begin with index 0 in every call", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(parting(Tool.part("a"))), revision, streaming(revision))
      yield* client.call("parts", {}, token)
      yield* client.call("parts", {}, token)
      assert.deepStrictEqual(paramsOf(client), [part(0, "a"), part(0, "a")])
    }))
})

describe.each(["2025-11-25", "2026-07-28"] as const)("without streaming tools, in %s", (revision) => {
  it.effect("the extension MUST NOT be declared, and parts MUST go out as to those who did not declare it", () =>
    Effect.gen(function*() {
      const parts = counting(Tool.part("a"), Tool.part("b"), output)
      const server = yield* serve(parts, { streamingTools: false })
      const client = yield* speak(server, revision, streaming(revision))
      const { capabilities } = revision === "2025-11-25"
        ? yield* (yield* connect(server)).result("initialize", hello(revision))
        : yield* client.result("server/discover")
      assert.deepStrictEqual(capabilities, { tools: { listChanged: true } })
      yield* client.call("count", {}, token)
      assert.deepStrictEqual(paramsOf(client), [progress(2)])
      assert.notProperty(server.info, "streamingTools")
    }))
})

describe("a part", () => {
  it.effect("MUST be written as the nearest kind that the revision has, as in the result", () =>
    Effect.gen(function*() {
      const link = Content.resourceLink({ uri: "file:///a", name: "a" })
      const client = yield* speak(yield* serve(parting(Tool.part(link))), "2025-03-26", streaming("2025-03-26"))
      const { content } = yield* client.call("parts", {}, token)
      assert.deepStrictEqual(paramsOf(client), [part(0, "a: file:///a")])
      assert.deepStrictEqual(content, [{ type: "text", text: "a: file:///a" }])
    }))

  it.effect("MUST travel before the next one is made", () =>
    Effect.gen(function*() {
      const sent: Array<number> = []
      const tools = McpServer.tool(Parts, () =>
        Stream.fromIterable([1, 2, 3]).pipe(
          Stream.tap(() => Effect.sync(() => sent.push(client.tied.length))),
          Stream.map((n) => Tool.part(String(n))),
          Stream.rechunk(1)
        ))
      const client: Client = yield* speak(yield* serve(tools), "2026-07-28", streaming("2026-07-28"))
      yield* client.call("parts", {}, token)
      assert.deepStrictEqual(sent, [0, 1, 2])
    }))

  it.effect("that is not JSON MUST be a defect", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const odd = Tool.part({ type: "text", text: "x", _meta: { n: 1n } })
        const client = yield* speak(yield* serve(parting(odd)), "2026-07-28", streaming("2026-07-28"))
        assert.strictEqual((yield* client.call("parts", {}, token)).isError, true)
        assert.deepStrictEqual(client.tied, [])
        assert.lengthOf(lines, 1)
      })
    ))
})

describe("parts past the message limit", () => {
  const endless = (made: Array<number>) =>
    McpServer.tool(Parts, () =>
      Stream.range(1, 1000).pipe(
        Stream.rechunk(1),
        Stream.tap((n) => Effect.sync(() => made.push(n))),
        Stream.map(() => Tool.part("x".repeat(100)))
      ))

  it.effect("MUST stop the tool with a failure for the model, and stop the stream", () =>
    Effect.gen(function*() {
      const made: Array<number> = []
      const client = yield* speak(yield* serve(endless(made)), "2025-11-25")
      const result = yield* client.call("parts")
      assert.strictEqual(result.isError, true)
      assert.match(String(texts(result)[0]), /tool parts was stopped.*larger than 1000 characters/)
      assert.isBelow(made.length, 20)
    }).pipe(Effect.provideService(Limits.Limits, { ...Limits.defaults, messageBytes: 1000 })))

  it.effect("MUST NOT be met by what is exactly as large", () =>
    Effect.gen(function*() {
      const size = JSON.stringify(Content.text("x")).length
      const client = yield* speak(
        yield* serve(parting(Tool.part("x"), Tool.part("y"))).pipe(
          Effect.provideService(Limits.Limits, { ...Limits.defaults, messageBytes: 2 * size })
        ),
        "2025-11-25"
      )
      assert.deepStrictEqual(texts(yield* client.call("parts")), ["x", "y"])
    }))
})
