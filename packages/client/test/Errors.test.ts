/** What replies mean: errors by the method that was called, and results that this client does not know. */
import { assert, describe, it } from "@effect/vitest"
import type * as McpClient from "@mcp-effect/client/McpClient"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { ready } from "./wire.ts"

const answered = (
  ask: (mcp: McpClient.McpClient["Service"]) => Effect.Effect<unknown, unknown>,
  method: string,
  error: JsonRpc.ErrorObject
) =>
  Effect.gen(function*() {
    const { mcp, server } = yield* ready()
    const asking = yield* Effect.forkChild(Effect.flip(ask(mcp)))
    yield* server.fail(yield* server.expect(method), error)
    return yield* Fiber.join(asking)
  })

describe("an error", () => {
  it.effect.each([
    { code: -32602, message: "Unknown tool: t", tag: "ToolNotFound" },
    { code: -32602, message: "Tool t not found", tag: "ToolNotFound" },
    { code: -32602, message: "MCP error -32602: Tool t not found", tag: "ToolNotFound" },
    { code: -32002, message: "no", tag: "ToolNotFound" },
    { code: -32602, message: "Invalid arguments: \"n\" is missing", tag: "InvalidParams" },
    { code: -32601, message: "no", tag: "MethodNotFound" },
    { code: -32600, message: "no", tag: "InvalidRequest" },
    { code: -32603, message: "no", tag: "InternalError" },
    { code: -32001, message: "no", tag: "RemoteError" },
    {
      code: -32022,
      message: "no",
      data: { supported: ["2099-01-01"], requested: "x" },
      tag: "UnsupportedProtocolVersion"
    },
    { code: -32022, message: "no", tag: "RemoteError" },
    {
      code: -32021,
      message: "no",
      data: { requiredCapabilities: { sampling: {} } },
      tag: "MissingRequiredClientCapability"
    },
    { code: 42, message: "no", data: [1], tag: "RemoteError" }
  ])("$code $message of tools/call MUST be $tag", ({ tag, ...error }) =>
    Effect.gen(function*() {
      const failure = yield* answered((mcp) => mcp.callTool("t"), "tools/call", error)
      assert.deepInclude(failure as object, { _tag: tag })
      if (tag === "ToolNotFound") assert.deepInclude(failure as object, { tool: "t", message: error.message })
      if (tag === "RemoteError") assert.deepInclude(failure as object, { code: error.code, message: "no" })
    }))

  it.effect.each([
    { method: "prompts/get", params: { name: "p" }, code: -32602, tag: "PromptNotFound", has: { prompt: "p" } },
    { method: "prompts/get", params: { name: "p" }, code: -32003, tag: "PromptNotFound", has: { prompt: "p" } },
    { method: "prompts/get", params: { name: "p" }, code: -32002, tag: "RemoteError", has: { code: -32002 } },
    { method: "resources/read", params: { uri: "u:1" }, code: -32602, tag: "ResourceNotFound", has: { uri: "u:1" } },
    { method: "resources/read", params: { uri: "u:1" }, code: -32002, tag: "ResourceNotFound", has: { uri: "u:1" } },
    { method: "resources/read", params: { uri: "u:1" }, code: -32004, tag: "ResourceNotFound", has: { uri: "u:1" } },
    { method: "tools/list", params: {}, code: -32002, tag: "RemoteError", has: { code: -32002 } },
    { method: "tools/list", params: {}, code: -32602, tag: "InvalidParams", has: {} },
    { method: "any/thing", params: {}, code: -32601, tag: "MethodNotFound", has: { method: "any/thing" } }
  ])("$code of $method MUST be $tag", ({ code, has, method, params, tag }) =>
    Effect.gen(function*() {
      const failure = yield* answered((mcp) => mcp.request(method, params), method, {
        code,
        message: "It was not found"
      })
      assert.deepInclude(failure as object, { _tag: tag, ...has })
    }))

  it.effect("of the arguments MUST NOT be read as an unknown tool for the words in it", () =>
    Effect.gen(function*() {
      const failure = yield* answered((mcp) => mcp.callTool("t"), "tools/call", {
        code: -32602,
        message: "Invalid arguments for tool t: unknown key \"x\""
      })
      assert.deepInclude(failure as object, { _tag: "InvalidParams" })
    }))
})

describe("a result", () => {
  const resulting = (result: JsonRpc.Params) =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready()
      const asking = yield* Effect.forkChild(Effect.result(mcp.request("any/thing", { a: 1 })))
      yield* server.reply(yield* server.expect("any/thing"), result)
      return yield* Fiber.join(asking)
    })

  it.effect("MUST be handed over as it came, whether it says that it is complete or says nothing", () =>
    Effect.gen(function*() {
      for (const result of [{ x: [1] }, { resultType: "complete", x: null }]) {
        const outcome = yield* resulting(result)
        assert.ok(outcome._tag === "Success")
        assert.deepStrictEqual(outcome.success, result)
      }
    }))

  it.effect.each(["task", "", null, 7])(
    "of the type %j MUST be an InvalidResult that says so",
    (resultType) =>
      Effect.gen(function*() {
        const outcome = yield* resulting({ resultType })
        assert.ok(outcome._tag === "Failure" && outcome.failure._tag === "InvalidResult")
        assert.strictEqual(outcome.failure.method, "any/thing")
        assert.include(
          outcome.failure.message,
          typeof resultType === "string" ? JSON.stringify(resultType) : typeof resultType
        )
      })
  )
})
