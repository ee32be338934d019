/** What handlers of a toolkit of `effect/ai` succeed and fail with, as results of tools. */
import { assert, describe, it } from "@effect/vitest"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as ToolResult from "@mcp-effect/protocol/ToolResult"
import * as ToolkitBridge from "@mcp-effect/server/ToolkitBridge"
import * as AiError from "effect/ai/AiError"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { serve, speak, texts } from "./client.ts"
import { logged } from "./log.ts"

const client = (layer: Parameters<typeof serve>[0], revision: Revision.Name = "2025-11-25") =>
  Effect.flatMap(serve(layer), (server) => speak(server, revision))

class NoSuchCity extends Schema.TaggedError<NoSuchCity>()("NoSuchCity", { city: Schema.String }) {
  override get message(): string {
    return `There is no ${this.city}`
  }
}

describe("what a handler fails with", () => {
  it.effect("if it is declared MUST be a failure of the tool, with itself for a typed client", () =>
    Effect.gen(function*() {
      const Kit = Toolkit.make(Tool.make("fails", { failure: NoSuchCity }))
      const layer = ToolkitBridge.layer(Kit).pipe(
        Layer.provide(Kit.toLayer({ fails: () => Effect.fail(new NoSuchCity({ city: "Atlantis" })) }))
      )
      const result = yield* (yield* client(layer)).call("fails")
      assert.strictEqual(result.isError, true)
      assert.deepStrictEqual(texts(result), ["There is no Atlantis"])
      assert.deepStrictEqual(result._meta, { [ToolResult.FAILURE]: { _tag: "NoSuchCity", city: "Atlantis" } })
    }))

  it.effect("in the mode \"return\" MUST be a failure of the tool too", () =>
    Effect.gen(function*() {
      const Kit = Toolkit.make(Tool.make("fails", { failure: Schema.String, failureMode: "return" }))
      const layer = ToolkitBridge.layer(Kit).pipe(Layer.provide(Kit.toLayer({ fails: () => Effect.fail("no") })))
      const result = yield* (yield* client(layer)).call("fails")
      assert.strictEqual(result.isError, true)
      assert.deepStrictEqual(texts(result), ["no"])
    }))

  it.effect("if it is an error of effect/ai MUST be told to the model", () =>
    Effect.gen(function*() {
      const Kit = Toolkit.make(Tool.make("fails"))
      const layer = ToolkitBridge.layer(Kit).pipe(Layer.provide(Kit.toLayer({
        fails: () => Effect.fail(new AiError.InvalidRequestError({ description: "too long" }))
      })))
      const result = yield* (yield* client(layer)).call("fails")
      assert.strictEqual(result.isError, true)
      assert.include(String(texts(result)[0]), "too long")
    }))

  it.effect("if it is a defect MUST be told to the log alone", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const Kit = Toolkit.make(Tool.make("dies"))
        const layer = ToolkitBridge.layer(Kit).pipe(
          Layer.provide(Kit.toLayer({ dies: () => Effect.die(new Error("secret")) }))
        )
        const result = yield* (yield* client(layer)).call("dies")
        assert.deepStrictEqual(texts(result), ["The tool dies failed unexpectedly."])
        assert.include(lines.join("\n"), "secret")
      })
    ))
})

describe("what a handler succeeds with", () => {
  const Kit = Toolkit.make(
    Tool.make("text", { success: Schema.String }),
    Tool.make("nothing"),
    Tool.make("numbers", { success: Schema.Array(Schema.NumberFromString) }),
    Tool.make("picture", {
      success: Schema.Struct({ name: Schema.String }),
      toModelOutput: ({ name }) => [
        { type: "text", text: name, options: {}, "~effect/ai/Prompt/Part": "~effect/ai/Prompt/Part" } as never,
        { type: "file", mediaType: "image/png", data: new Uint8Array([0]), options: {} } as never,
        { type: "file", mediaType: "audio/wav", data: "AA==", options: {} } as never,
        { type: "file", mediaType: "text/plain", data: "AA==", fileName: "a b", options: {} } as never,
        { type: "file", mediaType: "text/plain", data: new URL("https://example.com/a"), options: {} } as never
      ]
    })
  )
  const layer = ToolkitBridge.layer(Kit).pipe(Layer.provide(Kit.toLayer({
    text: () => Effect.succeed("a"),
    nothing: () => Effect.void,
    numbers: () => Effect.succeed([1]),
    picture: () => Effect.succeed({ name: "cat" })
  })))

  it.effect("MUST be content where it is text or nothing, and no output", () =>
    Effect.gen(function*() {
      const asking = yield* client(layer, "2026-07-28")
      const content = { text: [{ type: "text", text: "a" }], nothing: [] }
      for (const [name, expected] of Object.entries(content)) {
        const result = yield* asking.call(name)
        assert.deepStrictEqual(result.content, expected)
        assert.notProperty(result, "structuredContent")
      }
    }))

  it.effect.each([["2025-11-25", undefined], ["2026-07-28", ["1"]]] as const)(
    "MUST be output that is no object where the revision has that (%s)",
    ([revision, structured]) =>
      Effect.gen(function*() {
        const result = yield* (yield* client(layer, revision)).call("numbers")
        assert.deepStrictEqual(result.structuredContent, structured)
        assert.deepStrictEqual(texts(result), ["[\"1\"]"])
      })
  )

  it.effect("MUST have what it is for a model as content", () =>
    Effect.gen(function*() {
      const { content, structuredContent } = yield* (yield* client(layer)).call("picture")
      assert.deepStrictEqual(structuredContent, { name: "cat" })
      assert.deepStrictEqual(content, [
        { type: "text", text: "cat" },
        { type: "image", data: "AA==", mimeType: "image/png" },
        { type: "audio", data: "AA==", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "attachment:a%20b", mimeType: "text/plain", blob: "AA==" } },
        { type: "resource_link", uri: "https://example.com/a", name: "https://example.com/a", mimeType: "text/plain" },
        { type: "text", text: "{\"name\":\"cat\"}" }
      ])
    }))
})

describe("a result that does not fit its schema", () => {
  const Kit = Toolkit.make(
    Tool.make("text", { success: Schema.String.check(Schema.isMinLength(1)) }),
    Tool.make("number", { success: Schema.Struct({ n: Schema.Finite.check(Schema.isGreaterThan(0)) }) })
  )
  const layer = ToolkitBridge.layer(Kit).pipe(Layer.provide(Kit.toLayer({
    text: () => Effect.succeed(""),
    number: (_, { preliminary }) => Effect.as(preliminary({ n: 0 }), { n: 1 })
  })))

  it.effect.each(["text", "number"])(
    "MUST be a defect, preliminary or not (%s)",
    (name) =>
      logged((lines) =>
        Effect.gen(function*() {
          const result = yield* (yield* client(layer)).call(name)
          assert.deepStrictEqual(texts(result), [`The tool ${name} failed unexpectedly.`])
          assert.include(lines.join("\n"), `A result of tool ${name} does not fit its schema`)
        })
      )
  )
})

describe("a preliminary result", () => {
  it.effect("MUST be progress with the result as its message, and no part of the final one", () =>
    Effect.gen(function*() {
      const Kit = Toolkit.make(Tool.make("count", { success: Schema.Struct({ n: Schema.NumberFromString }) }))
      const layer = ToolkitBridge.layer(Kit).pipe(Layer.provide(Kit.toLayer({
        count: (_, { preliminary }) => Effect.as(Effect.andThen(preliminary({ n: 1 }), preliminary({ n: 2 })), { n: 3 })
      })))
      const asking = yield* client(layer)
      const result = yield* asking.call("count", {}, { progressToken: "t" })
      assert.deepStrictEqual(result.structuredContent, { n: "3" })
      assert.deepStrictEqual(texts(result), ["{\"n\":\"3\"}"])
      assert.deepStrictEqual(asking.tied.map(({ params }) => params), [
        { progressToken: "t", progress: 1, message: "{\"n\":\"1\"}" },
        { progressToken: "t", progress: 2, message: "{\"n\":\"2\"}" }
      ])
    }))
})
