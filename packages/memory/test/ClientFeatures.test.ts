/** Every feature of a client, against a server that has them all, in every revision. */
import { assert, describe, it } from "@effect/vitest"
import * as McpClient from "@mcp-effect/client/McpClient"
import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import { InMemory } from "@mcp-effect/memory"
import type * as McpError from "@mcp-effect/protocol/McpError"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Changes from "@mcp-effect/server/Changes"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const settle = Effect.repeat(Effect.yieldNow, { times: 50 })

const text = Resource.make({ uri: "test://text", name: "text", mimeType: "text/plain" })
const bytes = Resource.make({ uri: "test://bytes", name: "bytes" })
const item = Resource.template("test://items/{id}", { name: "item", variables: { id: Schema.FiniteFromString } })
const review = Prompt.make("review", {
  arguments: { code: Schema.String, times: Schema.optionalKey(Schema.FiniteFromString) }
})

let readings = 0

const features = Layer.mergeAll(
  McpServer.resource(text, () => Effect.sync(() => `read ${++readings} times`)),
  McpServer.resource(bytes, () => Effect.succeed(Uint8Array.of(1, 2, 3))),
  McpServer.resourceTemplate(item, ({ id }) => Effect.succeed(`item ${id + 1}`), {
    complete: { id: (value) => Effect.succeed(["1", "12", "23"].filter((id) => id.startsWith(value))) }
  }),
  McpServer.prompt(
    review,
    ({ code, times = 1 }) => Effect.succeed([Prompt.user(`Review ${code} ${times + 1} times`)]),
    {
      complete: {
        code: (value, { arguments: { times } }) => Effect.succeed([`${value} ${times}`])
      }
    }
  ),
  McpServer.tool(
    Tool.make("log"),
    () => Effect.as(Effect.andThen(Effect.logDebug("little"), Effect.logWarning("much")), "done")
  ),
  McpServer.logging()
)

const told = <A>(stream: Stream.Stream<A, McpError.McpError>) =>
  Effect.gen(function*() {
    const all: Array<A> = []
    yield* Effect.forkScoped(Stream.runForEach(stream, (what) => Effect.sync(() => void all.push(what))))
    yield* settle
    return all
  })

describe.each(Revisions.names)("a client in %s", (name) => {
  const server = features.pipe(
    Layer.provideMerge(McpServer.layer({
      name: "everything",
      version: "1.0.0",
      pageSize: 1,
      caching: { ttl: "1 minute", methods: { "tools/list": { ttl: 0 } } }
    }))
  )
  const connected = <A, E, R>(
    test: (mcp: McpClient.McpClient["Service"]) => Effect.Effect<A, E, R>,
    options?: Partial<McpClient.Options>
  ) =>
    Effect.gen(function*() {
      return yield* test(yield* McpClient.McpClient)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        McpClient.layer({ name: "test", version: "1.0.0", revisions: [name], ...options }).pipe(
          Layer.provide(WireSchema.transport(InMemory.layer)),
          Layer.provideMerge(server)
        )
      )
    )

  it.effect("MUST list and read resources, and tell what is not there", () =>
    connected((mcp) =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* mcp.listResources()).map(({ uri }) => uri), ["test://bytes", "test://text"])
        assert.lengthOf(yield* Stream.runCollect(mcp.resources()), 2)
        assert.deepStrictEqual((yield* mcp.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate), [
          item.uriTemplate
        ])
        const [read] = yield* mcp.readResource(bytes.uri)
        assert.ok(read?._tag === "Bytes")
        assert.deepStrictEqual([...read.bytes], [1, 2, 3])
        const [seven] = yield* mcp.readTemplate(item, { id: 7 })
        assert.ok(seven?._tag === "Text" && seven.text === "item 8")
        const missing = yield* Effect.flip(mcp.readResource("test://nowhere"))
        assert.ok(missing._tag === "ResourceNotFound" && missing.uri === "test://nowhere")
      })
    ))

  it.effect("MUST get prompts by name and definition, and complete their arguments", () =>
    connected((mcp) =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* mcp.listPrompts()).map(({ name }) => name), ["review"])
        assert.lengthOf(yield* Stream.runCollect(mcp.prompts()), 1)
        const expected = [Prompt.user("Review x 4 times")]
        assert.deepStrictEqual((yield* mcp.getPrompt("review", { code: "x", times: "3" })).messages, expected)
        assert.deepStrictEqual((yield* mcp.prompt(review, { code: "x", times: 3 })).messages, expected)
        const missing = yield* Effect.flip(mcp.getPrompt("nothing"))
        assert.ok(missing._tag === "PromptNotFound" && missing.prompt === "nothing")
        const context = { times: "3" }
        const code = yield* mcp.complete({ of: review, argument: "code", value: "x", context })
        assert.deepStrictEqual(code.values, ["x 3"])
        const id = yield* mcp.complete({ of: item, argument: "id", value: "1" })
        assert.deepStrictEqual([id.values, id.total], [["1", "12"], 2])
      })
    ))

  it.effect("MUST hear what the server logs, as much as it wants", () =>
    connected((mcp) =>
      Effect.gen(function*() {
        const logs = yield* told(mcp.logs)
        yield* mcp.callTool("log")
        yield* mcp.setLogLevel("debug")
        yield* mcp.callTool("log")
        yield* settle
        assert.deepStrictEqual(logs.map(({ data, level }) => [level, data]), [
          ["warning", "much"],
          ["debug", "little"],
          ["warning", "much"]
        ])
      }), { logLevel: "warning" }))

  it.effect("MUST hear of changes of resources and lists, and of nothing when it has left", () =>
    connected((mcp) =>
      Effect.gen(function*() {
        const updated = yield* told(mcp.watchResource(text.uri))
        const prompts = yield* told(mcp.promptsChanged)
        const resources = yield* told(mcp.resourcesChanged)
        const tools = yield* told(mcp.toolsChanged)
        yield* McpServer.changed(Changes.resource(bytes.uri))
        yield* McpServer.changed(Changes.resource(text.uri))
        yield* McpServer.addPrompt(Prompt.make("late"), () => Effect.succeed("late"))
        yield* McpServer.addTool(Tool.make("late"), () => Effect.succeed("late"))
        yield* settle
        assert.deepStrictEqual(updated, [text.uri])
        assert.deepStrictEqual([prompts.length, resources.length, tools.length], [1, 0, 1])
        const left = yield* Effect.forkChild(Stream.runHead(mcp.watchResource(bytes.uri)))
        yield* settle
        yield* McpServer.changed(Changes.resource(bytes.uri))
        assert.strictEqual((yield* Fiber.join(left))._tag, "Some")
      })
    ))

  it.effect("MUST fail to watch what is not there", () =>
    connected((mcp) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Stream.runDrain(mcp.watchResource("test://nowhere")))
        assert.ok(error._tag === "ResourceNotFound" && error.uri === "test://nowhere")
      })
    ))

  it.effect("MUST keep what it may, until it hears of a change", () =>
    connected((mcp) =>
      Effect.gen(function*() {
        readings = 0
        const read = Effect.map(
          mcp.readResource(text.uri),
          ([contents]) => contents?._tag === "Text" ? contents.text : contents
        )
        yield* told(mcp.watchResource(text.uri))
        yield* read
        const keeps = Revisions.get(name)?.wire.results === "typed"
        assert.strictEqual(yield* read, keeps ? "read 1 times" : "read 2 times")
        yield* McpServer.changed(Changes.resource(text.uri))
        yield* settle
        assert.strictEqual(yield* read, keeps ? "read 2 times" : "read 3 times")
      })
    ))
})
