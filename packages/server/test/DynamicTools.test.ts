/** Tools made from raw JSON Schema, and the codes of older deployments. */
import { assert, describe, it } from "@effect/vitest"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { JsonSchemaValidator } from "@mcp-effect/protocol/JsonSchemaValidator"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Tool from "@mcp-effect/protocol/Tool"
import { ErrorCodes } from "@mcp-effect/server/ErrorCodes"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { serve, speak, texts } from "./client.ts"
import { logged } from "./log.ts"

const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
const outputSchema = { type: "object", properties: { twice: { type: "number" } }, required: ["twice"] }

const Twice = Tool.dynamic("twice", { description: "Doubles", inputSchema, outputSchema })
const Free = Tool.dynamic("free", { inputSchema: { type: "object" } })

const twice = McpServer.tool(Twice, ({ n }) => Effect.succeed({ twice: typeof n === "number" ? n * 2 : n }))
const free = McpServer.tool(Free, (args) => Effect.succeed(JSON.stringify(args)))

/** A validator that knows one rule: what is required is a number. */
const validator = (compiled: Array<JsonRpc.Params>): JsonSchemaValidator => ({
  compile: (schema) =>
    Effect.sync(() => {
      compiled.push(schema)
      const required = (schema.required ?? []) as ReadonlyArray<string>
      return (value) => {
        const missing = required.find((key) => typeof (value as JsonRpc.Params)[key] !== "number")
        return missing === undefined ? undefined : `/${missing} must be number`
      }
    })
})

describe("a dynamic tool", () => {
  it.effect("MUST be listed with its schemas as they were given", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(twice), "2025-11-25")
      assert.deepStrictEqual((yield* client.result("tools/list")).tools, [
        { name: "twice", description: "Doubles", inputSchema, outputSchema }
      ])
    }))

  it.effect("with a validator MUST have its arguments and its output checked, compiled once", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const compiled: Array<JsonRpc.Params> = []
        const wrong = Tool.dynamic("wrong", { inputSchema: { type: "object" }, outputSchema })
        const tools = Layer.mergeAll(twice, McpServer.tool(wrong, () => Effect.succeed({ twice: "four" }))).pipe(
          Layer.provide(Layer.succeed(JsonSchemaValidator, validator(compiled)))
        )
        const client = yield* speak(yield* serve(tools), "2025-11-25")
        assert.deepStrictEqual((yield* client.call("twice", { n: 2 })).structuredContent, { twice: 4 })
        const refused = yield* client.call("twice", { n: "2" })
        assert.strictEqual(refused.isError, true)
        assert.deepStrictEqual(texts(refused), ["Invalid arguments for tool twice: /n must be number"])
        assert.deepStrictEqual(lines, [])
        const broken = yield* client.call("wrong")
        assert.deepStrictEqual(texts(broken), ["The tool wrong failed unexpectedly."])
        assert.include(lines.join("\n"), "/twice must be number")
        assert.lengthOf(compiled, 4)
      })
    ))

  it.effect("without a validator MUST NOT be checked, and the log says so once for each schema", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(twice), "2025-11-25")
        assert.deepStrictEqual((yield* client.call("twice", { n: "2" })).structuredContent, { twice: "2" })
        yield* client.call("twice", { n: 1 })
        assert.lengthOf(lines, 2)
        assert.match(lines[0] ?? "", /^Warn The input of tool twice is not checked/)
        assert.match(lines[1] ?? "", /^Warn The output of tool twice is not checked/)
      })
    ))

  it.effect("whose schema the validator cannot use MUST refuse its calls with the reason", () =>
    Effect.gen(function*() {
      const tools = free.pipe(
        Layer.provide(Layer.succeed(JsonSchemaValidator, { compile: () => Effect.fail("a remote $ref") }))
      )
      const client = yield* speak(yield* serve(tools), "2025-11-25")
      const result = yield* client.call("free", {})
      assert.strictEqual(result.isError, true)
      assert.include(String(texts(result)[0]), "a remote $ref")
    }))

  it.effect("MUST be given its arguments as they came, own keys of any name included", () =>
    logged(() =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(free), "2025-11-25")
        const args = JSON.parse("{\"a\":[null,{\"b\":1}],\"__proto__\":{\"x\":1},\"constructor\":2}") as JsonRpc.Params
        assert.deepStrictEqual(texts(yield* client.call("free", args)), [JSON.stringify(args)])
        assert.deepStrictEqual(texts(yield* client.call("free")), ["{}"])
      })
    ))

  it("whose input is no object MUST be refused when it is defined", () => {
    assert.throws(() => Tool.dynamic("list", { inputSchema: { type: "array" } }), TypeError, "\"list\"")
    assert.throws(() => Tool.dynamic("any", { inputSchema: {} }), TypeError, "\"any\"")
  })
})

describe("ErrorCodes", () => {
  const unknown = (codes: McpError.NotFoundCodes | undefined) =>
    Effect.gen(function*() {
      const server = yield* logged(() => serve(free))
      const client = yield* Effect.provideService(speak(server, "2025-11-25"), ErrorCodes, codes)
      return yield* client.error("tools/call", { name: "nothing" })
    })

  it.effect("MUST be the specification's by default: -32602 for an unknown tool", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* unknown(undefined), { code: -32602, message: "Unknown tool: nothing" })
    }))

  it.effect("MUST be those of older deployments where that profile is set: -32002", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* unknown(McpError.legacyNotFoundCodes), {
        code: -32002,
        message: "Unknown tool: nothing"
      })
    }))

  it.effect("MUST leave other errors alone", () =>
    Effect.gen(function*() {
      const server = yield* logged(() => serve(free))
      const client = yield* Effect.provideService(
        speak(server, "2025-11-25"),
        ErrorCodes,
        McpError.legacyNotFoundCodes
      )
      assert.strictEqual((yield* client.error("tools/call", {})).code, -32602)
      assert.strictEqual((yield* client.error("nothing/at-all")).code, -32601)
    }))
})
