/** The rules of how things end: by cancellation, by time, and with the connection. */
import { assert } from "@effect/vitest"
import * as McpClient from "@mcp-effect/client/McpClient"
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type { Rule } from "../TransportContract.ts"

const Wait = Tool.make("wait", {})

/** A tool whose handler waits forever, in itself and in a child; both report their end. */
const addWait = Effect.gen(function*() {
  const started = yield* Deferred.make<void>()
  const handler = yield* Deferred.make<void>()
  const child = yield* Deferred.make<void>()
  const reports = (ended: Deferred.Deferred<void>) =>
    Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, undefined))
  yield* McpServer.addTool(Wait, () =>
    Effect.gen(function*() {
      yield* Effect.forkChild(reports(child), { startImmediately: true })
      yield* Deferred.succeed(started, undefined)
      return yield* reports(handler)
    }))
  return { started: Deferred.await(started), ended: Effect.all([Deferred.await(handler), Deferred.await(child)]) }
})

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST interrupt the handler and its children when the caller is interrupted, and go on",
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const wait = yield* addWait
        const call = yield* Effect.forkChild(mcp.callTool("wait"))
        yield* wait.started
        yield* Fiber.interrupt(call)
        yield* wait.ended
        assert.strictEqual((yield* mcp.listTools()).length, 1)
      })
  },
  {
    name: "MUST leave no handler behind, at whichever step the caller is interrupted",
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        let running = 0
        let started = 0
        yield* McpServer.addTool(Wait, () =>
          Effect.acquireUseRelease(
            Effect.sync(() => started++ + running++),
            () => Effect.never,
            () => Effect.sync(() => running--)
          ))
        for (let steps = 0; steps < 25; steps++) {
          // The caller yields after every few operations, so that there is a gap wherever one can be.
          const call = yield* Effect.forkChild(
            Effect.provideService(mcp.callTool("wait"), Scheduler.MaxOpsBeforeYield, 3 + (steps % 3))
          )
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(call)
        }
        yield* mcp.listTools()
        yield* settle
        // Where a cancellation may overtake its request, it is said again.
        yield* TestClock.adjust("2 seconds")
        yield* settle
        assert.isAbove(started, 0)
        assert.strictEqual(running, 0)
      })
  },
  {
    name: "MUST end a call that times out, and tell the server",
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const wait = yield* addWait
        const call = yield* Effect.forkChild(Effect.flip(mcp.callTool("wait", {}, { timeout: "3 seconds" })))
        yield* wait.started
        yield* TestClock.adjust("3 seconds")
        const error = yield* Fiber.join(call)
        assert.ok(error._tag === "RequestTimeout" && error.kind === "timeout" && error.millis === 3000)
        yield* wait.ended
      })
  },
  {
    name: "MUST put a timeout off for progress, and never beyond the maximum",
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const reported = yield* Deferred.make<void>()
        yield* McpServer.addTool(Tool.make("slow", {}), () =>
          Effect.forever(Effect.gen(function*() {
            progress++
            yield* Effect.sleep("2 seconds")
            yield* Progress.report({ progress })
            yield* Deferred.succeed(reported, undefined)
          })))
        let progress = 0
        let heard = 0
        const call = yield* Effect.forkChild(Effect.flip(mcp.callTool("slow", {}, {
          timeout: "3 seconds",
          maxTimeout: "9 seconds",
          onProgress: () => Effect.sync(() => heard++)
        })))
        yield* settle
        for (let second = 0; second < 9; second++) {
          assert.strictEqual(call.pollUnsafe(), undefined)
          yield* TestClock.adjust("1 second")
          yield* settle
        }
        const error = yield* Fiber.join(call)
        assert.ok(error._tag === "RequestTimeout" && error.kind === "maximum")
        assert.strictEqual(heard, 4)
      })
  },
  {
    name:
      "MUST fail what is in flight at once when the connection ends, interrupt the handlers, and leave others alone",
    test: (revision) =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const wait = yield* addWait
        const scope = yield* Scope.make()
        const other = yield* Scope.provide(
          McpClient.make({ name: "other", version: "1.0.0", revisions: [revision.name] }),
          scope
        )
        const call = yield* Effect.forkChild(Effect.flip(other.callTool("wait")))
        yield* wait.started
        yield* Scope.close(scope, Exit.void)
        const error = yield* Fiber.join(call)
        assert.ok(error._tag === "ConnectionClosed" && error.processed === "unknown")
        yield* wait.ended
        assert.strictEqual((yield* other.session.state)._tag, "disconnected")
        const late = yield* Effect.flip(other.listTools())
        assert.ok(late._tag === "ConnectionClosed" && late.processed === "no")
        assert.strictEqual((yield* mcp.listTools()).length, 1)
      })
  }
]

/** Turns enough for messages to cross, without time. */
const settle = Effect.repeat(Effect.yieldNow, { times: 20 })
