/** Conversations that are written down, and played again without their server. */
import { assert, describe, it } from "@effect/vitest"
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as McpClient from "@mcp-effect/client/McpClient"
import { InMemory } from "@mcp-effect/memory"
import { Tool } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import { Player, Recorder } from "@mcp-effect/testing"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"

const Add = Tool.make("add", { input: { a: Schema.Int, b: Schema.Int }, output: { sum: Schema.Int } })
const Count = Tool.make("count", { input: { to: Schema.Int }, output: { counted: Schema.Int } })
const Fail = Tool.make("fail")

const Server = Layer.mergeAll(
  McpServer.tool(Add, ({ a, b }) => Effect.as(Effect.sleep("1 second"), { sum: a + b })),
  McpServer.tool(Count, ({ to }) =>
    Stream.range(1, to).pipe(
      Stream.map((progress) => Tool.progress({ progress })),
      Stream.concat(Stream.succeed(Tool.output({ counted: to })))
    )),
  McpServer.tool(Fail, () => Effect.fail("It does not work"))
).pipe(Layer.provideMerge(McpServer.layer({ name: "recorded", version: "1.0.0" })))

/** All that a program sees of a server. */
const program = Effect.gen(function*() {
  const mcp = yield* McpClient.McpClient
  const { info } = yield* mcp.server
  const adding = yield* Effect.forkChild(mcp.call(Add, { a: 1, b: 2 }))
  yield* Effect.repeat(Effect.yieldNow, { times: 20 })
  yield* TestClock.adjust("1 second")
  const { sum } = yield* Fiber.join(adding)
  const events = yield* Stream.runCollect(mcp.stream(Count, { to: 2 }))
  const failure = yield* Effect.flip(mcp.call(Fail, {}))
  const names = (yield* mcp.listTools()).map(({ name }) => name)
  return { info, sum, events, failure: failure.message, names }
})

const running = <A, E, E2>(
  transport: Layer.Layer<ClientTransport, E2>,
  self: Effect.Effect<A, E, McpClient.McpClient>,
  revisions: McpClient.Options["revisions"]
) =>
  Effect.provide(
    self,
    McpClient.layer({ name: "test", version: "1.0.0", ...(revisions === undefined ? {} : { revisions }) }).pipe(
      Layer.provide(transport)
    )
  )

const recording = (lines: Array<string>, options: Partial<Recorder.Options> = {}) =>
  InMemory.layer.pipe(
    Layer.provide(Server),
    Recorder.layer({ write: (line) => Effect.sync(() => void lines.push(line)), ...options })
  )

describe("Recorder and Player", () => {
  it.effect.each([{ revision: "2026-07-28" as const }, { revision: "2025-06-18" as const }])(
    "MUST let a program see the same of a recording as of its server: $revision",
    ({ revision }) =>
      Effect.gen(function*() {
        const lines: Array<string> = []
        const seen = yield* running(recording(lines), program, [revision])
        assert.strictEqual(seen.sum, 3)
        assert.strictEqual(seen.events.length, 3)
        assert.isTrue(lines.every((line) => !line.includes("\n")))
        const again = yield* running(Player.layer(lines.join("\n")), program, [revision])
        assert.deepStrictEqual(again, seen)
      })
  )

  it.effect("MUST write who says what, when, and on which request", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      yield* running(recording(lines), program, ["2026-07-28"])
      const read = lines.map((line) => Schema.decodeUnknownSync(Recorder.Line)(JSON.parse(line)))
      const call = read.find(({ message }) => JSON.stringify(message ?? "").includes("\"add\""))
      assert.deepInclude(call, { at: 0, connection: 0, from: "client" })
      const idOf = (message: unknown) => (message as { readonly id?: number }).id
      const reply = read.find(({ from, message }) => from === "server" && idOf(message) === idOf(call?.message))
      assert.strictEqual(reply?.at, 1000)
      const progress = read.filter(({ message }) => JSON.stringify(message ?? "").includes("notifications/progress"))
      assert.deepStrictEqual(progress.map(({ from }) => from), ["server", "server"])
      assert.isTrue(progress.every(({ on }) => on !== undefined))
    }))

  it.effect("MUST write what is left of a message", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const redact: NonNullable<Recorder.Options["redact"]> = (message) =>
        message._tag === "Request" && message.method === "tools/call"
          ? { ...message, params: { name: "hidden" } }
          : message
      yield* running(recording(lines, { redact }), program, undefined)
      assert.isFalse(lines.some((line) => line.includes("\"add\"") && line.includes("tools/call")))
      assert.isTrue(lines.some((line) => line.includes("\"hidden\"")))
    }))
})

describe("Player", () => {
  const recorded = Effect.gen(function*() {
    const lines: Array<string> = []
    yield* running(recording(lines), program, undefined)
    return lines
  })

  it.effect("MUST say what a recording does not have, and what is left in it", () =>
    Effect.gen(function*() {
      const lines = yield* recorded
      const error = yield* running(
        Player.layer(lines.join("\n")),
        Effect.flatMap(McpClient.McpClient, (mcp) => Effect.flip(mcp.callTool("add", { a: 7, b: 7 }))),
        undefined
      )
      assert.ok(error._tag === "InternalError")
      assert.include(error.message, "The recording has no tools/call with these parameters")
      assert.include(error.message, "What is left: tools/call, tools/list")
    }))

  it.effect("MUST have no more connections than the recording", () =>
    Effect.gen(function*() {
      const lines = yield* recorded
      const { connect } = yield* ClientTransport
      const nobody = { request: () => Effect.never, notify: () => Effect.void }
      yield* Effect.scoped(connect(nobody))
      const error = yield* Effect.flip(Effect.scoped(connect(nobody)))
      assert.strictEqual(error.message, "The recording has 1 connections, and no other")
      assert.isAbove(lines.length, 0)
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(recorded, (lines) => Player.layer(lines.join("\n")))))))

  it.effect("MUST refuse what is no recording, and say which line", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Layer.build(Player.layer("\n{\"at\":0}\n")))
      assert.strictEqual(error.message, "Line 2 of the recording is none")
    }))
})
