/**
 * The stateful revisions without sessions, for where no process lives long enough to keep one: each POST is answered as
 * by a session that was opened for it, with a client of which nothing is known. The client cannot be asked.
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { closed, type Peer } from "@mcp-effect/protocol/Peer"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import type { McpServer } from "@mcp-effect/server/McpServer"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import type { Headers } from "effect/http/Headers"
import * as Option from "effect/Option"
import type { Era, Responds } from "./era.ts"
import * as Reply from "./reply.ts"
import type { Answer } from "./single.ts"

export const make = (parts: {
  readonly server: McpServer["Service"]
  readonly answer: Answer
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
    if (Revisions.get(versionOf(headers))?.batches !== true) return Effect.succeed(Reply.noBatch)
    if (messages.length > parts.maxBatch) return Effect.succeed(Reply.batchTooLarge(parts.maxBatch))
    const texts = Effect.forEach(messages, (message) => {
      if (message._tag === "Invalid") return Effect.succeed(Option.some(Reply.textOfInvalid(message)))
      if (message._tag !== "Request") return Effect.succeed(Option.none())
      return Effect.map(
        Effect.orDie(handle(headers, message)(closed)),
        (response) => Option.some(JsonRpc.encode(response))
      )
    }, { concurrency: "unbounded" })
    return Effect.map(texts, (all) => {
      const replies = Array.getSomes(all)
      return replies.length === 0 ? Reply.accepted : Reply.json(`[${replies.join(",")}]`)
    })
  }
  return {
    post: (headers, message) => {
      switch (message._tag) {
        case "Request":
          return parts.answer(message, handle(headers, message), () => 200)
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

// What a client that says nothing of it speaks.
const versionOf = (headers: Headers): string => headers["mcp-protocol-version"] ?? "2025-03-26"

const initialize = (protocolVersion: string): JsonRpc.Request =>
  JsonRpc.request(0, "initialize", {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "unknown", version: "0.0.0" }
  })
