/** A toolkit of `effect/ai`, served as tools. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Principal from "@mcp-effect/protocol/Principal"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as ToolResult from "@mcp-effect/protocol/ToolResult"
import * as RequestContext from "@mcp-effect/server/RequestContext"
import * as ToolkitBridge from "@mcp-effect/server/ToolkitBridge"
import * as AiError from "effect/ai/AiError"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { serve, speak, texts } from "./client.ts"
import { logged } from "./log.ts"

const client = (layer: Parameters<typeof serve>[0], revision: Revision.Name = "2025-11-25") =>
  Effect.flatMap(serve(layer), (server) => speak(server, revision))

const listed = (layer: Parameters<typeof serve>[0], revision?: Revision.Name) =>
  Effect.flatMap(client(layer, revision), (asking) =>
    // Sound: what tests look at is compared anyway.
    Effect.map(asking.result("tools/list"), ({ tools }) => tools as ReadonlyArray<JsonRpc.Params>))

class NoSuchCity extends Schema.TaggedError<NoSuchCity>()("NoSuchCity", { city: Schema.String }) {
  override get message(): string {
    return `There is no ${this.city}`
  }
}

const Weather = Tool.make("weather", {
  description: "The weather of a city",
  parameters: Schema.Struct({
    city: Schema.String.annotate({ description: "Where" }),
    at: Schema.optionalKey(Schema.Date)
  }),
  success: Schema.Struct({ degrees: Schema.Finite, at: Schema.Date }),
  failure: NoSuchCity
}).annotate(Tool.Title, "Weather").annotate(Tool.Readonly, true).annotate(Tool.Destructive, false)
  .annotate(Tool.Idempotent, true).annotate(Tool.OpenWorld, false).annotate(Tool.Meta, { m: 1 })

const WeatherKit = Toolkit.make(Weather)

const weather = ToolkitBridge.layer(WeatherKit).pipe(Layer.provide(WeatherKit.toLayer({
  weather: ({ at = DateTime.toDate(DateTime.makeUnsafe(0)), city }) =>
    city === "Atlantis" ? Effect.fail(new NoSuchCity({ city })) : Effect.succeed({ degrees: city.length, at })
})))

describe.each(Revisions.all.map(({ name }) => name))("in %s", (revision) => {
  it.effect("a tool MUST be listed with its schemas, texts and hints", () =>
    Effect.gen(function*() {
      const [tool] = yield* listed(weather, revision)
      const date = { type: "string", format: "date-time" }
      assert.deepStrictEqual(tool, {
        name: "weather",
        description: "The weather of a city",
        inputSchema: {
          type: "object",
          properties: { city: { type: "string", description: "Where" }, at: date },
          required: ["city"]
        },
        ...(revision < "2025-03-26" ? {} : {
          annotations: {
            title: "Weather",
            readOnlyHint: true,
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false
          }
        }),
        ...(revision < "2025-06-18" ? {} : {
          title: "Weather",
          _meta: { m: 1 },
          outputSchema: {
            type: "object",
            properties: { degrees: { type: "number" }, at: date },
            required: ["degrees", "at"]
          }
        })
      })
    }))

  it.effect("a call MUST be of decoded arguments, and its output encoded", () =>
    Effect.gen(function*() {
      const asking = yield* client(weather, revision)
      const output = { degrees: 4, at: "2020-01-01T00:00:00.000Z" }
      const result = yield* asking.call("weather", { city: "Rome", at: output.at })
      assert.deepStrictEqual(texts(result), [JSON.stringify(output)])
      assert.deepStrictEqual(result.structuredContent, revision < "2025-06-18" ? undefined : output)
    }))

  it.effect("invalid arguments MUST be answered as the revision does", () =>
    Effect.gen(function*() {
      const response = yield* (yield* client(weather, revision)).ask("tools/call", {
        name: "weather",
        arguments: { city: 1 }
      })
      if (revision < "2025-11-25") {
        assert.ok(response._tag === "Failure" && response.error.code === JsonRpc.INVALID_PARAMS)
        assert.include(response.error.message, "Invalid arguments for tool weather")
      } else {
        assert.ok(response._tag === "Success" && response.result.isError === true)
        assert.include(String(texts(response.result)[0]), "Invalid arguments for tool weather")
      }
    }))
})

describe("what a handler fails with", () => {
  it.effect("if it is declared MUST be a failure of the tool, with itself for a typed client", () =>
    Effect.gen(function*() {
      const result = yield* (yield* client(weather)).call("weather", { city: "Atlantis" })
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

describe("a dynamic tool", () => {
  const inputSchema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] } as const
  const Kit = Toolkit.make(
    Tool.dynamic("raw", { parameters: inputSchema, success: Schema.Struct({ n: Schema.NumberFromString }) }),
    Tool.dynamic("any", { parameters: inputSchema }),
    Tool.dynamic("typed", { parameters: Schema.Struct({ n: Schema.NumberFromString }), success: Schema.Finite })
  )
  const layer = ToolkitBridge.layer(Kit).pipe(Layer.provide(Kit.toLayer({
    raw: (params) => Effect.succeed({ n: JSON.stringify(params).length }),
    any: (params) => Effect.succeed(params),
    typed: ({ n }) => Effect.succeed(n + 1)
  })))

  it.effect("MUST have its JSON Schema as it is, and what it succeeds with encoded", () =>
    logged(() =>
      Effect.gen(function*() {
        const tools = yield* listed(layer)
        assert.deepStrictEqual(tools.map(({ inputSchema, name }) => name === "typed" ? name : inputSchema), [
          inputSchema,
          inputSchema,
          "typed"
        ])
        const asking = yield* client(layer)
        assert.deepStrictEqual((yield* asking.call("raw", { q: "a" })).structuredContent, { n: "9" })
        assert.deepStrictEqual(texts(yield* asking.call("any", { q: "a" })), ["{\"q\":\"a\"}"])
        assert.deepStrictEqual(texts(yield* asking.call("typed", { n: "1" })), ["2"])
      })
    ))
})

describe("a toolkit", () => {
  class Here extends Context.Service<Here, string>()("test/Here") {}
  class There extends Context.Service<There, string>()("test/There") {}
  class Codec extends Context.Service<Codec, string>()("test/Codec") {}

  it.effect("MUST run with the services of its handlers, its tools and their schemas, and for the one who calls", () =>
    Effect.gen(function*() {
      const Prefixed = Schema.String.pipe(Schema.decodeTo(Schema.String, {
        decode: SchemaGetter.transformOrFail((text: string) => Effect.map(Codec, (prefix) => prefix + text)),
        encode: SchemaGetter.transformOrFail((text: string) => Effect.map(Codec, () => text))
      }))
      const Kit = Toolkit.make(Tool.make("who", {
        parameters: Schema.Struct({ a: Prefixed }),
        success: Schema.String,
        dependencies: [Here]
      }))
      const handlers = Kit.toLayer(Effect.gen(function*() {
        const there = yield* There
        return {
          who: ({ a }) =>
            Effect.gen(function*() {
              const { principal } = yield* RequestContext.current
              return [a, there, yield* Here, principal?.subject].join()
            })
        }
      })).pipe(Layer.provide(Layer.succeed(There, "there")))
      const layer = ToolkitBridge.layer(Kit).pipe(
        Layer.provide(handlers),
        Layer.provide(Layer.succeed(Here, "here")),
        Layer.provide(Layer.succeed(Codec, "codec-"))
      )
      const asking = yield* client(layer)
      const result = asking.call("who", { a: "a" })
      const ada = Effect.provideService(result, Principal.Principal, Principal.make({ subject: "ada" }))
      assert.deepStrictEqual(texts(yield* ada), ["codec-a,there,here,ada"])
    }))

  it.effect("MUST be there for those who may see it", () =>
    Effect.gen(function*() {
      const layer = ToolkitBridge.layer(WeatherKit, { visibleTo: () => false }).pipe(
        Layer.provide(WeatherKit.toLayer({ weather: () => Effect.die("never") }))
      )
      assert.deepStrictEqual(yield* listed(layer), [])
    }))

  it.effect("MUST leave out what a provider defines, and say so", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const Search = Tool.providerDefined({
          id: "acme.search",
          customName: "Search",
          providerName: "search",
          args: Schema.Struct({})
        })
        const Kit = Toolkit.make(Search({}), Weather)
        const layer = ToolkitBridge.layer(Kit).pipe(
          Layer.provide(Kit.toLayer({ weather: () => Effect.die("never") }))
        )
        assert.deepStrictEqual((yield* listed(layer)).map(({ name }) => name), ["weather"])
        assert.deepStrictEqual(lines.map((line) => line.trim()), [
          "Info The tool Search is not served: a provider of models defines it"
        ])
      })
    ))

  it.effect.each([
    { what: "a name that is none of a tool", tool: Tool.make("a b"), says: "ill-formed" },
    {
      what: "parameters that are no object",
      tool: Tool.dynamic("a", { parameters: { type: "array" } }),
      says: "\"a\""
    },
    { what: "parameters of no object", tool: Tool.make("a", { parameters: Schema.String }), says: "\"a\"" }
  ])("with $what MUST fail the layer", ({ says, tool }) =>
    Effect.gen(function*() {
      const Kit = Toolkit.make(tool as typeof Weather)
      const layer = ToolkitBridge.layer(Kit).pipe(
        Layer.provide(Kit.toLayer({ weather: () => Effect.die("never") }))
      )
      const handlers = Layer.succeedContext(Context.makeUnsafe(new Map([[tool.id, { context: Context.empty() }]])))
      const error = yield* Effect.flip(serve(layer.pipe(Layer.provide(handlers))))
      assert.strictEqual(error.kind, "tool")
      assert.include(error.message, says)
    }))
})
