/** Requests that take several rounds, since the server asks for input. */
import { assert, describe, it } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/client/Elicitation"
import type * as McpClient from "@mcp-effect/client/McpClient"
import * as Sampling from "@mcp-effect/client/Sampling"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Messages from "@mcp-effect/protocol/Sampling"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { accepting, form, playing } from "./answering.ts"
import { settle, stateless, text } from "./wire.ts"

describe("a result that asks for input", () => {
  const name = { method: "elicitation/create", params: form({ name: { type: "string" } }) }
  const asking = (more: Params): Params => ({ resultType: "input_required", ...more })
  const all = Layer.mergeAll(
    accepting({ name: "Ada" }),
    Sampling.layer(() => Effect.succeed({ role: "assistant", model: "m", content: [Messages.text("Hi")] }))
  )
  const began = (handlers: Parameters<typeof playing>[0] = all, options: Partial<McpClient.Options> = {}) =>
    Effect.gen(function*() {
      const { mcp, server } = yield* playing(handlers, stateless, options)
      const call = yield* Effect.forkChild(Effect.result(mcp.callTool("t", { a: 1 })))
      return { call, server, first: yield* server.expect("tools/call") }
    })

  it.effect("MUST be followed by the same request with all answers and the state as it came, until there is a result", () =>
    Effect.gen(function*() {
      const { call, first, server } = yield* began()
      const message = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } }
      yield* server.reply(first, asking({ inputRequests: { who: name, what: message }, requestState: "s{1}" }))
      const second = yield* server.expect("tools/call")
      assert.notStrictEqual(second.id, first.id)
      const { _meta, ...params } = second.params ?? {}
      assert.deepStrictEqual(params, {
        name: "t",
        arguments: { a: 1 },
        requestState: "s{1}",
        inputResponses: {
          who: { action: "accept", content: { name: "Ada" } },
          what: { role: "assistant", model: "m", content: text("Hi") }
        }
      })
      // What is not asked again is not sent again.
      yield* server.reply(second, asking({ inputRequests: { more: name } }))
      const third = yield* server.expect("tools/call")
      assert.deepStrictEqual(Object.keys(third.params?.inputResponses as object), ["more"])
      assert.notProperty(third.params, "requestState")
      yield* server.reply(third, { content: [text("done")] })
      const outcome = yield* Fiber.join(call)
      assert.ok(outcome._tag === "Success")
      assert.deepStrictEqual(outcome.success.content, [text("done")])
    }))

  it.effect("without questions MUST be followed by the same request with its state, after a pause", () =>
    Effect.gen(function*() {
      const { call, first, server } = yield* began(Layer.empty)
      yield* server.reply(first, asking({ requestState: "later" }))
      yield* settle
      assert.strictEqual(server.received.filter(({ method }) => method === "tools/call").length, 1)
      yield* TestClock.adjust("100 millis")
      const second = yield* server.expect("tools/call")
      assert.strictEqual(second.params?.requestState, "later")
      assert.notProperty(second.params, "inputResponses")
      yield* server.reply(second, { content: [] })
      assert.strictEqual((yield* Fiber.join(call))._tag, "Success")
    }))

  it.effect.each([
    { result: {}, says: "does not say for which" },
    { result: { inputRequests: [] }, says: "\"inputRequests\" must be an object" },
    {
      result: { inputRequests: { a: { method: "roots/list" } } },
      says: "\"roots/list\", which this client did not declare"
    },
    { result: { inputRequests: { a: "x" } }, says: "asks for as \"a\" is no request" },
    { result: { requestState: 7 }, says: "\"requestState\" must be a string" }
  ])("MUST fail the call with what is wrong: $says", ({ result, says }) =>
    Effect.gen(function*() {
      const { call, first, server } = yield* began()
      yield* server.reply(first, asking(result))
      const outcome = yield* Fiber.join(call)
      assert.ok(outcome._tag === "Failure" && outcome.failure._tag === "InvalidResult")
      assert.include(outcome.failure.message, says)
    }))

  it.effect("MUST NOT be taken from a request that may not ask", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* playing(all, stateless)
      const listing = yield* Effect.forkChild(Effect.flip(mcp.listTools()))
      yield* server.reply(yield* server.expect("tools/list"), asking({ inputRequests: { who: name } }))
      assert.strictEqual((yield* Fiber.join(listing))._tag, "InvalidResult")
    }))

  it.effect("MUST NOT be followed for ever", () =>
    Effect.gen(function*() {
      const { call, first, server } = yield* began(all, { maxInputRounds: 3 })
      let sent = first
      for (let round = 0; round < 3; round++) {
        yield* server.reply(sent, asking({ inputRequests: { who: name } }))
        sent = yield* server.expect("tools/call")
      }
      yield* server.reply(sent, asking({ inputRequests: { who: name } }))
      const outcome = yield* Fiber.join(call)
      assert.ok(outcome._tag === "Failure")
      assert.include(outcome.failure.message, "3 times for one request, which is the limit")
    }))

  it.effect("MUST have its handlers interrupted with the call, and not be timed by it while the user thinks", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const waiting = Effect.onInterrupt(Effect.never, () => Effect.asVoid(Deferred.succeed(interrupted, undefined)))
      const { call, first, server } = yield* began(Elicitation.layer({ form: () => waiting }))
      yield* server.reply(first, asking({ inputRequests: { who: name } }))
      yield* settle
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(call.pollUnsafe())
      yield* Fiber.interrupt(call)
      yield* Deferred.await(interrupted)
    }))

  it.effect("MUST report progress of every round", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* playing(all, stateless)
      const seen: Array<number> = []
      const onProgress = ({ progress }: { readonly progress: number }) => Effect.sync(() => void seen.push(progress))
      const call = yield* Effect.forkChild(mcp.callTool("t", {}, { onProgress }))
      const first = yield* server.expect("tools/call")
      yield* server.progress(first, 1)
      yield* server.reply(first, asking({ inputRequests: { who: name } }))
      const second = yield* server.expect("tools/call")
      yield* server.progress(second, 2)
      yield* server.reply(second, { content: [] })
      yield* Fiber.join(call)
      assert.deepStrictEqual(seen, [1, 2])
    }))
})

describe("a request with an answer of its own", () => {
  it.effect("MUST have what is asked for it answered by that", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* playing(accepting({ name: "Ada" }), stateless)
      const asked = { method: "elicitation/create", params: form({ name: { type: "string" } }) }
      const call = yield* Effect.forkChild(mcp.callTool("t", {}, {
        answer: () => Effect.succeed({ action: "decline" })
      }))
      yield* server.reply(yield* server.expect("tools/call"), {
        resultType: "input_required",
        inputRequests: { who: asked }
      })
      const second = yield* server.expect("tools/call")
      assert.deepStrictEqual(second.params?.inputResponses, { who: { action: "decline" } })
      yield* server.reply(second, { content: [] })
      yield* Fiber.join(call)
    }))
})
