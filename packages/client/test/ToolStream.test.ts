import { assert, describe, it } from "@effect/vitest"
import type * as McpClient from "@mcp-effect/client/McpClient"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { logged } from "./log.ts"
import { ready, type Sent, type Server, settle, text } from "./wire.ts"

const Count = Tool.make("count", { output: Schema.Struct({ n: Schema.Int }) })

const part = (server: Server, of: Sent, index: unknown, content: unknown = text(`part ${String(index)}`)) =>
  server.notify(StreamingTools.METHOD, { progressToken: Meta.progressToken(of.params), index, content })

const output = { content: [], structuredContent: { n: 1 } }

const streaming = (mcp: McpClient.McpClient["Service"]) => Effect.forkChild(Stream.runCollect(mcp.stream(Count, {})))

/** Events without their tags: parts by text and what was missed, progress by its number. */
const brief = (events: ReadonlyArray<Tool.Event<unknown>>) =>
  events.map((event) => {
    switch (event._tag) {
      case "Progress":
        return event.progress
      case "Part":
        return [event.content.type === "text" ? event.content.text : event.content.type, event.missed]
      case "Output":
        return event.value
    }
  })

describe("stream", () => {
  it.effect("MUST yield progress and parts in the order in which they came, and the output last", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const events = yield* streaming(mcp)
      const sent = yield* server.expect("tools/call")
      yield* server.progress(sent, 1, { total: 2, message: "m" })
      yield* part(server, sent, 0)
      yield* part(server, sent, 1)
      yield* server.progress(sent, 2)
      yield* server.reply(sent, output)
      assert.deepStrictEqual(yield* Fiber.join(events), [
        Tool.progress({ progress: 1, total: 2, message: "m" }),
        Tool.part("part 0"),
        Tool.part("part 1"),
        Tool.progress({ progress: 2 }),
        Tool.output({ n: 1 })
      ])
    }))

  it.effect("MUST yield each event as it comes, before the result", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const seen: Array<string> = []
      const running = yield* Effect.forkChild(
        Stream.runForEach(mcp.stream(Count, {}), ({ _tag }) => Effect.sync(() => void seen.push(_tag)))
      )
      const sent = yield* server.expect("tools/call")
      yield* part(server, sent, 0)
      yield* settle
      assert.deepStrictEqual(seen, ["Part"])
      yield* server.reply(sent, output)
      yield* Fiber.join(running)
      assert.deepStrictEqual(seen, ["Part", "Output"])
    }))

  it.effect("MUST say of a part how many before it are missing", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const events = yield* streaming(mcp)
      const sent = yield* server.expect("tools/call")
      for (const index of [2, 3, 7, 8]) yield* part(server, sent, index)
      yield* server.reply(sent, output)
      assert.deepStrictEqual(brief(yield* Fiber.join(events)), [
        ["part 2", 2],
        ["part 3", 0],
        ["part 7", 3],
        ["part 8", 0],
        { n: 1 }
      ])
    }))

  it.effect("MUST drop what is malformed, with a warning, and go on", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { mcp, server } = yield* ready()
        const events = yield* streaming(mcp)
        const sent = yield* server.expect("tools/call")
        yield* part(server, sent, 0, { type: "smell" })
        yield* part(server, sent, "0")
        yield* part(server, sent, 0.5)
        yield* server.progress(sent, Number.NaN)
        yield* part(server, sent, 1)
        yield* server.reply(sent, output)
        assert.deepStrictEqual(brief(yield* Fiber.join(events)), [["part 1", 1], { n: 1 }])
        assert.lengthOf(lines.filter((line) => line.startsWith("Warn Dropped")), 4)
      })
    ))

  it.effect("MUST fail as a call does: with a failure of the tool, or an error of the protocol", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const failing = (answer: (sent: Sent) => Effect.Effect<void>) =>
        Effect.gen(function*() {
          const events = yield* Effect.forkChild(Effect.flip(Stream.runCollect(mcp.stream(Count, {}))))
          const sent = yield* server.expect("tools/call")
          yield* part(server, sent, 0)
          yield* answer(sent)
          return (yield* Fiber.join(events))._tag
        })
      const { fail, reply } = server
      assert.strictEqual(yield* failing((sent) => reply(sent, { content: [text("no")], isError: true })), "ToolFailure")
      assert.strictEqual(yield* failing((sent) => reply(sent, { content: [] })), "InvalidResult")
      assert.strictEqual(yield* failing((sent) => fail(sent, { code: -32603, message: "no" })), "InternalError")
      assert.strictEqual(yield* failing(() => server.close("gone")), "ConnectionClosed")
    }))

  it.effect("MUST cancel the request when it is ended early", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const taking = yield* Effect.forkChild(Stream.runCollect(Stream.take(mcp.stream(Count, {}), 1)))
      const sent = yield* server.expect("tools/call")
      yield* part(server, sent, 0)
      assert.deepStrictEqual(brief(yield* Fiber.join(taking)), [["part 0", 0]])
      assert.strictEqual((yield* server.expect("notifications/cancelled")).params?.requestId, sent.id)
    }))

  it.effect("MUST cancel the request when its consumer is interrupted", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const events = yield* streaming(mcp)
      const sent = yield* server.expect("tools/call")
      yield* Fiber.interrupt(events)
      assert.strictEqual((yield* server.expect("notifications/cancelled")).params?.requestId, sent.id)
    }))

  it.effect("MUST NOT send anything before it is run, and MUST call anew each time", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const stream = mcp.stream(Count, {})
      yield* settle
      assert.lengthOf(server.received, 1)
      for (let round = 0; round < 2; round++) {
        const events = yield* Effect.forkChild(Stream.runCollect(stream))
        const sent = yield* server.expect("tools/call")
        yield* part(server, sent, 0)
        yield* server.reply(sent, output)
        assert.deepStrictEqual(brief(yield* Fiber.join(events)), [["part 0", 0], { n: 1 }])
      }
    }))

  it.effect("MUST be kept alive by parts as by progress", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready({ timeout: "2 seconds" })
      const events = yield* streaming(mcp)
      const sent = yield* server.expect("tools/call")
      for (const index of [0, 1, 2]) {
        yield* TestClock.adjust("1500 millis")
        yield* part(server, sent, index)
      }
      yield* server.reply(sent, output)
      assert.lengthOf(yield* Fiber.join(events), 4)
    }))
})

describe("a consumer of a stream that stands still", () => {
  const standing = (mcp: McpClient.McpClient["Service"], gate: Deferred.Deferred<void>) => {
    const seen: Array<Tool.Event<unknown>> = []
    return Effect.map(
      Effect.forkChild(
        Stream.runForEach(mcp.stream(Count, {}), (event) =>
          Effect.andThen(
            Deferred.await(gate),
            Effect.sync(() => void seen.push(event))
          ))
      ),
      (fiber) => ({ fiber, seen })
    )
  }

  it.effect("MUST lose parts past the bounds, be told how many, and still get its output", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const gate = yield* Deferred.make<void>()
      const { fiber, seen } = yield* standing(mcp, gate)
      const sent = yield* server.expect("tools/call")
      for (let index = 0; index < 2000; index++) {
        yield* part(server, sent, index)
        if (index % 100 === 0) yield* settle
      }
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      yield* part(server, sent, 2000)
      yield* server.reply(sent, output)
      yield* Fiber.join(fiber)
      const parts = seen.flatMap((event) => event._tag === "Part" ? [event] : [])
      assert.isBelow(parts.length, 1000)
      assert.strictEqual(parts.reduce((sum, { missed }) => sum + missed + 1, 0), 2001)
      assert.deepStrictEqual(seen.at(-1), Tool.output({ n: 1 }))
    }))

  it.effect("MUST NOT time out for its own slowness once the reply is there", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready({ timeout: "2 seconds" })
      const gate = yield* Deferred.make<void>()
      const { fiber, seen } = yield* standing(mcp, gate)
      const sent = yield* server.expect("tools/call")
      yield* part(server, sent, 0)
      yield* settle
      for (let index = 1; index < 300; index++) yield* part(server, sent, index)
      yield* server.reply(sent, output)
      yield* settle
      yield* TestClock.adjust("10 seconds")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(seen.at(-1), Tool.output({ n: 1 }))
    }))
})
