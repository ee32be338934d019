/** A toolkit of `effect/ai`, served as tools. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Principal from "@mcp-effect/protocol/Principal"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as RequestContext from "@mcp-effect/server/RequestContext"
import * as ToolkitBridge from "@mcp-effect/server/ToolkitBridge"
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

const Weather = Tool.make("weather", {
  description: "The weather of a city",
  parameters: Schema.Struct({
    city: Schema.String.annotate({ description: "Where" }),
    at: Schema.optionalKey(Schema.Date)
  }),
  success: Schema.Struct({ degrees: Schema.Finite, at: Schema.Date })
}).annotate(Tool.Title, "Weather").annotate(Tool.Readonly, true).annotate(Tool.Destructive, false)
  .annotate(Tool.Idempotent, true).annotate(Tool.OpenWorld, false).annotate(Tool.Meta, { m: 1 })

const WeatherKit = Toolkit.make(Weather)

const weather = ToolkitBridge.layer(WeatherKit).pipe(Layer.provide(WeatherKit.toLayer({
  weather: ({ at = DateTime.toDate(DateTime.makeUnsafe(0)), city }) => Effect.succeed({ degrees: city.length, at })
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

it.effect("a tool MUST be listed with the hints that it was given, and no others", () =>
  Effect.gen(function*() {
    const Kit = Toolkit.make(
      Tool.make("plain"),
      Tool.make("safe").annotate(Tool.Destructive, false),
      Tool.make("titled").annotate(Tool.Title, "Titled")
    )
    const handler = () => Effect.void
    const layer = ToolkitBridge.layer(Kit).pipe(
      Layer.provide(Kit.toLayer({ plain: handler, safe: handler, titled: handler }))
    )
    assert.deepStrictEqual((yield* listed(layer)).map(({ annotations }) => annotations), [
      undefined,
      { destructiveHint: false },
      { title: "Titled" }
    ])
  }))

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
        decode: SchemaGetter.transformEffect((text: string) => Effect.map(Codec, (prefix) => prefix + text)),
        encode: SchemaGetter.transformEffect((text: string) => Effect.map(Codec, () => text))
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
      const Kit = Toolkit.make(tool as unknown as typeof Weather)
      const layer = ToolkitBridge.layer(Kit).pipe(
        Layer.provide(Kit.toLayer({ weather: () => Effect.die("never") }))
      )
      const handlers = Layer.succeedContext(Context.makeUnsafe(new Map([[tool.id, { context: Context.empty() }]])))
      const error = yield* Effect.flip(serve(layer.pipe(Layer.provide(handlers))))
      assert.strictEqual(error.kind, "tool")
      assert.include(error.message, says)
    }))
})
