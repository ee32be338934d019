/** The rules of plain requests: every one gets its own reply, whatever else is under way. */
import { assert } from "@effect/vitest"
import * as McpClient from "@mcp-effect/client/McpClient"
import * as Content from "@mcp-effect/protocol/Content"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ToolResult from "@mcp-effect/protocol/ToolResult"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Rule } from "../TransportContract.ts"

const Echo = Tool.make("echo", { input: { text: Schema.String } })
const Sum = Tool.make("sum", {
  input: { a: Schema.Finite, b: Schema.Finite },
  output: Schema.Struct({ sum: Schema.Finite })
})
const Broken = Tool.make("broken", {})

const tools = Layer.mergeAll(
  McpServer.tool(Echo, ({ text }) => Effect.succeed(text)),
  McpServer.tool(Sum, ({ a, b }) => Effect.succeed({ sum: a + b })),
  McpServer.tool(Broken, () => Effect.die(new Error("the password is hunter2")))
)

const text = (text: string): ReadonlyArray<Content.Content> => [Content.text(text)]

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST negotiate the revision and be ready",
    features: tools,
    test: (revision) =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const server = yield* mcp.server
        assert.strictEqual(server.revision.name, revision.name)
        assert.strictEqual(server.info?.name, "contract")
        assert.strictEqual((yield* mcp.session.state)._tag, "ready")
      })
  },
  {
    name: "MUST list the tools in a fixed order, and call them",
    features: tools,
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const listed = yield* mcp.listTools()
        assert.deepStrictEqual(listed.map((tool) => tool.name), ["broken", "echo", "sum"])
        assert.deepStrictEqual(yield* mcp.call(Echo, { text: "hello" }), text("hello"))
        assert.deepStrictEqual(yield* mcp.call(Sum, { a: 1, b: 2 }), { sum: 3 })
      })
  },
  {
    name: "MUST carry any text unchanged, line breaks, controls and emoji included",
    features: tools,
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const hard = "line\nbreak\r\n\u0000\u2028\u{1F600} \"quoted\" \\ é"
        assert.deepStrictEqual(yield* mcp.call(Echo, { text: hard }), text(hard))
      })
  },
  {
    name: "MUST carry a message of a mebibyte",
    features: tools,
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const large = "é".repeat(512 * 1024)
        assert.deepStrictEqual(yield* mcp.call(Echo, { text: large }), text(large))
      })
  },
  {
    name: "MUST give each of 2000 concurrent callers its own reply, more than may be in flight",
    features: tools,
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const numbers = Array.from({ length: 2000 }, (_, index) => index)
        const sums = yield* Effect.forEach(numbers, (n) => mcp.call(Sum, { a: n, b: 1 }), { concurrency: "unbounded" })
        assert.deepStrictEqual(sums, numbers.map((n) => ({ sum: n + 1 })))
      })
  },
  {
    name: "MUST reply out of order when a later request is done first",
    features: Layer.empty,
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const gate = yield* Deferred.make<void>()
        const Slow = Tool.make("slow", {})
        const Fast = Tool.make("fast", {})
        yield* McpServer.addTool(Slow, () => Effect.as(Deferred.await(gate), "slow"))
        yield* McpServer.addTool(Fast, () => Effect.as(Deferred.succeed(gate, undefined), "fast"))
        const slow = yield* Effect.forkChild(mcp.callTool("slow"))
        yield* Effect.yieldNow
        assert.strictEqual(ToolResult.text(yield* mcp.callTool("fast")), "fast")
        assert.strictEqual(ToolResult.text(yield* Fiber.join(slow)), "slow")
      })
  },
  {
    name: "MUST answer an unknown tool and an unknown method with their errors",
    features: tools,
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const tool = yield* Effect.flip(mcp.callTool("nothing"))
        assert.strictEqual(tool._tag, "ToolNotFound")
        const method = yield* Effect.flip(mcp.request("nothing/at-all"))
        assert.strictEqual(method._tag, "MethodNotFound")
      })
  },
  {
    name: "MUST answer invalid arguments as the revision wants, and name the argument",
    features: tools,
    test: (revision) =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const outcome = yield* Effect.result(mcp.callTool("sum", { a: 1, b: "two" }))
        if (revision.wire.invalidArguments === "error") {
          assert.ok(outcome._tag === "Failure" && outcome.failure._tag === "InvalidParams")
          assert.include(outcome.failure.message, "\"b\"")
        } else {
          assert.ok(outcome._tag === "Success")
          assert.strictEqual(outcome.success.isError, true)
          assert.include(ToolResult.text(outcome.success), "\"b\"")
        }
      })
  },
  {
    name: "MUST answer a ping, in the words of its era",
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        yield* mcp.ping
      })
  },
  {
    name: "MUST turn a defect into a result that leaks nothing",
    features: tools,
    test: () =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const result = yield* mcp.callTool("broken")
        assert.strictEqual(result.isError, true)
        assert.notInclude(JSON.stringify(result), "hunter2")
      })
  }
]
