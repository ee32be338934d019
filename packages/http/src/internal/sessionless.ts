/**
 * The stateful revisions without sessions, for where no process lives long enough to keep one: each POST is answered as
 * by a session that was opened for it, with a client of which nothing is known. The client cannot be asked.
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { closed, type Peer } from "@mcp-effect/protocol/Peer"
import type { McpServer } from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import type { Headers } from "effect/http/Headers"
import type { Era, Responds } from "./era.ts"
import type { Wire } from "./exchange.ts"
import * as Reply from "./reply.ts"
import type { Single } from "./single.ts"
import * as Text from "./text.ts"

export const make = (parts: {
  readonly server: McpServer["Service"]
  readonly single: Single
  readonly run: Wire["run"]
  readonly maxBatch: number
}): Era => {
  const handle = (headers: Headers, request: JsonRpc.Request) => (back: Peer) =>
    Effect.scoped(Effect.gen(function*() {
      const connection = yield* parts.server.connect(back)
      if (request.method !== "initialize") {
        yield* connection.request(initialize(versionOf(headers)), closed)
        yield* connection.notify(JsonRpc.notification("notifications/initialized"))
      }
      return yield* connection.request(request, back)
    }))
  const batch = (headers: Headers, { messages }: JsonRpc.Batch): Responds => {
    const version = versionOf(headers)
    if (parts.server.revisions.find(({ name }) => name === version)?.batches !== true) {
      return Effect.succeed(Reply.noBatch)
    }
    if (messages.length > parts.maxBatch) return Effect.succeed(Reply.batchTooLarge(parts.maxBatch))
    const asked = messages.filter(isAnswered)
    if (asked.length === 0) return Effect.succeed(Reply.accepted)
    const replies = (back: Peer) =>
      Effect.forEach(asked, (message) =>
        message._tag === "Invalid"
          ? Effect.succeed(Reply.textOfInvalid(message))
          // Sound: a server fails no request.
          : Effect.map(Effect.orDie(handle(headers, message)(back)), (response) =>
            Text.ofResponse(parts.run, response)), { concurrency: AT_ONCE })
    return parts.single.respond(
      replies,
      (exit) => exit._tag === "Success" ? { text: `[${exit.value.join(",")}]`, status: 200 } : broken
    )
  }
  return {
    post: (headers, message) => {
      switch (message._tag) {
        case "Request":
          return parts.single.answer(message, handle(headers, message), () => 200)
        case "Invalid":
          return Effect.succeed(Reply.invalid(message))
        case "Batch":
          return batch(headers, message)
        default:
          // Nobody is left to hear of it.
          return Effect.as(
            Effect.logDebug(`Ignored ${message._tag === "Notification" ? message.method : "a response"}: no session`),
            Reply.accepted
          )
      }
    }
  }
}

/** How many requests of one batch are handled at once. */
const AT_ONCE = 16

type Asked = JsonRpc.Request | JsonRpc.Invalid

const isAnswered = (message: JsonRpc.Message | JsonRpc.Invalid): message is Asked =>
  message._tag === "Request" || (message._tag === "Invalid" && message.kind !== "response")

const broken = {
  text: JsonRpc.encode(JsonRpc.failure(undefined, { code: JsonRpc.INTERNAL_ERROR, message: "Internal error" })),
  status: 500
}

// What a client that says nothing of it speaks.
const versionOf = (headers: Headers): string => headers["mcp-protocol-version"] ?? "2025-03-26"

const initialize = (protocolVersion: string): JsonRpc.Request =>
  JsonRpc.request(0, "initialize", {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "unknown", version: "0.0.0" }
  })
