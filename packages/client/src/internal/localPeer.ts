/** What a client does for its server: answers what it asks, pings and requests of extensions included, and passes on what it is told. */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import type { Peer } from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Answer } from "../InputHandlers.ts"
import type { Extensions } from "./extensions.ts"
import * as Notified from "./notified.ts"

export const make = (
  extensions: Extensions,
  answer: Answer,
  notified: (notification: JsonRpc.Notification) => Effect.Effect<void>
): Peer => ({
  request: (request) => {
    const { id, method, params = {} } = request
    if (method === "ping") return Effect.succeed(JsonRpc.success(id, {}))
    const handler = extensions.requests.get(method)
    const result = handler === undefined ? answer(method, params) : Effect.suspend(() => handler(params))
    return result === undefined
      ? Effect.succeed(
        JsonRpc.failure(id, { code: JsonRpc.METHOD_NOT_FOUND, message: `Method not found: ${method}` })
      )
      : replied(request, result)
  },
  notify: (notification) => {
    const handled = Notified.handle(extensions, notification)
    return handled === undefined ? notified(notification) : Effect.andThen(handled, notified(notification))
  }
})

/** Answers what this does; the rest is the other's. */
export const answering = (answer: Answer, other: Peer): Peer["request"] => (request, back) => {
  const result = answer(request.method, request.params ?? {})
  return result === undefined ? other.request(request, back) : replied(request, result)
}

const replied = (
  { id, method }: JsonRpc.Request,
  result: Effect.Effect<JsonRpc.Params, McpError.ProtocolError>
): Effect.Effect<JsonRpc.Response> =>
  Effect.matchCauseEffect(result, {
    onSuccess: (result) => Effect.succeed(JsonRpc.success(id, result)),
    onFailure: (cause): Effect.Effect<JsonRpc.Response> => {
      const error = Cause.findErrorOption(cause)
      if (error._tag === "Some") return Effect.succeed(JsonRpc.failure(id, McpError.toWire(error.value)))
      return Effect.as(
        Effect.logError(`The handler of ${method} failed`, cause),
        JsonRpc.failure(id, { code: JsonRpc.INTERNAL_ERROR, message: "Internal error" })
      )
    }
  })
