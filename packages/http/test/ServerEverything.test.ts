/** The public server-everything, with every feature that it has, over each of its transports. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Elicitation, McpClient, Roots, Sampling } from "@mcp-effect/client"
import type { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as SseClient from "@mcp-effect/http/SseClient"
import * as StreamableHttpClient from "@mcp-effect/http/StreamableHttpClient"
import { Elicitation as Forms, ToolResult } from "@mcp-effect/protocol"
import { StdioClient } from "@mcp-effect/stdio"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { freePort, stop } from "./children.ts"

const script = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js")

/** The server as a process that listens; yields its URL. */
const listening = (mode: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function*() {
    const port = yield* Effect.promise(freePort)
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [script, mode], {
          env: { ...process.env, PORT: String(port) },
          stdio: ["ignore", "ignore", "pipe"]
        })
      ),
      (child) => Effect.promise(() => stop(child))
    )
    yield* Effect.promise(() =>
      new Promise<void>((resolve, reject) => {
        child.stderr.on("data", (text) => /listening|running/u.test(String(text)) && resolve())
        child.once("exit", (code) => reject(new Error(`It has ended with ${code}`)))
      })
    )
    return `http://127.0.0.1:${port}`
  })

const transports: Record<string, Layer.Layer<ClientTransport>> = {
  stdio: StdioClient.layer({ command: process.execPath, args: [script] }).pipe(Layer.provide(NodeServices.layer)),
  streamableHttp: Layer.unwrap(
    Effect.map(listening("streamableHttp"), (url) => StreamableHttpClient.layer({ url: `${url}/mcp` }))
  ).pipe(Layer.provide(NodeHttpClient.layerUndici)),
  sse: Layer.unwrap(Effect.map(listening("sse"), (url) => SseClient.layer({ url: `${url}/sse` }))).pipe(
    Layer.provide(NodeHttpClient.layerUndici)
  )
}

const answers = Layer.mergeAll(
  Elicitation.layer({
    form: ({ requestedSchema: { properties } }) =>
      Effect.succeed(Forms.accept({ ..."name" in properties ? { name: "Ada" } : {} })),
    url: () => Effect.succeed(Forms.accept(undefined))
  }),
  Sampling.layer(({ messages }) =>
    Effect.succeed({ role: "assistant", model: "echo", content: messages.flatMap(({ content }) => content) })
  ),
  Roots.layer([{ uri: "file:///home/ada", name: "Ada" }])
)

const text = (result: ToolResult.ToolResult) => ToolResult.text(result)

describe.each(Object.keys(transports))("server-everything over %s", (name) => {
  const running = <A, E>(program: Effect.Effect<A, E, McpClient.McpClient | Scope.Scope>) => {
    const transport = transports[name]
    assert.isDefined(transport)
    return Effect.provide(
      Effect.scoped(program),
      McpClient.layer({ name: "test", version: "1.0.0", logLevel: "debug" }).pipe(
        Layer.provide(transport),
        Layer.provide(answers)
      )
    )
  }

  it.live(
    "MUST have its tools called, with progress, structured results, images, links and errors",
    () =>
      running(Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const tools = (yield* mcp.listTools()).map((tool) => tool.name)
        assert.includeMembers(tools, [
          "echo",
          "get-roots-list",
          "trigger-elicitation-request",
          "trigger-sampling-request"
        ])
        assert.include(text(yield* mcp.callTool("echo", { message: "hello" })), "hello")
        assert.include(text(yield* mcp.callTool("get-sum", { a: 2, b: 3 })), "5")
        const weather = yield* mcp.callTool("get-structured-content", { location: "New York" })
        assert.isObject(weather.structuredContent)
        const kinds = (result: ToolResult.ToolResult) => result.content.map(({ type }) => type)
        assert.include(kinds(yield* mcp.callTool("get-tiny-image")), "image")
        assert.include(kinds(yield* mcp.callTool("get-resource-links", { count: 2 })), "resource_link")
        assert.include(
          kinds(yield* mcp.callTool("get-resource-reference", { resourceType: "Text", resourceId: 1 })),
          "resource"
        )
        const annotated = yield* mcp.callTool("get-annotated-message", { messageType: "error" })
        assert.strictEqual(annotated.content[0]?.annotations?.priority, 1)
        const seen: Array<number> = []
        yield* mcp.callTool("trigger-long-running-operation", { duration: 0.3, steps: 3 }, {
          onProgress: ({ progress }) => Effect.sync(() => seen.push(progress))
        })
        assert.deepStrictEqual(seen, [1, 2, 3])
        const wrong = yield* Effect.exit(mcp.callTool("get-sum", { a: "two" }))
        assert.isTrue(wrong._tag === "Failure" || wrong.value.isError === true)
      })),
    20_000
  )

  it.live("MUST have its resources listed, read and watched", () =>
    running(Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      const resources = yield* mcp.listResources()
      assert.isAbove(resources.length, 0)
      const templates = yield* mcp.listResourceTemplates()
      assert.isAbove(templates.length, 1)
      for (const { uri } of resources.slice(0, 2)) assert.strictEqual((yield* mcp.readResource(uri)).length, 1)
      const uri = "demo://resource/dynamic/text/1"
      const [contents] = yield* mcp.readResource(uri)
      assert.ok(contents?._tag === "Text")
      const [bytes] = yield* mcp.readResource("demo://resource/dynamic/blob/1")
      assert.ok(bytes?._tag === "Bytes")
      const watching = yield* Effect.forkChild(
        Stream.runCollect(Stream.take(mcp.watchResource(uri, { initial: true }), 2)),
        { startImmediately: true }
      )
      yield* Effect.sleep(100)
      yield* mcp.callTool("toggle-subscriber-updates")
      assert.deepStrictEqual(yield* Fiber.join(watching), [uri, uri])
      yield* mcp.callTool("toggle-subscriber-updates")
    })), 20_000)

  it.live("MUST have its prompts listed, got and completed", () =>
    running(Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      const prompts = (yield* mcp.listPrompts()).map(({ name }) => name)
      assert.includeMembers(prompts, ["simple-prompt", "args-prompt", "completable-prompt", "resource-prompt"])
      const { messages } = yield* mcp.getPrompt("args-prompt", { city: "Paris", state: "Texas" })
      assert.include(JSON.stringify(messages), "Paris")
      const of = { type: "ref/prompt" as const, name: "completable-prompt" }
      const departments = yield* mcp.complete({ of, argument: "department", value: "S" })
      assert.deepStrictEqual(departments.values, ["Sales", "Support"])
      const names = yield* mcp.complete({ of, argument: "name", value: "D", context: { department: "Sales" } })
      assert.deepStrictEqual(names.values, ["David"])
    })))

  it.live("MUST have its questions answered, and its logs heard", () =>
    running(Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      assert.include(text(yield* mcp.callTool("trigger-elicitation-request")), "Ada")
      assert.include(
        text(yield* mcp.callTool("trigger-sampling-request", { prompt: "a sonnet", maxTokens: 10 })),
        "a sonnet"
      )
      assert.include(text(yield* mcp.callTool("get-roots-list")), "file:///home/ada")
      const heard = yield* Effect.forkChild(Stream.runCollect(Stream.take(mcp.logs, 1)), { startImmediately: true })
      yield* mcp.callTool("toggle-simulated-logging")
      assert.strictEqual((yield* Fiber.join(heard)).length, 1)
      yield* mcp.callTool("toggle-simulated-logging")
      yield* mcp.ping
    })), 20_000)
})
