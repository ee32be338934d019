/** Tools whose parameters a transport repeats outside of the body. */
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { serve, speak } from "./client.ts"

const named = (schema: Tool.AnySchema) => McpServer.tool(Tool.make("t", { input: { a: schema } }), () => Effect.void)

describe("a parameter that is to be repeated", () => {
  it.effect.each(["2025-11-25", "2026-07-28"] as const)(
    "MUST be listed with its name in %s",
    (revision) =>
      Effect.gen(function*() {
        const server = yield* serve(named(Schema.String.annotate({ "x-mcp-header": "Region" })))
        const { tools } = yield* (yield* speak(server, revision)).result("tools/list")
        assert.deepStrictEqual(tools, [{
          name: "t",
          inputSchema: {
            type: "object",
            properties: { a: { type: "string", "x-mcp-header": "Region" } },
            required: ["a"]
          }
        }])
      })
  )

  it.effect("that cannot be MUST fail the layer, by the name of the tool and the place", () =>
    Effect.gen(function*() {
      const array = Schema.Array(Schema.String.annotate({ "x-mcp-header": "Region" }))
      const error = yield* Effect.flip(serve(named(array)))
      assert.deepInclude(error, { _tag: "RegistrationError", kind: "tool", key: "t" })
      assert.include(error.message, `tool "t" cannot be advertised: "x-mcp-header" is at #/properties/a/items`)
    }))
})
