/** Answers that are none, questions that cannot be asked, and asks that nobody waits for any more. */
import { assert, describe, it } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Sampling from "@mcp-effect/protocol/Sampling"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import type { InputFailed } from "@mcp-effect/server/Input"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Ask, ask, capabilities, rounds, served } from "./asking.ts"
import { hello, meta, serve, speak, texts } from "./client.ts"

type Params = JsonRpc.Params

// A session of 2025-11-25 whose client replies to what it is asked.
const session = (
  handler: () => Effect.Effect<string, unknown>,
  request: Peer["request"],
  declared: Params = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }
) =>
  Effect.gen(function*() {
    const heard: Array<string> = []
    const back: Peer = { request, notify: ({ method }) => Effect.sync(() => void heard.push(method)) }
    const server = yield* serve(McpServer.tool(Ask, handler))
    const peer = yield* server.connect(back)
    yield* peer.request(JsonRpc.request(0, "initialize", hello("2025-11-25", declared)), back)
    yield* peer.notify(JsonRpc.notification("notifications/initialized"))
    const call = Effect.map(peer.request(JsonRpc.request(1, "tools/call", { name: "ask" }), back), (response) => {
      assert.strictEqual(response._tag, "Success")
      return response._tag === "Success" ? String(texts(response.result)) : ""
    })
    return { call, heard }
  })

const why = <A>(asks: Effect.Effect<A, ClientInput.InputError>) =>
  Effect.match(asks, {
    onFailure: (error) => `${error._tag === "InputFailed" ? error.reason : error._tag}: ${error.message}`,
    onSuccess: () => "answered"
  })

describe("in a session", () => {
  it.effect("an ask MUST end with its call, also where nothing can be interrupted", () =>
    Effect.gen(function*() {
      let asked = 0
      let dropped = 0
      const waiting = Effect.onInterrupt(Effect.never, () => Effect.sync(() => dropped++))
      const never: Peer["request"] = () => Effect.andThen(Effect.sync(() => asked++), waiting)
      const { call } = yield* session(() => Effect.uninterruptible(ask("a")), never)
      const fiber = yield* Effect.forkChild(call)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual([asked, dropped], [1, 1])
    }))

  it.effect("a finalizer of an abandoned call MUST NOT ask", () =>
    Effect.gen(function*() {
      let asked = 0
      const never: Peer["request"] = () => Effect.andThen(Effect.sync(() => asked++), Effect.never)
      const { call } = yield* session(() => Effect.onInterrupt(Effect.never, () => Effect.ignore(ask("save?"))), never)
      const fiber = yield* Effect.forkChild(call)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(asked, 0)
    }))

  it.effect("why a question was not carried MUST be told apart", () =>
    Effect.gen(function*() {
      const expected: ReadonlyArray<readonly [TransportError["reason"], InputFailed["reason"]]> = [
        ["closed", "closed"],
        ["malformed", "malformed"],
        ["refused", "unsupported"],
        ["too large", "unsupported"]
      ]
      for (const [reason, told] of expected) {
        const error = new TransportError({ reason, processed: "no", message: "what happened" })
        const { call } = yield* session(() => why(ask("a")), () => Effect.fail(error))
        assert.strictEqual(yield* call, `${told}: what happened`)
      }
    }))

  it.effect("what a client says of its refusal MUST be repeated in part only", () =>
    Effect.gen(function*() {
      const { call } = yield* session(() => why(ask("a")), ({ id }) =>
        Effect.succeed(JsonRpc.failure(id, { code: -1, message: "no".repeat(1_000_000) })))
      const text = yield* call
      assert.match(text, /^refused: The client refused elicitation\/create: nono/)
      assert.isBelow(text.length, 2000)
    }))

  it.effect("what a client says MUST NOT be cut within a character", () =>
    Effect.gen(function*() {
      for (const before of ["", "x"]) {
        const { call } = yield* session(() => why(ask("a")), ({ id }) =>
          Effect.succeed(JsonRpc.failure(id, { code: -1, message: before + "\u{1F600}".repeat(1000) })))
        assert.notMatch(yield* call, /\p{Surrogate}/u)
      }
    }))

  it.effect("that a visit is over MUST be told to clients that can be sent to a URL, and to no others", () =>
    Effect.gen(function*() {
      const completed = () => Effect.as(ClientInput.completed("1"), "done")
      const unasked: Peer["request"] = () => Effect.die("asked")
      const able = yield* session(completed, unasked)
      yield* able.call
      assert.deepStrictEqual(able.heard, ["notifications/elicitation/complete"])
      for (const declared of [{}, { elicitation: {} }]) {
        const unable = yield* session(completed, unasked, declared)
        yield* unable.call
        assert.deepStrictEqual(unable.heard, [])
      }
    }))
})

const eras: ReadonlyArray<Revision.Name> = ["2025-11-25", "2026-07-28"]

describe.each(eras)("in %s", (revision) => {
  it.effect("what cannot be written MUST NOT be asked, and the handler is told why", () =>
    Effect.gen(function*() {
      const sample = (more: Params) =>
        ClientInput.sample({ ...Sampling.make({ messages: "a", maxTokens: 1 }), ...more })
      const cycle: { self?: unknown } = {}
      cycle.self = cycle
      const wrong: ReadonlyArray<readonly [Params, RegExp]> = [
        [{ metadata: { big: 1n } }, /^unsupported: .*written as JSON: .*BigInt/],
        [{ metadata: { cycle } }, /^unsupported: .*written as JSON/],
        [{ temperature: Number.NaN }, /^unsupported: temperature must be a finite number, and is NaN/],
        [{ tools: [{ name: "a" }] }, /^unsupported: Tool 1 must have a name and an inputSchema/]
      ]
      for (const [more, message] of wrong) {
        const server = yield* serve(McpServer.tool(Ask, () => why(sample(more))))
        const client = yield* speak(server, revision, { ...capabilities, sampling: { tools: {} } })
        assert.match(String(texts(yield* client.call("ask"))), message)
      }
    }))
})

describe("in rounds", () => {
  it.effect("an answer that cannot be used MUST be told of in a sentence, however large it is", () =>
    Effect.gen(function*() {
      const large = "x".repeat(100_000)
      const list = Array.from({ length: 2000 }, () => ({ uri: 1, type: 1 }))
      const asks: ReadonlyArray<readonly [Effect.Effect<unknown, ClientInput.InputError>, ReadonlyArray<Params>]> = [
        [ask("a"), [{ action: large }, { action: list }, { action: "accept", content: { it: list } }]],
        [ClientInput.roots(), [{ roots: list }, { roots: large }, { roots: { length: 1 } }]],
        [
          ClientInput.sample(Sampling.make({ messages: "a", maxTokens: 1 })),
          [{ role: large, content: [], model: "m" }, { role: "assistant", content: list, model: "m" }]
        ]
      ]
      for (const [asking, responses] of asks) {
        for (const response of responses) {
          const [, [text]] = yield* rounds(yield* served(() => why(asking)), () => response)
          assert.match(String(text), /^malformed: The client's answer to/)
          assert.isBelow(String(text).length, 10_000)
        }
      }
    }))

  it.effect("parameters that are nested beyond reason MUST be refused as such", () =>
    Effect.gen(function*() {
      let deep: unknown = {}
      for (let depth = 0; depth < 100_000; depth++) deep = { deep }
      const server = yield* serve(McpServer.tool(Ask, () => ask("a")))
      const nobody: Peer = { request: () => Effect.never, notify: () => Effect.void }
      const peer = yield* server.connect(nobody)
      const params = { name: "ask", arguments: { deep }, _meta: meta(capabilities) }
      const response = yield* peer.request(JsonRpc.request(1, "tools/call", params), nobody)
      assert(response._tag === "Failure")
      assert.strictEqual(response.error.code, JsonRpc.INVALID_PARAMS)
      assert.match(response.error.message, /^Invalid params: .*the request cannot be written as JSON/)
    }))

  it.effect("a URL MUST come back without content, whatever was sent along", () =>
    Effect.gen(function*() {
      const visit = Elicitation.url({ message: "m", url: "https://example.com/" })
      const client = yield* served(
        () => Effect.map(ClientInput.elicit(visit), (answer) => JSON.stringify(answer)),
        { elicitation: { url: {} } }
      )
      const [, answers] = yield* rounds(client, () => ({ action: "accept", content: { token: "secret" } }))
      assert.deepStrictEqual(answers, [JSON.stringify({ _tag: "Accept" })])
    }))
})
