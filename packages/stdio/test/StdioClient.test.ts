/** A client and real child processes. Time is real where a process forces it. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Elicitation, McpClient, Sampling } from "@mcp-effect/client"
import { Elicitation as Forms, Limits, Tool, ToolResult } from "@mcp-effect/protocol"
import { StdioClient } from "@mcp-effect/stdio"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))

const client = (options: Partial<StdioClient.Options> & { readonly args: ReadonlyArray<string> }) =>
  McpClient.layerBackground({ name: "test", version: "1.0.0" }).pipe(
    Layer.provide(StdioClient.layer({ command: process.execPath, exitAfter: "300 millis", ...options })),
    Layer.provide(NodeServices.layer)
  )

const rogue = (mode: string, options?: Partial<StdioClient.Options>) =>
  client({ args: [fixture("rogue.mjs"), mode], ...options })

// A process that was killed and that nobody has reaped yet is dead too; only Linux tells.
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

const Count = Tool.make("count", { input: { to: Schema.Int }, output: Schema.Struct({ counted: Schema.Int }) })

describe("StdioClient", () => {
  it.live("MUST reach a server in a child process, stream from it, and end it without a signal", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      assert.strictEqual((yield* mcp.server).revision.name, "2026-07-28")
      const events = yield* Stream.runCollect(mcp.stream(Count, { to: 3 }))
      assert.deepStrictEqual(events.map((event) => event._tag), ["Progress", "Progress", "Progress", "Output"])
    }).pipe(Effect.provide(client({ args: [fixture("server.ts")] }))))

  it.live("MUST start a server that has died again, for its client to go on", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      const died = yield* Effect.flip(mcp.callTool("exit", { code: 3 }))
      assert.ok(died._tag === "ConnectionClosed" && died.processed === "unknown")
      assert.include(died.message, "exited with code 3")
      const result = yield* mcp.callTool("add", { a: 1, b: 2 })
      assert.deepStrictEqual(result.structuredContent, { sum: 3 })
    }).pipe(Effect.provide(client({ args: [fixture("server.ts")] }))))

  it.live("MUST give the child a minimal environment, and what it is told to", () =>
    Effect.gen(function*() {
      process.env.MCP_EFFECT_TEST_SECRET = "hunter2"
      const mcp = yield* McpClient.McpClient
      const result = yield* mcp.callTool("environment")
      const names = result.structuredContent as ReadonlyArray<string>
      assert.includeMembers([...names], ["PATH", "GIVEN"])
      assert.notInclude(names, "MCP_EFFECT_TEST_SECRET")
    }).pipe(
      Effect.provide(client({ args: [fixture("server.ts")], env: { GIVEN: "yes" } })),
      Effect.ensuring(Effect.sync(() => delete process.env.MCP_EFFECT_TEST_SECRET))
    ))

  it.live("MUST fail all that is in flight when the child dies, with its exit code and its last words", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      yield* mcp.listTools()
      const waiting = yield* Effect.forkChild(Effect.flip(mcp.callTool("never-answers")))
      const dying = yield* Effect.flip(mcp.callTool("die"))
      for (const error of [dying, yield* Fiber.join(waiting)]) {
        assert.ok(error._tag === "ConnectionClosed" && error.processed === "unknown")
        assert.include(error.message, "exited with code 7")
        assert.include(error.message, "out of memory, or so it says")
      }
      assert.strictEqual((yield* mcp.session.state)._tag, "disconnected")
    }).pipe(Effect.provide(rogue("plain"))))

  it.live("MUST keep a server's console.log from the wire, and show it in the error", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      const error = yield* Effect.flip(mcp.callTool("exit", { code: 3 }))
      assert.include(error.message, "exited with code 3")
      assert.include(error.message, "last words on stdout")
      assert.include(error.message, "last words on stderr")
    }).pipe(Effect.provide(client({ args: [fixture("server.ts")] }))))

  it.live("MUST pass on why a server could not start, all of which a server says on standard error", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      const error = yield* Effect.flip(mcp.listTools())
      for (
        const said of ["built by console", "built by a logger", "closed by a logger", "The tool name \"ill formed\""]
      ) {
        assert.include(error.message, said)
      }
      assert.include(error.message, "exited with code 1")
    }).pipe(Effect.provide(client({ args: [fixture("failing.ts")] }))))

  it.live("MUST fail as not processed, and name the command, when the server cannot be started", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      const error = yield* Effect.flip(mcp.listTools())
      assert.ok(error._tag === "ConnectionClosed" && error.processed === "no")
      assert.include(error.message, "no-such-command-anywhere")
    }).pipe(Effect.provide(client({ command: "no-such-command-anywhere", args: [] }))))

  it.live("MUST start the server again when the probe has ended it", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      assert.strictEqual((yield* mcp.server).revision.name, "2025-11-25")
      assert.deepStrictEqual(yield* mcp.listTools(), [])
    }).pipe(Effect.provide(rogue("fragile"))))

  it.live("MUST read on past noise on the child's standard output", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      assert.deepStrictEqual(yield* mcp.listTools(), [])
    }).pipe(Effect.provide(rogue("noise"))))

  it.live("MUST drain a standard error that is flooded", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      assert.deepStrictEqual(yield* mcp.listTools(), [])
    }).pipe(Effect.provide(rogue("flood"))))

  it.live("MUST fail a request whose reply is over the limit, and serve the next", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      const error = yield* Effect.flip(mcp.callTool("large"))
      assert.ok(error._tag === "InvalidResult")
      assert.include(error.message, "larger than 10000 bytes")
      assert.deepStrictEqual(yield* mcp.listTools(), [])
    }).pipe(
      Effect.provide(rogue("plain")),
      Effect.provideService(Limits.Limits, { ...Limits.defaults, messageBytes: 10_000 })
    ))

  it.live.skipIf(process.platform !== "linux")(
    "MUST end a server that ignores SIGTERM, and its children, with SIGKILL",
    () =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(rogue("stubborn"), scope)
        const pids = yield* Effect.gen(function*() {
          const mcp = yield* McpClient.McpClient
          const [first] = yield* mcp.notifications.pipe(Stream.take(1), Stream.runCollect)
          yield* mcp.listTools()
          const data = first?.params?.data as { readonly pids: ReadonlyArray<number> }
          return data.pids
        }).pipe(Effect.provideContext(context))
        assert.deepStrictEqual(pids.map(isAlive), [true, true])
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(pids.map(isAlive), [false, false])
      }),
    20_000
  )

  it.live.each(["2025-11-25", "2026-07-28"] as const)(
    "MUST answer a handler that asks twice, in %s",
    (revision) =>
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        assert.strictEqual(ToolResult.text(yield* mcp.callTool("poem")), "A poem for Ada")
      }).pipe(
        Effect.provide(
          McpClient.layer({ name: "test", version: "1.0.0", revisions: [revision] }).pipe(
            Layer.provide(StdioClient.layer({ command: process.execPath, args: [fixture("server.ts")] })),
            Layer.provide(NodeServices.layer),
            Layer.provide(Elicitation.layer({ form: () => Effect.succeed(Forms.accept({ name: "Ada" })) })),
            Layer.provide(
              Sampling.layer(({ messages }) =>
                Effect.succeed({
                  role: "assistant",
                  model: "echo",
                  content: messages.flatMap(({ content }) => content)
                })
              )
            )
          )
        )
      )
  )

  it.live("MUST call a tool by name and get its text", () =>
    Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      assert.strictEqual(ToolResult.text(yield* mcp.callTool("echo", { text: "hi" })), "hi")
    }).pipe(Effect.provide(client({ args: [fixture("server.ts")] }))))
})
