/** What a server does with the bytes it reads: raw lines in, raw lines out. */
import { assert, describe, it } from "@effect/vitest"
import { Limits, Tool } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import { StdioServer } from "@mcp-effect/stdio"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { pipe } from "./pipe.ts"

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}
const call = (id: number | string, name: string, args: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, _meta: meta }
})
const line = (message: object) => `${JSON.stringify(message)}\n`

/** Serves until the input has ended, and yields the lines that the server has written. */
const serve = (
  tools: Layer.Layer<never, unknown, McpServer.McpServer>,
  input: Stream.Stream<Uint8Array>,
  beforeWriting: Effect.Effect<void> = Effect.void
): Effect.Effect<{ readonly lines: ReadonlyArray<unknown>; readonly writes: number }, unknown> => {
  const written: Array<string> = []
  const stdio = Layer.succeed(
    Stdio.Stdio,
    Stdio.make({
      args: Effect.succeed([]),
      stdin: input,
      stdout: () =>
        Sink.forEach((chunk: string | Uint8Array) =>
          Effect.andThen(
            beforeWriting,
            Effect.sync(() => void written.push(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)))
          )
        ),
      stderr: () => Sink.drain
    })
  )
  const server = tools.pipe(Layer.provideMerge(McpServer.layer({ name: "raw", version: "1.0.0" })))
  return StdioServer.layer.pipe(
    Layer.provide(server),
    Layer.provide(stdio),
    McpServer.launch,
    Effect.map(() => ({
      writes: written.length,
      lines: written.join("").split("\n").filter((line) => line !== "").map((line): unknown => JSON.parse(line))
    }))
  )
}

const text = (...texts: ReadonlyArray<string>): Stream.Stream<Uint8Array> =>
  Stream.fromIterable(texts).pipe(Stream.encodeText)

const Echo = Tool.make("echo", { input: { text: Schema.String } })
const echo = McpServer.tool(Echo, ({ text }) => Effect.succeed(text))

const idsOf = (lines: ReadonlyArray<unknown>) => lines.map((line) => (line as { id?: unknown }).id)
const codeOf = (line: unknown) => (line as { error?: { code: number } }).error?.code

describe("StdioServer", () => {
  it.effect("MUST answer a malformed line with -32700, without an id, and serve the lines around it", () =>
    Effect.gen(function*() {
      const { lines } = yield* serve(
        echo,
        text(line(call(1, "echo", { text: "a" })), "{\"jsonrpc\": nonsense\n", line(call(2, "echo", { text: "b" })))
      )
      assert.deepStrictEqual(idsOf(lines), [1, undefined, 2])
      assert.strictEqual(codeOf(lines[1]), -32700)
    }))

  it.effect("MUST answer what is JSON but no request with -32600, and the id that can be read", () =>
    Effect.gen(function*() {
      const { lines } = yield* serve(echo, text("[]\n42\n{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}\n"))
      assert.deepStrictEqual(lines.map(codeOf), [-32600, -32600, -32600])
      assert.deepStrictEqual(idsOf(lines), [undefined, undefined, 7])
    }))

  it.effect("MUST answer a line over the limit with an error and its id, and serve the next", () =>
    Effect.gen(function*() {
      const { lines } = yield* serve(
        echo,
        text(line(call("large", "echo", { text: "x".repeat(5000) })), line(call("small", "echo", { text: "y" })))
      ).pipe(Effect.provideService(Limits.Limits, { ...Limits.defaults, messageBytes: 1000 }))
      assert.deepStrictEqual(idsOf(lines), ["large", "small"])
      assert.strictEqual(codeOf(lines[0]), -32600)
    }))

  it.effect("MUST write all replies of one read in one write", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 50 }, (_, id) => line(call(id, "echo", { text: "t" }))).join("")
      const { lines, writes } = yield* serve(echo, text(many))
      assert.strictEqual(lines.length, 50)
      assert.strictEqual(writes, 1)
    }))

  it.effect("MUST NOT make one string of all that waits, however much it is", () =>
    Effect.gen(function*() {
      const large = "x".repeat(400_000)
      const many = Array.from({ length: 20 }, (_, id) => line(call(id, "large", {}))).join("")
      const { lines, writes } = yield* serve(
        McpServer.tool(Tool.make("large"), () => Effect.succeed(large)),
        text(many)
      ).pipe(Effect.provideService(Limits.Limits, { ...Limits.defaults, outbox: 100_000_000 }))
      assert.strictEqual(lines.length, 20)
      assert.isAbove(writes, 1)
    }))

  it.effect("MUST NOT go on reading while its output is not taken, and MUST reply to all once it is", () =>
    Effect.gen(function*() {
      let handled = 0
      const counted = McpServer.tool(Echo, ({ text }) => Effect.sync(() => (handled++, text)))
      const stdin = yield* pipe()
      const gate = yield* Deferred.make<void>()
      const serving = yield* serve(counted, stdin.input, Deferred.await(gate)).pipe(
        Effect.provideService(Limits.Limits, { ...Limits.defaults, outbox: 1000 }),
        Effect.forkChild
      )
      const many = Array.from({ length: 500 }, (_, id) => line(call(id, "echo", { text: "t" }))).join("")
      yield* Stream.run(text(many), stdin.output)
      yield* Effect.repeat(Effect.yieldNow, { times: 50 })
      assert.isAbove(handled, 0)
      assert.isBelow(handled, 100)
      yield* Deferred.succeed(gate, undefined)
      yield* stdin.end
      assert.strictEqual((yield* Fiber.join(serving)).lines.length, 500)
    }))

  it.effect("MUST fail the program when its output cannot be written", () =>
    Effect.gen(function*() {
      const stdin = yield* pipe()
      const broken = Effect.die(new Error("the pipe is gone"))
      const serving = yield* Effect.forkChild(Effect.flip(serve(echo, stdin.input, broken)))
      yield* Stream.run(text(line(call(1, "echo", { text: "t" }))), stdin.output)
      const error = yield* Fiber.join(serving)
      assert.include(String(error), "Standard input or output has failed")
    }))

  it.effect("MUST reply to id 0 and to string ids with the same id", () =>
    Effect.gen(function*() {
      const { lines } = yield* serve(
        echo,
        text(line(call(0, "echo", { text: "" })) + line(call("0", "echo", { text: "" })))
      )
      assert.deepStrictEqual(idsOf(lines), [0, "0"])
    }))

  it.effect("MUST interrupt what is in flight at the end of input, run its finalizers, and end", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      let finalized = false
      const wait = McpServer.tool(
        Tool.make("wait", {}),
        () =>
          Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Effect.sync(() => finalized = true))
          )
      )
      const stdin = yield* pipe()
      const serving = yield* Effect.forkChild(serve(wait, stdin.input))
      yield* Stream.run(text(line(call(1, "wait", {}))), stdin.output)
      yield* Deferred.await(started)
      yield* stdin.end
      const { lines } = yield* Fiber.join(serving)
      assert.deepStrictEqual([lines, finalized], [[], true])
    }))

  it.effect("MUST keep console.log and Effect's loggers from standard output, and give console back at the end", () =>
    Effect.gen(function*() {
      const original = console.log
      const errors: Array<unknown> = []
      const error = console.error
      console.error = (...args) => void errors.push(args[0])
      const noisy = McpServer.tool(Tool.make("noisy", {}), () =>
        Effect.gen(function*() {
          console.log("from console")
          console.info("from info")
          yield* Effect.log("from a logger")
        }))
      const { lines } = yield* serve(noisy, text(line(call(1, "noisy", {})))).pipe(
        Effect.ensuring(Effect.sync(() => console.error = error))
      )
      assert.strictEqual(lines.length, 1)
      assert.includeMembers(errors, ["from console", "from info"])
      assert.strictEqual(console.log, original)
    }))

  it.effect("MUST answer a batch with one array in 2025-03-26, and refuse it in other revisions", () =>
    Effect.gen(function*() {
      const initialize = (protocolVersion: string) =>
        line({
          jsonrpc: "2.0",
          id: "i",
          method: "initialize",
          params: { protocolVersion, capabilities: {}, clientInfo: { name: "c", version: "1" } }
        }) + line({ jsonrpc: "2.0", method: "notifications/initialized" })
      // White space before a message is no part of it.
      const batch = ` ${
        JSON.stringify([
          { jsonrpc: "2.0", id: 1, method: "ping" },
          { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } },
          { jsonrpc: "2.0", id: 2, method: "ping" },
          5
        ])
      }\n`
      const old = yield* serve(echo, text(initialize("2025-03-26") + batch))
      assert.deepStrictEqual(old.lines.slice(1), [[
        { jsonrpc: "2.0", id: 1, result: {} },
        { jsonrpc: "2.0", id: 2, result: {} },
        {
          jsonrpc: "2.0",
          error: { code: -32600, message: "Invalid request: a message must be a JSON object" }
        }
      ]])
      const later = yield* serve(echo, text(initialize("2025-06-18") + batch))
      assert.deepStrictEqual(later.lines.slice(1).map(codeOf), [-32600])
    }))

  it.effect("MUST speak both eras on one connection", () =>
    Effect.gen(function*() {
      const { lines } = yield* serve(
        echo,
        text(
          line(call(1, "echo", { text: "before" })),
          line({
            jsonrpc: "2.0",
            id: 2,
            method: "initialize",
            params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } }
          }),
          line(call(3, "echo", { text: "between" })),
          line({ jsonrpc: "2.0", method: "notifications/initialized" }),
          line({ jsonrpc: "2.0", id: 4, method: "tools/call", params: { name: "echo", arguments: { text: "plain" } } }),
          line(call(5, "echo", { text: "after" }))
        )
      )
      const serverInfo = { name: "raw", version: "1.0.0" }
      const stateless = (id: number, text: string) => ({
        jsonrpc: "2.0",
        id,
        result: {
          resultType: "complete",
          content: [{ type: "text", text }],
          _meta: { "io.modelcontextprotocol/serverInfo": serverInfo }
        }
      })
      assert.deepStrictEqual([lines[0], lines[2], lines[3], lines[4]], [
        stateless(1, "before"),
        stateless(3, "between"),
        { jsonrpc: "2.0", id: 4, result: { content: [{ type: "text", text: "plain" }] } },
        stateless(5, "after")
      ])
    }))
})
