/** Servers of either era that declare everything, and how a test plays them. */
import type * as McpClient from "@mcp-effect/client/McpClient"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { discovery, ready, type Script, type Server, settle, welcome } from "./wire.ts"

export const everything: JsonRpc.Params = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {}
}

/** Opens what a server of 2026-07-28 or of 2025-11-25 would, with these capabilities. */
export const opening = (era: Era, capabilities: JsonRpc.Params = everything): Script => (server) =>
  Effect.gen(function*() {
    const probe = yield* server.answer
    if (era === "stateless") return yield* server.reply(probe, discovery({ capabilities }))
    if (probe.method === "server/discover") {
      yield* server.fail(probe, { code: -32601, message: "Method not found" })
    }
    const first = probe.method === "initialize" ? probe : yield* server.expect("initialize")
    yield* server.reply(first, welcome("2025-11-25", { capabilities }))
    yield* server.expect("notifications/initialized")
  })

export type Era = "stateless" | "stateful"

export const eras: ReadonlyArray<Era> = ["stateless", "stateful"]

/** A client of such a server, once it is ready. */
export const client = (era: Era, options?: Partial<McpClient.Options>, capabilities?: JsonRpc.Params) =>
  ready(options, opening(era, capabilities))

/** Runs what asks the server one thing, and answers it; yields what came of it, and what was asked. */
export const asked = <A, E>(server: Server, method: string, ask: Effect.Effect<A, E>, result: JsonRpc.Params) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(ask)
    const sent = yield* server.expect(method)
    yield* server.reply(sent, result)
    return { value: yield* Fiber.join(fiber), sent }
  })

/** As {@link asked}, for an error that the server replies with. */
export const refused = <A, E>(server: Server, method: string, ask: Effect.Effect<A, E>, error: JsonRpc.ErrorObject) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(Effect.flip(ask))
    yield* server.fail(yield* server.expect(method), error)
    return yield* Fiber.join(fiber)
  })

/** How many requests of a method the server was sent. */
export const count = (server: Server, method: string) =>
  Effect.map(settle, () => server.received.filter((sent) => sent.method === method).length)

export const complete = (result: JsonRpc.Params, more?: JsonRpc.Params): JsonRpc.Params => ({
  resultType: "complete",
  ttlMs: 0,
  cacheScope: "private",
  ...result,
  ...more
})
