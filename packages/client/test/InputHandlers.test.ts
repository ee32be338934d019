/** What a client answers when a server asks: the same in both eras, and nothing that does not fit. */
import { assert, describe, it } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/client/Elicitation"
import * as Roots from "@mcp-effect/client/Roots"
import * as Sampling from "@mcp-effect/client/Sampling"
import * as Answers from "@mcp-effect/protocol/Elicitation"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Root } from "@mcp-effect/protocol/Roots"
import * as Messages from "@mcp-effect/protocol/Sampling"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { accepting, form, playing } from "./answering.ts"
import { logged } from "./log.ts"
import { type Server, settle, stateless, text } from "./wire.ts"

const ask = (server: Server, method: string, params: Params = {}) =>
  Effect.andThen(server.request("q", method, params), server.answer)

describe("capabilities", () => {
  it.effect("MUST be those that there are handlers for, and no others", () =>
    Effect.gen(function*() {
      const elicitation = Elicitation.layer({
        form: () => Effect.succeed(Answers.decline),
        url: () => Effect.succeed(Answers.cancel)
      })
      const sampling = Sampling.layer(() => Effect.fail("no"), { tools: true })
      const cases = [
        { handlers: Layer.empty, has: {} },
        { handlers: accepting({}), has: { elicitation: { form: {} } } },
        {
          handlers: Layer.mergeAll(elicitation, sampling, Roots.layer([])),
          has: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } }
        }
      ]
      for (const { handlers, has } of cases) {
        const older = yield* playing(handlers)
        const { capabilities } = older.server.received.find(({ method }) => method === "initialize")?.params ?? {}
        const newer = yield* playing(handlers, stateless)
        const declared = Meta.of(newer.server.received[0]?.params)?.[Meta.CLIENT_CAPABILITIES]
        for (const all of [capabilities, declared]) {
          const { experimental: _, extensions: _all, ...own } = all as Params
          assert.deepStrictEqual(own, has)
        }
      }
    }))
})

describe("a question of the server in a stateful revision", () => {
  it.effect("MUST be -32601 where there is no handler for it", () =>
    Effect.gen(function*() {
      const { server } = yield* playing(Layer.empty)
      for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"]) {
        assert.strictEqual((yield* ask(server, method, form({}))).error?.code, -32601)
      }
    }))

  it.effect("MUST get the answer of the handler, which is given it as it is meant", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const elicitation = Elicitation.layer({
        form: (asked) =>
          Effect.sync(() => {
            seen.push(asked.message, Object.keys(asked.requestedSchema.properties))
            return Answers.accept({ name: "Ada" })
          }),
        url: (asked) =>
          Effect.sync(() => {
            seen.push(asked.url, asked.elicitationId)
            return Answers.accept(undefined)
          })
      })
      const { server } = yield* playing(elicitation)
      const filled = yield* ask(server, "elicitation/create", form({ name: { type: "string" } }))
      assert.deepStrictEqual(filled.result, { action: "accept", content: { name: "Ada" } })
      const params = { mode: "url", message: "Go", url: "https://example.com/", elicitationId: "e1" }
      assert.deepStrictEqual((yield* ask(server, "elicitation/create", params)).result, { action: "accept" })
      assert.deepStrictEqual(seen, ["Who are you?", ["name"], "https://example.com/", "e1"])
    }))

  it.effect.each([
    { answer: Answers.decline, action: "decline" },
    { answer: Answers.cancel, action: "cancel" }
  ])("MUST be told that the user said $action, without content", ({ action, answer }) =>
    Effect.gen(function*() {
      const { server } = yield* playing(Elicitation.layer({ form: () => Effect.succeed(answer) }))
      assert.deepStrictEqual((yield* ask(server, "elicitation/create", form({}))).result, { action })
    }))

  it.effect("MUST have the defaults of the fields that the answer lacks, of every kind", () =>
    Effect.gen(function*() {
      const { server } = yield* playing(accepting({ given: "mine" }))
      const properties = {
        given: { type: "string", default: "theirs" },
        text: { type: "string", default: "t" },
        count: { type: "integer", default: 3 },
        share: { type: "number", default: 0.5 },
        flag: { type: "boolean", default: false },
        choice: { type: "string", enum: ["a", "b"], default: "b" },
        several: { type: "array", items: { type: "string", enum: ["x", "y"] }, default: ["x"] },
        none: { type: "string" }
      }
      const { result } = yield* ask(server, "elicitation/create", form(properties, { required: ["text"] }))
      assert.deepStrictEqual(result?.content, {
        given: "mine",
        text: "t",
        count: 3,
        share: 0.5,
        flag: false,
        choice: "b",
        several: ["x"]
      })
    }))

  it.effect.each([
    { property: { type: "string" }, value: 1 },
    { property: { type: "string", minLength: 3 }, value: "ab" },
    { property: { type: "string", maxLength: 1 }, value: "ab" },
    { property: { type: "string", format: "email" }, value: "nobody" },
    { property: { type: "string", format: "date" }, value: "2026-13-01" },
    { property: { type: "integer" }, value: 1.5 },
    { property: { type: "number", minimum: 2 }, value: 1 },
    { property: { type: "number", maximum: 2 }, value: "2" },
    { property: { type: "boolean" }, value: "yes" },
    { property: { type: "string", enum: ["a"] }, value: "b" },
    { property: { type: "string", oneOf: [{ const: "a", title: "A" }] }, value: "A" },
    { property: { type: "array", items: { enum: ["a"] } }, value: ["a", "b"] },
    { property: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, minItems: 1 }, value: [] },
    { property: { type: "array", items: { enum: ["a", "b"] }, maxItems: 1 }, value: ["a", "b"] }
  ])(
    "MUST NOT be answered with what does not fit the form: $value for $property",
    ({ property, value }) =>
      logged((lines) =>
        Effect.gen(function*() {
          const { server } = yield* playing(accepting({ field: value }))
          const { error } = yield* ask(server, "elicitation/create", form({ field: property }))
          assert.strictEqual(error?.code, -32603)
          assert.isTrue(lines.some((line) => line.includes("does not fit the form: \"field\" must")), lines.join("\n"))
        })
      )
  )

  it.effect("MUST NOT be answered without a field that is required, nor with one that was not asked for", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { server } = yield* playing(accepting({ other: "x" }))
        const asked = form({ name: { type: "string" } }, { required: ["name"] })
        assert.strictEqual((yield* ask(server, "elicitation/create", asked)).error?.code, -32603)
        assert.isTrue(lines.some((line) => line.includes("\"name\" is missing, \"other\" is not asked for")))
      })
    ))

  it.effect("MUST be -32602 when it is malformed, or in a mode that was not declared", () =>
    Effect.gen(function*() {
      const { server } = yield* playing(accepting({}))
      const url = { mode: "url", message: "Go", url: "https://example.com/" }
      for (const params of [{}, { message: "no schema" }, form({ a: { type: "object" } }), url]) {
        assert.strictEqual((yield* ask(server, "elicitation/create", params)).error?.code, -32602)
      }
    }))

  it.effect("MUST be told that there is no answer, and not why, when the handler fails or dies", () =>
    logged((lines) =>
      Effect.gen(function*() {
        for (const failing of [Effect.fail("secret"), Effect.die(new Error("secret"))]) {
          const { server } = yield* playing(Elicitation.layer({ form: () => failing }))
          const { error } = yield* ask(server, "elicitation/create", form({}))
          assert.strictEqual(error?.code, -32603)
          assert.notInclude(JSON.stringify(error), "secret")
        }
        assert.strictEqual(lines.filter((line) => line.includes("The handler of elicitation/create failed")).length, 2)
      })
    ))

  it.effect("MUST have its handler interrupted when the server cancels it", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const waiting = Effect.onInterrupt(Effect.never, () => Effect.asVoid(Deferred.succeed(interrupted, undefined)))
      const { server } = yield* playing(Elicitation.layer({ form: () => waiting }))
      yield* server.request("q", "elicitation/create", form({}))
      yield* settle
      yield* server.notify("notifications/cancelled", { requestId: "q" })
      yield* Deferred.await(interrupted)
    }))
})

describe("sampling", () => {
  const message = { role: "user", content: { type: "text", text: "Hello" } }
  const answering = (result: Messages.Result, options?: Sampling.Options) =>
    Sampling.layer(() => Effect.succeed(result), options)
  const hello: Messages.Result = {
    role: "assistant",
    model: "m",
    content: [Messages.text("Hi")],
    stopReason: "endTurn"
  }

  it.effect("MUST be answered with a message as its revision writes it", () =>
    Effect.gen(function*() {
      const { server } = yield* playing(answering(hello))
      const { result } = yield* ask(server, "sampling/createMessage", { messages: [message], maxTokens: 10 })
      assert.deepStrictEqual(result, { role: "assistant", model: "m", content: text("Hi"), stopReason: "endTurn" })
    }))

  it.effect("MUST be -32602 with tools or context that the client did not declare, or results without their use", () =>
    Effect.gen(function*() {
      const { server } = yield* playing(answering(hello))
      const tool = { name: "t", inputSchema: { type: "object" } }
      const stray = { role: "user", content: { type: "tool_result", toolUseId: "x", content: [] } }
      const wrong = [
        { messages: [message], maxTokens: 10, tools: [tool] },
        { messages: [message], maxTokens: 10, toolChoice: { mode: "auto" } },
        { messages: [message], maxTokens: 10, includeContext: "allServers" },
        { messages: [stray], maxTokens: 10 },
        { messages: [message] }
      ]
      for (const params of wrong) {
        assert.strictEqual((yield* ask(server, "sampling/createMessage", params)).error?.code, -32602)
      }
      const able = yield* playing(answering(hello, { tools: true, context: true }))
      for (const params of wrong.slice(0, 3)) {
        assert.isDefined((yield* ask(able.server, "sampling/createMessage", params)).result)
      }
    }))
})

describe("roots", () => {
  it.effect("MUST be told, and told of again when they change, in revisions that have a message for that", () =>
    Effect.gen(function*() {
      const root = (name: string) => ({ uri: `file:///${name}`, name })
      const live = yield* SubscriptionRef.make<ReadonlyArray<Root>>([root("a")])
      const { server } = yield* playing(Roots.layer(live))
      assert.deepStrictEqual((yield* ask(server, "roots/list")).result, { roots: [root("a")] })
      yield* settle
      yield* SubscriptionRef.set(live, [root("b")])
      yield* server.expect("notifications/roots/list_changed")
      assert.deepStrictEqual((yield* ask(server, "roots/list")).result, { roots: [root("b")] })
      const newer = yield* playing(Roots.layer(live), stateless)
      yield* settle
      yield* SubscriptionRef.set(live, [root("c")])
      yield* settle
      assert.deepStrictEqual(newer.server.received.map(({ method }) => method), ["server/discover"])
    }))

  it.effect("MUST NOT be told when they are no files", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { server } = yield* playing(Roots.layer([{ uri: "https://example.com/" }]))
        assert.strictEqual((yield* ask(server, "roots/list")).error?.code, -32603)
        assert.isTrue(lines.some((line) => line.includes("file://")))
      })
    ))
})
