/** What middleware is put around. */
import { assert } from "@effect/vitest"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Tool from "@mcp-effect/protocol/Tool"
import { type Method } from "@mcp-effect/server/Call"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Middleware from "@mcp-effect/server/Middleware"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { serve, speak } from "./client.ts"

export const Echo = Tool.make("echo", { input: { text: Schema.String } })
export const echo = McpServer.tool(Echo, ({ text }) => text === "fail" ? Effect.die("no") : Effect.succeed(text))

export const ada = Principal.make({ subject: "ada" })
export const denied = new McpError.InvalidRequest({ message: "Denied" })

export const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

/** Passes everything on, and keeps what it has seen. */
export const spy = (seen: Array<unknown>, name = "spy") =>
  Middleware.make(
    name,
    (request, next) =>
      Effect.onExit(next(), (exit) => Effect.sync(() => seen.push([request, Exit.isSuccess(exit) ? exit.value : exit])))
  )

/** Some call, as a feature gets it. */
export const aCall = Effect.gen(function*() {
  const calls: Array<Parameters<Method>[0]> = []
  const extension = McpServer.extension({
    id: "com.example/x",
    around: { "tools/list": (call, next) => Effect.suspend(() => (calls.push(call), next(call))) }
  })
  const client = yield* speak(yield* serve(Layer.merge(echo, extension)), "2025-11-25", {
    experimental: { "com.example/x": {} }
  })
  yield* client.result("tools/list")
  return calls[0] ?? assert.fail("there was no call")
})
