import { assert, describe, it } from "@effect/vitest"
import * as Content from "@mcp-effect/protocol/Content"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import type { Wire } from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Review = Prompt.make("review", {
  title: "Review",
  description: "Reviews code",
  icons: [{ src: "https://example.com/a.png" }],
  meta: { a: 1 },
  needs: { sampling: {} },
  arguments: {
    code: Schema.String.annotate({ title: "Code", description: "What to review" }),
    lines: Schema.optionalKey(Schema.FiniteFromString.annotate({ description: "How many" })),
    language: Schema.optional(Schema.Literals(["ts", "go"]).annotate({ description: "In which language" }))
  }
})

const listed = [
  { name: "code", title: "Code", description: "What to review", required: true },
  { name: "lines", description: "How many", required: false },
  { name: "language", description: "In which language", required: false }
]

const Dynamic = Prompt.dynamic("dynamic", {
  arguments: [{ name: "a", title: "A", required: true }, { name: "b", description: "the second" }]
})

const wire = (revision: string): Wire => {
  const found = Revisions.all.find(({ name }) => name === revision)
  assert.isDefined(found)
  return found.wire
}

const message = <A>(effect: Effect.Effect<A, { readonly _tag: string; readonly message: string }>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.strictEqual(error._tag, "InvalidParams")
    return error.message
  })

describe("the arguments of a prompt", () => {
  it("MUST be listed with their texts, and required unless they are optional", () => {
    assert.deepStrictEqual(Review.arguments, listed)
    assert.deepStrictEqual(Dynamic.arguments, [{ name: "a", title: "A", required: true }, {
      name: "b",
      description: "the second"
    }])
    assert.deepStrictEqual(Prompt.make("none").arguments, [])
    const bare = { a: Schema.FiniteFromString, b: Schema.DateFromString, c: Schema.NonEmptyString }
    assert.deepStrictEqual(
      Prompt.make("p", { arguments: bare }).arguments,
      ["a", "b", "c"].map((name) => ({ name, required: true }))
    )
  })

  it("one with a default MUST NOT be required", () => {
    const withDefault = Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("a")))
    assert.deepStrictEqual(Prompt.make("p", { arguments: { a: withDefault } }).arguments, [{
      name: "a",
      required: false
    }])
  })

  it("what a key is annotated with MUST go before what its type is", () => {
    const a = Schema.String.annotate({ description: "any" }).annotateKey({ description: "this" })
    assert.deepStrictEqual(Prompt.make("p", { arguments: { a } }).arguments, [
      { name: "a", description: "this", required: true }
    ])
  })

  it("MUST be texts on the wire", () => {
    const texts = {
      a: Schema.TemplateLiteral(["a", Schema.String]),
      b: Schema.DateFromString,
      c: Schema.Union([Schema.Literal("x"), Schema.NumberFromString]),
      d: Schema.Enum({ A: "a" } as const)
    }
    Prompt.check(Prompt.make("p", { arguments: texts }))
    Prompt.check(Dynamic)
    const others: ReadonlyArray<Schema.ConstraintCodec<unknown, unknown>> = [
      Schema.Number,
      Schema.Boolean,
      Schema.Struct({}),
      Schema.Unknown,
      Schema.Undefined,
      Schema.Literals(["a", 1]),
      Schema.NullOr(Schema.String)
    ]
    for (const schema of others) {
      const bad = Prompt.make("p", { arguments: { wrong: schema as Prompt.ArgumentSchema } })
      assert.throws(() => Prompt.check(bad), TypeError, /argument "wrong" of prompt "p" must be text on the wire/)
    }
  })

  it("one that is no text MUST NOT compile", () => {
    // @ts-expect-error: its encoded side is a number
    const bad = Prompt.make("p", { arguments: { a: Schema.Number } })
    assert.throws(() => Prompt.check(bad), TypeError)
  })
})

describe("given arguments", () => {
  it.effect("MUST be decoded", () =>
    Effect.gen(function*() {
      const args: { readonly code: string; readonly lines?: number; readonly language?: "ts" | "go" | undefined } =
        yield* Prompt.decodeArguments(Review, { code: "a", lines: "3", language: "ts" })
      assert.deepStrictEqual(args, { code: "a", lines: 3, language: "ts" })
      assert.deepStrictEqual(yield* Prompt.decodeArguments(Review, { code: "a", other: "b" }), { code: "a" })
      assert.deepStrictEqual(yield* Prompt.decodeArguments(Prompt.make("none"), undefined), {})
    }))

  it.effect("MUST be refused by the names of all that are wrong", () =>
    Effect.gen(function*() {
      const missing = yield* message(Prompt.decodeArguments(Review, undefined))
      assert.strictEqual(missing, "Invalid arguments for prompt review: Missing key\n  at [\"code\"]")
      const wrong = yield* message(Prompt.decodeArguments(Review, { lines: "many", language: "c" }))
      for (const name of ["code", "lines", "language"]) assert.include(wrong, `["${name}"]`)
      assert.include(yield* message(Prompt.decodeArguments(Review, { code: 1 })), "[\"code\"]")
      for (const args of [null, "text", ["code"]]) yield* message(Prompt.decodeArguments(Review, args))
    }))

  it.effect("of a dynamic prompt MUST be a record of texts, with those that are required", () =>
    Effect.gen(function*() {
      const args: { readonly [name: string]: string } = yield* Prompt.decodeArguments(Dynamic, { a: "1", c: "3" })
      assert.deepStrictEqual(args, { a: "1", c: "3" })
      assert.include(yield* message(Prompt.decodeArguments(Dynamic, { b: "2" })), "Missing key\n  at [\"a\"]")
      assert.include(yield* message(Prompt.decodeArguments(Dynamic, { a: "1", b: 2 })), "[\"b\"]")
      assert.include(yield* message(Prompt.decodeArguments(Dynamic, { a: "1", c: 3 })), "[\"c\"]")
    }))

  it.effect.prop(
    "MUST be what a typed client has encoded",
    [Schema.Struct({ code: Schema.String, lines: Schema.optionalKey(Schema.Finite) })],
    ([args]) =>
      Effect.gen(function*() {
        const encoded: unknown = JSON.parse(JSON.stringify(yield* Prompt.encodeArguments(Review, args)))
        const decoded = yield* Prompt.decodeArguments(Review, encoded)
        assert.strictEqual(decoded.code, args.code)
        // Text has no negative zero.
        if (args.lines !== undefined) assert.strictEqual(decoded.lines, args.lines === 0 ? 0 : args.lines)
      })
  )

  it.effect("that do not fit MUST NOT be encoded", () =>
    Effect.gen(function*() {
      // @ts-expect-error: the code is missing
      assert.include(yield* message(Prompt.encodeArguments(Review, {})), "[\"code\"]")
    }))
})

describe("a listed prompt", () => {
  it("MUST have what its revision has", () => {
    const plain = { name: "review", description: "Reviews code" }
    const untitled = listed.map(({ title: _, ...argument }) => argument)
    const titled = { ...plain, title: "Review", arguments: listed, _meta: { a: 1 } }
    const full = { ...titled, icons: [{ src: "https://example.com/a.png" }] }
    assert.deepStrictEqual(Prompt.toWire(Review, wire("2024-11-05")), { ...plain, arguments: untitled })
    assert.deepStrictEqual(Prompt.toWire(Review, wire("2025-03-26")), { ...plain, arguments: untitled })
    assert.deepStrictEqual(Prompt.toWire(Review, wire("2025-06-18")), titled)
    assert.deepStrictEqual(Prompt.toWire(Review, wire("2025-11-25")), full)
    assert.deepStrictEqual(Prompt.toWire(Review, wire("2026-07-28")), full)
  })

  it("MUST NOT have what was not given", () => {
    for (const { wire } of Revisions.all) {
      assert.deepStrictEqual(Prompt.toWire(Prompt.make("a"), wire), { name: "a" })
      assert.deepStrictEqual(Prompt.toWire(Prompt.dynamic("a"), wire), { name: "a" })
    }
  })

  it.effect("MUST be what a client reads, whatever else it has", () =>
    Effect.gen(function*() {
      for (const { wire } of Revisions.all) {
        for (const prompt of [Review, Dynamic]) {
          const json = Prompt.toWire(prompt, wire)
          assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Prompt.Listed)({ ...json, more: 1 }), json)
        }
      }
    }))
})

describe("the result", () => {
  const link = Content.resourceLink({ uri: "file:///a", name: "a" })
  const messages = [Prompt.user("hello"), Prompt.assistant(Content.text("hi")), Prompt.user(link)]

  it("a string MUST be a message of text", () => {
    assert.deepStrictEqual(Prompt.user("a"), { role: "user", content: { type: "text", text: "a" } })
    assert.deepStrictEqual(Prompt.assistant("a"), { role: "assistant", content: { type: "text", text: "a" } })
  })

  it("MUST be written with the content that the revision has", () => {
    const newest = Prompt.resultToWire({ description: "d", messages, _meta: { a: 1 } }, wire("2026-07-28"))
    assert.deepStrictEqual(newest, { description: "d", messages, _meta: { a: 1 } })
    const oldest = Prompt.resultToWire({ messages }, wire("2024-11-05"))
    assert.deepStrictEqual(oldest, { messages: [...messages.slice(0, 2), Prompt.user("a: file:///a")] })
  })

  it.effect("MUST be what a client reads", () =>
    Effect.gen(function*() {
      for (const { wire } of Revisions.all) {
        const json = Prompt.resultToWire({ description: "d", messages }, wire)
        const read = yield* Schema.decodeUnknownEffect(Prompt.Result)({ ...json, resultType: "complete" })
        assert.deepStrictEqual({ ...read }, json)
      }
      assert.match(
        String(yield* Effect.flip(Schema.decodeUnknownEffect(Prompt.Result)({ messages: [{ role: "system" }] }))),
        /role/
      )
    }))
})
