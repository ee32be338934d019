import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"
import { ready } from "./wire.ts"

const work = Effect.gen(function*() {
  const { mcp, server } = yield* ready()
  const call = Effect.gen(function*() {
    const replying = yield* Effect.forkChild(
      Effect.tap(server.expect("tools/call"), (sent) => server.reply(sent, { content: [] }))
    )
    yield* mcp.callTool("work")
    return (yield* Fiber.join(replying)).params?._meta as Record<string, unknown>
  })
  return { call }
})

describe("a traced request", () => {
  it.effect("MUST carry its span in _meta", () =>
    Effect.gen(function*() {
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const { call } = yield* work
      const meta = yield* call.pipe(Effect.withSpan("caller"), Effect.provideService(Tracer.Tracer, tracer))
      const [caller, request] = spans
      assert.strictEqual(request?.name, "tools/call work")
      assert.ok(request?.parent._tag === "Some" && request.parent.value.spanId === caller?.spanId)
      assert.strictEqual(meta.traceparent, `00-${request?.traceId}-${request?.spanId}-01`)
    }))

  it.effect("MUST carry none where nobody collects spans", () =>
    Effect.gen(function*() {
      const { call } = yield* work
      assert.notProperty(yield* Effect.withSpan(call, "caller"), "traceparent")
    }))
})
