/** A server that is stopped while its client is there. */
import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@mcp-effect/server/McpServer"
import { StdioServer } from "@mcp-effect/stdio"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { pipe } from "./pipe.ts"

const settle = Effect.repeat(Effect.yieldNow, { times: 50 })

const listen = (id: number | string) =>
  `${
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "subscriptions/listen",
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}
        }
      }
    })
  }\n`

/** A program that serves, and what it has written. */
const running = (beforeWriting: () => Effect.Effect<void> = () => Effect.void) =>
  Effect.gen(function*() {
    const stdin = yield* pipe()
    const written: Array<string> = []
    const decoder = new TextDecoder()
    const stdio = Stdio.make({
      args: Effect.succeed([]),
      stdin: stdin.input,
      stdout: () =>
        Sink.forEach((chunk: string | Uint8Array) =>
          Effect.andThen(
            Effect.suspend(beforeWriting),
            Effect.sync(() => void written.push(typeof chunk === "string" ? chunk : decoder.decode(chunk)))
          )
        ),
      stderr: () => Sink.drain
    })
    const program = yield* StdioServer.layer.pipe(
      Layer.provide(McpServer.layer({ name: "test", version: "1.0.0", declare: ["tools"] })),
      Layer.provide(Layer.succeed(Stdio.Stdio, stdio)),
      McpServer.launch,
      Effect.forkChild
    )
    return {
      program,
      end: stdin.end,
      send: (text: string) => Effect.andThen(Stream.run(Stream.encodeText(Stream.make(text)), stdin.output), settle),
      lines: () => written.join("").split("\n").filter((line) => line !== "").map((line): unknown => JSON.parse(line))
    }
  })

const result = (id: number | string) => ({
  jsonrpc: "2.0",
  id,
  result: {
    resultType: "complete",
    _meta: {
      "io.modelcontextprotocol/subscriptionId": id,
      "io.modelcontextprotocol/serverInfo": { name: "test", version: "1.0.0" }
    }
  }
})

describe("a program that is interrupted", () => {
  it.effect("MUST answer every open subscription, without a wait", () =>
    Effect.gen(function*() {
      const { lines, program, send } = yield* running()
      yield* send(listen("a") + listen(0))
      assert.strictEqual(lines().length, 2)
      // The clock stands still.
      yield* Fiber.interrupt(program)
      assert.deepStrictEqual(lines().slice(2), [result("a"), result(0)])
    }))

  it.effect("MUST NOT wait long for a client that does not read", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { program, send } = yield* running(() => Deferred.await(gate))
      yield* send(listen(1))
      const stopping = yield* Effect.forkChild(Fiber.interrupt(program))
      yield* settle
      assert.isUndefined(stopping.pollUnsafe())
      yield* TestClock.adjust("250 millis")
      yield* Fiber.join(stopping)
    }))
})

describe("a program whose input ends", () => {
  it.effect("MUST end without a wait, whatever subscriptions are open", () =>
    Effect.gen(function*() {
      const { end, lines, program, send } = yield* running()
      yield* send(listen(1))
      yield* end
      yield* Fiber.join(program)
      assert.strictEqual(lines().length, 1)
    }))
})
