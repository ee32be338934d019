/** A span for a request, where somebody collects spans: the native tracer keeps them to itself, and they cost. */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as TraceContext from "@mcp-effect/protocol/TraceContext"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import type { Call } from "../Call.ts"

export const traced = (
  { request, revision }: Call,
  self: Effect.Effect<JsonRpc.Response>
): Effect.Effect<JsonRpc.Response> =>
  Effect.withFiber((fiber) => {
    if (fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer) return self
    const { attributes, name } = TraceContext.describe(request.method, request.params, revision.name)
    return Effect.withSpan(Effect.tap(self, note), name, {
      kind: "server",
      parent: TraceContext.fromParams(request.params),
      attributes: { ...attributes, "jsonrpc.request.id": String(request.id) },
      captureStackTrace: false
    })
  })

// A reply that is an error is no failure of the fiber.
const note = (response: JsonRpc.Response): Effect.Effect<void> => {
  if (response._tag === "Failure") return Effect.annotateCurrentSpan("error.type", String(response.error.code))
  return response.result.isError === true ? Effect.annotateCurrentSpan("error.type", "tool_error") : Effect.void
}
