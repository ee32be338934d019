import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import { serve, speak } from "./client.ts"

const collecting = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}

const tools = Layer.mergeAll(
  McpServer.tool(Tool.make("work", {}), () => Effect.asVoid(Effect.withSpan(Effect.void, "inside"))),
  McpServer.tool(Tool.make("fails", {}), () => Effect.fail("no"))
)

const traceId = "0af7651916cd43dd8448eb211c80319c"
const spanId = "b7ad6b7169203331"
const traced = (name: string, traceparent: unknown) => ({ name, _meta: { traceparent } })

describe("a traced request", () => {
  it.effect("MUST be a span of the caller's trace, and the parent of the handler's spans", () =>
    Effect.gen(function*() {
      const { spans, tracer } = collecting()
      const client = yield* speak(yield* serve(tools), "2025-11-25")
      yield* client.result("tools/call", traced("work", `00-${traceId}-${spanId}-01`)).pipe(
        Effect.provideService(Tracer.Tracer, tracer)
      )
      const [request, inside] = spans
      assert.deepStrictEqual([request?.name, request?.kind, request?.traceId], ["tools/call work", "server", traceId])
      assert.ok(request?.parent._tag === "Some" && request.parent.value.spanId === spanId)
      assert.strictEqual(request.attributes.get("mcp.protocol.version"), "2025-11-25")
      assert.strictEqual(request.attributes.get("error.type"), undefined)
      assert.ok(inside?.parent._tag === "Some" && inside.parent.value.spanId === request.spanId)
    }))

  it.effect("MUST say what kind of error it ended with", () =>
    Effect.gen(function*() {
      const { spans, tracer } = collecting()
      const client = yield* speak(yield* serve(tools), "2026-07-28")
      yield* Effect.all([client.ask("tools/call", { name: "fails" }), client.ask("tools/call", { name: "unknown" })])
        .pipe(
          Effect.provideService(Tracer.Tracer, tracer)
        )
      assert.deepStrictEqual(spans.map((span) => span.attributes.get("error.type")), ["tool_error", "-32602"])
    }))

  it.effect.each(["junk", 7, `00-${"0".repeat(32)}-${spanId}-01`, `00-${traceId}-short-01`])(
    "MUST begin a trace of its own where the caller's is malformed: %s",
    (traceparent) =>
      Effect.gen(function*() {
        const { spans, tracer } = collecting()
        const client = yield* speak(yield* serve(tools), "2025-11-25")
        yield* client.result("tools/call", traced("work", traceparent)).pipe(
          Effect.provideService(Tracer.Tracer, tracer)
        )
        assert.strictEqual(spans[0]?.parent._tag, "None")
      })
  )
})
