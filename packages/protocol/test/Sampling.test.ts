import { assert, describe, it } from "@effect/vitest"
import * as Capabilities from "@mcp-effect/protocol/Capabilities"
import * as Content from "@mcp-effect/protocol/Content"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Sampling from "@mcp-effect/protocol/Sampling"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const wireOf = (name: string) => Revisions.get(name)!.wire

const old = ["2024-11-05", "2025-03-26", "2025-06-18"]
const recent = ["2025-11-25", "2026-07-28"]

const write = (request: Sampling.Request, revision: string) =>
  Result.getOrThrow(Sampling.toWire(request, wireOf(revision)))

const refused = (request: Sampling.Request, revision: string) =>
  Result.match(Sampling.toWire(request, wireOf(revision)), { onFailure: (sentence) => sentence, onSuccess: String })

const image = Sampling.image({ data: new Uint8Array([0, 255, 16]), mimeType: "image/png" })
const audio = Sampling.audio({ data: "AP8Q", mimeType: "audio/wav" })
const use = Sampling.toolUse({ id: "1", name: "weather", input: { city: "Oslo" } })
const other = Sampling.toolUse({ id: "2", name: "weather", input: { city: "Rome" } })

const request = (...messages: ReadonlyArray<Sampling.Message>) => Sampling.make({ messages, maxTokens: 10 })

describe("a request", () => {
  it("of a string MUST be a message of the user", () => {
    assert.deepStrictEqual(Sampling.make({ messages: "Hello", maxTokens: 10 }), {
      messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
      maxTokens: 10
    })
  })

  it("MUST be written with one block as itself, and every parameter that it has", () => {
    const parameters = {
      maxTokens: 10,
      modelPreferences: { hints: [{ name: "small" }], costPriority: 1, speedPriority: 0, intelligencePriority: 0.5 },
      systemPrompt: "Be brief.",
      includeContext: "none",
      temperature: 0.5,
      stopSequences: ["."],
      metadata: { a: 1 }
    } as const
    for (const { name } of Revisions.all) {
      assert.deepStrictEqual(write(Sampling.make({ ...parameters, messages: "Hello" }), name), {
        ...parameters,
        messages: [{ role: "user", content: { type: "text", text: "Hello" } }]
      })
    }
  })

  const several = request(Sampling.user([Sampling.text("What is this?"), image]), Sampling.assistant("A dot."))

  it("several blocks MUST be several messages of the same role before 2025-11-25", () => {
    for (const name of old) {
      assert.deepStrictEqual(write(several, name).messages, [
        { role: "user", content: { type: "text", text: "What is this?" } },
        { role: "user", content: { type: "image", data: "AP8Q", mimeType: "image/png" } },
        { role: "assistant", content: { type: "text", text: "A dot." } }
      ])
    }
    for (const name of recent) {
      assert.deepStrictEqual(write(several, name).messages, [
        { role: "user", content: several.messages[0]?.content },
        { role: "assistant", content: { type: "text", text: "A dot." } }
      ])
    }
  })

  it("sound MUST be refused in 2024-11-05 alone", () => {
    const sound = request(Sampling.user(audio))
    assert.match(refused(sound, "2024-11-05"), /^Message 1 has sound/)
    for (const name of ["2025-03-26", ...recent]) {
      assert.deepStrictEqual(write(sound, name).messages, [{ role: "user", content: audio }])
    }
  })

  const Weather = Tool.make("weather", { input: { city: Schema.String }, title: "Weather" })
  const listed = { name: "other", inputSchema: { type: "object" } }

  it("tools MUST be written as they are listed, and refused before 2025-11-25", () => {
    const withTools = Sampling.make({
      messages: "Hello",
      maxTokens: 10,
      tools: [Weather, listed],
      toolChoice: { mode: "required" }
    })
    for (const name of recent) {
      assert.deepStrictEqual(write(withTools, name).tools, [Tool.toWire(Weather, wireOf(name)), listed])
      assert.deepStrictEqual(write(withTools, name).toolChoice, { mode: "required" })
    }
    for (const name of old) {
      assert.match(refused(withTools, name), /no tools/)
      assert.match(refused(Sampling.make({ messages: "a", maxTokens: 1, toolChoice: {} }), name), /no tools/)
    }
  })

  const loop = request(
    Sampling.user("Where is it warmer?"),
    Sampling.assistant([Sampling.text("Let me see."), use, other]),
    Sampling.user([Sampling.toolResult(other, "20"), Sampling.toolResult("1", [Content.text("2")], { isError: false })])
  )

  it("uses of tools and their results MUST be refused before 2025-11-25", () => {
    for (const name of old) assert.match(refused(loop, name), /^Message 2 has the use of a tool/)
    for (const name of recent) {
      assert.deepStrictEqual((write(loop, name).messages as ReadonlyArray<unknown>)[2], {
        role: "user",
        content: [
          { type: "tool_result", toolUseId: "2", content: [{ type: "text", text: "20" }] },
          { type: "tool_result", toolUseId: "1", content: [{ type: "text", text: "2" }], isError: false }
        ]
      })
    }
  })

  it("structured content that is no object MUST be refused before 2026-07-28", () => {
    const result = (structuredContent: unknown) =>
      request(Sampling.assistant(use), Sampling.user(Sampling.toolResult(use, "1", { structuredContent })))
    assert.match(refused(result([1]), "2025-11-25"), /^Message 2 has structured content that is no object/)
    assert.isDefined(write(result({ a: 1 }), "2025-11-25"))
    assert.isDefined(write(result([1]), "2026-07-28"))
  })

  it.effect("MUST be read as it was written", () =>
    Effect.gen(function*() {
      for (const { messages } of [several, loop]) {
        const json: unknown = JSON.parse(JSON.stringify(write(request(...messages), "2026-07-28")))
        const received = yield* Schema.decodeUnknownEffect(Sampling.Received)(json)
        assert.deepStrictEqual<unknown>(received.messages, messages)
        assert.deepStrictEqual<unknown>(yield* Schema.encodeEffect(Sampling.Received)(received), json)
      }
    }))
})

describe("what is wrong", () => {
  const result = Sampling.toolResult("1", "2")

  it.each<[string, Sampling.Request, RegExp]>([
    ["a use without its result", request(Sampling.assistant(use)), /^Message 1 uses tools, and no message/],
    ["another message first", request(Sampling.assistant(use), Sampling.assistant("a")), /^Message 2 must have .* "1"/],
    [
      "one result of two",
      request(Sampling.assistant([use, other]), Sampling.user(result)),
      /^Message 2 must have .* "2"/
    ],
    [
      "results in two messages",
      request(
        Sampling.assistant([use, other]),
        Sampling.user(result),
        Sampling.user(Sampling.toolResult("2", "3"))
      ),
      /^Message 2 must have .* "2"/
    ],
    ["a result of nothing", request(Sampling.user(result)), /^Message 1 has a result for "1"/],
    [
      "a result too late",
      request(
        Sampling.assistant(use),
        Sampling.user(result),
        Sampling.user(result)
      ),
      /^Message 3 has a result for "1"/
    ],
    [
      "two results",
      request(Sampling.assistant(use), Sampling.user([result, result])),
      /^Message 2 has two results for "1"/
    ],
    ["one id twice", request(Sampling.assistant([use, use])), /^Message 1 uses tools twice by the id "1"/],
    [
      "mixed content",
      request(
        Sampling.assistant(use),
        Sampling.user([Sampling.text("Here:"), result])
      ),
      /^Message 2 mixes results of tools with other content/
    ],
    ["a use by the user", request(Sampling.user(use)), /^Message 1 uses a tool, which only the assistant does/],
    [
      "a result by the assistant",
      request(Sampling.assistant(result)),
      /^Message 1 has the result of a tool, which only/
    ],
    ["an empty message", request(Sampling.user([])), /^Message 1 has no content/],
    ["no tokens", Sampling.make({ messages: "a", maxTokens: 0 }), /^maxTokens must be a positive integer, and is 0/],
    ["half a token", Sampling.make({ messages: "a", maxTokens: 0.5 }), /^maxTokens/],
    [
      "a priority above one",
      Sampling.make({
        messages: "a",
        maxTokens: 1,
        modelPreferences: { speedPriority: 2 }
      }),
      /^speedPriority must be from 0 to 1, and is 2/
    ]
  ])("MUST be said, and not sent: %s", (_, request, sentence) => {
    assert.match(String(Sampling.problem(request)), sentence)
    assert.match(refused(request, "2026-07-28"), sentence)
  })

  const Ids = Schema.UniqueArray(Schema.String)

  it.prop("results of all uses, in any order, MUST be right", [Ids], ([ids]) => {
    const uses = ids.map((id) => Sampling.toolUse({ id, name: "a", input: {} }))
    const results = ids.toReversed().map((id) => Sampling.toolResult(id, "b"))
    const balanced = ids.length === 0 ? [] : [Sampling.assistant(uses), Sampling.user(results)]
    assert.strictEqual(Sampling.problem(request(...balanced, ...balanced, Sampling.user("c"))), undefined)
    if (ids.length > 0) {
      const [, ...some] = results
      assert.isString(Sampling.problem(request(Sampling.assistant(uses), Sampling.user([Sampling.text("a"), ...some]))))
      assert.isString(
        Sampling.problem(request(Sampling.assistant(uses), ...some.length === 0 ? [] : [Sampling.user(some)]))
      )
    }
  })
})

describe("a result", () => {
  const read = Schema.decodeUnknownEffect(Sampling.Result)
  const text = { type: "text", text: "a" }

  it.effect("MUST have its content as blocks, whether the client sent one or several", () =>
    Effect.gen(function*() {
      const one = yield* read({ role: "assistant", content: text, model: "m", stopReason: "endTurn" })
      assert.deepStrictEqual<unknown>(one, { role: "assistant", content: [text], model: "m", stopReason: "endTurn" })
      const several = yield* read({ role: "assistant", content: [text, use, other, text], model: "m" })
      assert.deepStrictEqual(several.content.length, 4)
      assert.strictEqual(Sampling.textOf(several), "a\na")
      assert.deepStrictEqual(Sampling.toolUses(several), [use, other])
      assert.deepStrictEqual((yield* read({ role: "assistant", content: [], model: "m" })).content, [])
    }))

  it.effect("MUST keep a reason of the client's own, and what it holds beside", () =>
    Effect.gen(function*() {
      const result = yield* read({
        role: "assistant",
        content: text,
        model: "m",
        stopReason: "bored",
        _meta: { a: 1 },
        x: 1
      })
      assert.strictEqual(result.stopReason, "bored")
      assert.deepStrictEqual(result._meta, { a: 1 })
    }))

  it.effect.each([
    {},
    { role: "assistant", content: text },
    { role: "system", content: text, model: "m" },
    { role: "assistant", content: "a", model: "m" },
    { role: "assistant", content: { type: "video" }, model: "m" },
    { role: "assistant", content: [{ type: "tool_use", id: 1, name: "a", input: {} }], model: "m" }
  ])("MUST be refused without what it must have: %j", (json) => Effect.flip(read(json)))
})

describe("what it needs", () => {
  const needs = (request: Partial<Sampling.Request>, revision?: string) =>
    Sampling.needs(request, revision === undefined ? undefined : wireOf(revision))

  it("MUST be sampling, and tools or context where they are asked for", () => {
    assert.deepStrictEqual(needs({}), { sampling: {} })
    assert.deepStrictEqual(needs({ includeContext: "none" }), { sampling: {} })
    assert.deepStrictEqual(needs({ includeContext: "thisServer" }), { sampling: { context: {} } })
    assert.deepStrictEqual(needs({ tools: [], includeContext: "allServers" }, "2025-11-25"), {
      sampling: { tools: {}, context: {} }
    })
    assert.deepStrictEqual(needs({ toolChoice: { mode: "none" } }), { sampling: { tools: {} } })
  })

  it("MUST be no more than sampling in revisions that have no parts of it", () => {
    for (const name of old) assert.deepStrictEqual(needs({ includeContext: "thisServer" }, name), { sampling: {} })
  })

  it("MUST be missing of a client that has sampling alone", () => {
    assert.deepStrictEqual(Capabilities.missing({ sampling: {} }, needs({ tools: [] })), { sampling: { tools: {} } })
    assert.strictEqual(Capabilities.missing({ sampling: {} }, needs({})), undefined)
  })
})
