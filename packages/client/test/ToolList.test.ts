import { assert, describe, it } from "@effect/vitest"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { JsonSchemaValidator } from "@mcp-effect/protocol/JsonSchemaValidator"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { logged } from "./log.ts"
import { ready, type Server, settle, stateful } from "./wire.ts"

const object = { type: "object" }

const tool = (name: string, more?: JsonRpc.Params): JsonRpc.Params => ({ name, inputSchema: object, ...more })

/** Answers one request for a page, and yields the cursor that it had. */
const page = (server: Server, result: JsonRpc.Params) =>
  Effect.gen(function*() {
    const sent = yield* server.expect("tools/list")
    yield* server.reply(sent, result)
    return sent.params?.cursor
  })

describe("listTools", () => {
  it.effect("MUST read every page, with the cursors as they came, in order", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const listing = yield* Effect.forkChild(mcp.listTools())
      const cursors = [
        yield* page(server, { tools: [tool("b"), tool("a")], nextCursor: "" }),
        yield* page(server, { tools: [], nextCursor: "opaque/é" }),
        yield* page(server, { tools: [tool("c")] })
      ]
      assert.deepStrictEqual(cursors, [undefined, "", "opaque/é"])
      assert.deepStrictEqual((yield* Fiber.join(listing)).map(({ name }) => name), ["b", "a", "c"])
    }))

  it.effect("MUST keep all that a tool says of itself, and drop what nobody knows", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const full = tool("full", {
        title: "T",
        description: "D",
        outputSchema: { type: "object", properties: {} },
        annotations: { readOnlyHint: true, title: "A" },
        icons: [{ src: "https://example.com/i.png", sizes: ["48x48"], theme: "dark" }],
        _meta: { "example.com/m": [1] }
      })
      const listing = yield* Effect.forkChild(mcp.listTools())
      yield* page(server, { tools: [{ ...full, execution: { taskSupport: "optional" } }] })
      assert.deepStrictEqual(yield* Fiber.join(listing), [full] as never)
    }))

  it.effect("MUST drop a malformed tool with a warning that says where, and keep the rest", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { mcp, server } = yield* ready()
        const listing = yield* Effect.forkChild(mcp.listTools())
        const malformed = [{ name: "x" }, { inputSchema: object }, null, "tool", tool("y", { title: 7 })]
        yield* page(server, { tools: [tool("a"), ...malformed, tool("b")] })
        assert.deepStrictEqual((yield* Fiber.join(listing)).map(({ name }) => name), ["a", "b"])
        const warnings = lines.filter((line) => line.startsWith("Warn Dropped tool"))
        assert.lengthOf(warnings, malformed.length)
        for (const [index, warning] of warnings.entries()) assert.include(warning, `Dropped tool ${index + 1} `)
        assert.include(warnings[0], "inputSchema")
      })
    ))

  it.effect.each([{}, { tools: null }, { tools: { a: 1 } }])(
    "MUST fail when the result is %j",
    (result) =>
      Effect.gen(function*() {
        const { mcp, server } = yield* ready()
        const listing = yield* Effect.forkChild(Effect.flip(mcp.listTools()))
        yield* page(server, result)
        const error = yield* Fiber.join(listing)
        assert.ok(error._tag === "InvalidResult" && error.method === "tools/list")
      })
  )

  it.effect("MUST fail when the server pages in a circle", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const listing = yield* Effect.forkChild(Effect.flip(mcp.listTools()))
      yield* page(server, { tools: [tool("a")], nextCursor: "same" })
      yield* page(server, { tools: [tool("a")], nextCursor: "same" })
      const error = yield* Fiber.join(listing)
      assert.ok(error._tag === "InvalidResult")
      assert.include(error.message, "circle")
    }))

  it.effect("MUST stop after 100 pages", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const listing = yield* Effect.forkChild(Effect.flip(mcp.listTools()))
      for (let index = 0; index < 100; index++) yield* page(server, { tools: [], nextCursor: `page ${index}` })
      const error = yield* Fiber.join(listing)
      assert.ok(error._tag === "InvalidResult")
      assert.include(error.message, "100 pages")
      yield* settle
      assert.lengthOf(server.received.filter(({ method }) => method === "tools/list"), 100)
    }))
})

/** A validator that takes objects that have what the schema requires. */
const validator: JsonSchemaValidator = {
  compile: (schema) =>
    schema.broken === true ? Effect.fail("it is broken") : Effect.succeed((value) => {
      const required = (schema.required ?? []) as ReadonlyArray<string>
      const missing = required.find((key) => !(key in (value as JsonRpc.Params)))
      return missing === undefined ? undefined : `/ must have ${missing}`
    })
}

const withOutput = (required: string, more?: JsonRpc.Params) =>
  tool("t", { outputSchema: { ...object, required: [required], ...more } })

const checked = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.provideService(self, JsonSchemaValidator, validator)

/** Calls the tool, answers the listing that it may need, and then what the call has come to. */
const calling = (
  { mcp, server }: Effect.Success<ReturnType<typeof ready>>,
  result: JsonRpc.Params,
  listed?: JsonRpc.Params
) =>
  Effect.gen(function*() {
    const call = yield* Effect.forkChild(Effect.result(mcp.callTool("t")))
    yield* server.reply(yield* server.expect("tools/call"), { content: [], ...result })
    if (listed !== undefined) yield* page(server, { tools: [listed] })
    return yield* Fiber.join(call)
  })

const message = (outcome: Effect.Success<ReturnType<typeof calling>>) => {
  assert.ok(outcome._tag === "Failure" && outcome.failure._tag === "InvalidResult")
  return outcome.failure.message
}

describe("callTool with a validator", () => {
  it.effect("MUST check structured content against the listed schema, and list once for that", () =>
    checked(Effect.gen(function*() {
      const playing = yield* ready()
      const good = yield* calling(playing, { structuredContent: { a: 1 } }, withOutput("a"))
      assert.ok(good._tag === "Success")
      assert.deepStrictEqual(good.success.structuredContent, { a: 1 })
      const broken = yield* calling(playing, { structuredContent: { b: 1 } })
      assert.include(message(broken), "breaks its output schema: / must have a")
      assert.lengthOf(playing.server.received.filter(({ method }) => method === "tools/list"), 1)
    })))

  it.effect("MUST miss structured content that the listed schema promises", () =>
    checked(Effect.gen(function*() {
      const playing = yield* ready()
      const listing = yield* Effect.forkChild(playing.mcp.listTools())
      yield* page(playing.server, { tools: [withOutput("a")] })
      yield* Fiber.join(listing)
      assert.include(message(yield* calling(playing, {})), "no structured content")
    })))

  it.effect("MUST NOT check a failure of the tool, which is a result", () =>
    checked(Effect.gen(function*() {
      const playing = yield* ready()
      const outcome = yield* calling(playing, { isError: true, structuredContent: { b: 1 } })
      assert.ok(outcome._tag === "Success")
      assert.strictEqual(outcome.success.isError, true)
    })))

  it.effect("MUST fail when the listed schema cannot be used", () =>
    checked(Effect.gen(function*() {
      const playing = yield* ready()
      const outcome = yield* calling(playing, { structuredContent: {} }, withOutput("a", { broken: true }))
      assert.include(message(outcome), "it is broken")
    })))

  it.effect("MUST take the result of a tool that is not listed, or lists no schema", () =>
    checked(Effect.gen(function*() {
      const playing = yield* ready()
      const unlisted = yield* calling(playing, { structuredContent: { b: 1 } }, { ...withOutput("a"), name: "other" })
      assert.strictEqual(unlisted._tag, "Success")
    })))

  it.effect("MUST list again after notifications/tools/list_changed", () =>
    checked(Effect.gen(function*() {
      const playing = yield* ready({}, stateful("2025-11-25"))
      yield* calling(playing, { structuredContent: { a: 1 } }, withOutput("a"))
      yield* playing.server.notify("notifications/tools/list_changed")
      const now = yield* calling(playing, { structuredContent: { a: 1 } }, withOutput("b"))
      assert.include(message(now), "must have b")
    })))

  it.effect("MUST NOT wait for a list longer than the call may take, say that nothing was checked, and not ask again", () =>
    logged((lines) =>
      checked(Effect.gen(function*() {
        const { mcp, server } = yield* ready()
        const answering = Effect.flatMap(
          server.expect("tools/call"),
          (sent) => server.reply(sent, { content: [], structuredContent: { b: 1 } })
        )
        const call = yield* Effect.forkChild(mcp.callTool("t", {}, { timeout: 100 }))
        yield* answering
        yield* server.expect("tools/list")
        yield* settle
        yield* TestClock.adjust(100)
        assert.deepStrictEqual((yield* Fiber.join(call)).structuredContent, { b: 1 })
        assert.lengthOf(lines.filter((line) => line.includes("not checked")), 1)
        yield* server.expect("notifications/cancelled")
        const second = yield* Effect.forkChild(mcp.callTool("t", {}, { timeout: 100 }))
        yield* answering
        assert.deepStrictEqual((yield* Fiber.join(second)).structuredContent, { b: 1 })
      }))
    ))

  it.effect("MUST NOT trust a list that has changed while it was read", () =>
    checked(Effect.gen(function*() {
      const playing = yield* ready({}, stateful("2025-11-25"))
      const { mcp, server } = playing
      const listing = yield* Effect.forkChild(mcp.listTools())
      yield* page(server, { tools: [withOutput("a")], nextCursor: "next" })
      yield* server.notify("notifications/tools/list_changed")
      yield* page(server, { tools: [] })
      yield* Fiber.join(listing)
      const outcome = yield* calling(playing, { structuredContent: { a: 1 } }, withOutput("b"))
      assert.include(message(outcome), "must have b")
    })))
})

describe("callTool without a validator", () => {
  it.effect("MUST NOT list, nor fail; of a tool that was listed it says once that nothing is checked", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const playing = yield* ready()
        assert.strictEqual((yield* calling(playing, { structuredContent: {} }))._tag, "Success")
        const listing = yield* Effect.forkChild(playing.mcp.listTools())
        yield* page(playing.server, { tools: [withOutput("a")] })
        yield* Fiber.join(listing)
        assert.strictEqual((yield* calling(playing, { structuredContent: {} }))._tag, "Success")
        assert.strictEqual((yield* calling(playing, { structuredContent: {} }))._tag, "Success")
        assert.lengthOf(lines.filter((line) => line.includes("not checked")), 1)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "Debug"))
    ))
})
