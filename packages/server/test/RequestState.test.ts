import { assert, describe, it } from "@effect/vitest"
import * as RequestState from "@mcp-effect/server/RequestState"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { binding, key, payload, refused, state } from "./sealing.ts"

const EXPIRED = "Invalid params: \"requestState\" has expired; send the request again without it"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

describe("a sealed state", () => {
  it.effect("MUST open for the request that it was sealed for", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* state.open(yield* state.seal(payload, binding), binding), payload)
    }))

  it.effect.prop("MUST open to the JSON that was sealed", [Schema.Json], ([json]) =>
    Effect.gen(function*() {
      const text = yield* state.seal(json, binding)
      assert.match(text, /^[A-Za-z0-9_-]+$/)
      assert.deepStrictEqual(yield* state.open(text, binding), JSON.parse(JSON.stringify(json)))
    }))

  it.effect("MUST tell nothing, and never be the same twice", () =>
    Effect.gen(function*() {
      const texts = yield* Effect.all([state.seal("secret", binding), state.seal("secret", binding)])
      assert.notStrictEqual(texts[0], texts[1])
      for (const text of texts) {
        for (const told of ["secret", "alice", "transfer", "aaaa"]) {
          assert.notInclude(Buffer.from(text, "base64url").toString("latin1"), told)
        }
      }
    }))

  it.effect("MUST open for a retry: other _meta, answers, the state itself, and members in another order", () =>
    Effect.gen(function*() {
      const text = yield* state.seal(payload, {
        ...binding,
        params: { ...binding.params, _meta: { progressToken: 1 } }
      })
      const params = {
        requestState: text,
        inputResponses: { login: {} },
        arguments: { notes: ["x", { y: null }], amount: 3, to: "bob" },
        name: "transfer",
        _meta: { progressToken: 2 }
      }
      assert.deepStrictEqual(yield* state.open(text, { ...binding, params }), payload)
    }))

  it.effect("of a request without parameters MUST open for its retry, which has some", () =>
    Effect.gen(function*() {
      const text = yield* state.seal(payload, { ...binding, params: undefined })
      assert.deepStrictEqual(yield* state.open(text, { ...binding, params: { requestState: text } }), payload)
    }))

  it.effect("MUST be opened by every instance that has its key", () =>
    Effect.gen(function*() {
      const text = yield* state.seal(payload, binding)
      assert.deepStrictEqual(yield* RequestState.make({ keys: [key("a")] }).open(text, binding), payload)
    }))
})

describe("MUST reject a state", () => {
  it.effect("of another principal, and of one for nobody", () =>
    Effect.gen(function*() {
      const text = yield* state.seal(payload, binding)
      for (const principal of ["bob", "", "null", undefined]) yield* refused(text, { ...binding, principal })
      const nobodys = yield* state.seal(payload, { ...binding, principal: undefined })
      for (const principal of ["", "null", "undefined"]) yield* refused(nobodys, { ...binding, principal })
    }))

  it.effect("of another method", () =>
    Effect.gen(function*() {
      yield* refused(yield* state.seal(payload, binding), { ...binding, method: "prompts/get" })
    }))

  it.effect("of other parameters", () =>
    Effect.gen(function*() {
      const text = yield* state.seal(payload, binding)
      const args = { to: "bob", amount: 3, notes: ["x", { y: null }] }
      const others: ReadonlyArray<RequestState.Binding["params"]> = [
        undefined,
        {},
        { name: "transfer" },
        { name: "other", arguments: args },
        { name: "transfer", arguments: { ...args, amount: 4 } },
        { name: "transfer", arguments: { ...args, amount: "3" } },
        { name: "transfer", arguments: { ...args, notes: [{ y: null }, "x"] } },
        { name: "transfer", arguments: { ...args, more: 1 } },
        {
          name: "transfer",
          arguments: JSON.parse("{\"to\":\"bob\",\"amount\":3,\"notes\":[\"x\",{\"y\":null}],\"__proto__\":{}}")
        },
        { name: "transfer", arguments: args, more: null }
      ]
      for (const params of others) yield* refused(text, { ...binding, params })
    }))

  it.effect.prop(
    "of parameters that are other JSON, and no other",
    [Schema.Record(Schema.String, Schema.Json), Schema.Record(Schema.String, Schema.Json)],
    ([sealed, presented]) =>
      Effect.gen(function*() {
        const text = yield* state.seal(payload, { ...binding, params: { arguments: sealed } })
        const json = JSON.parse(JSON.stringify([sealed, presented]))
        const opens = state.open(text, { ...binding, params: { arguments: json[1] } })
        const same = yield* Effect.sync(() => {
          try {
            assert.deepStrictEqual(json[0], json[1])
            return true
          } catch {
            return false
          }
        })
        assert.strictEqual((yield* Effect.exit(opens))._tag, same ? "Success" : "Failure")
        const reversed = Object.fromEntries(Object.entries(json[0]).toReversed())
        assert.deepStrictEqual(yield* state.open(text, { ...binding, params: { arguments: reversed } }), payload)
      })
  )

  it.effect("sealed with a key that is not known", () =>
    Effect.gen(function*() {
      const text = yield* RequestState.make({ keys: [key("b")] }).seal(payload, binding)
      yield* refused(text)
      yield* refused(text, binding, RequestState.make())
      yield* refused(yield* state.seal(payload, binding), binding, RequestState.make())
    }))

  it.effect.prop(
    "with any one character changed",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })), Schema.Literals([...alphabet])],
    ([position, other]) =>
      Effect.gen(function*() {
        // Every length of the last group of base64url.
        for (const padding of ["", "x", "xx"]) {
          const text = yield* state.seal({ padding }, binding)
          const at = position % text.length
          if (text[at] !== other) yield* refused(text.slice(0, at) + other + text.slice(at + 1))
        }
      })
  )

  it.effect("with another last character, whatever its bits are good for", () =>
    Effect.gen(function*() {
      for (const padding of ["", "x", "xx"]) {
        const text = yield* state.seal({ padding }, binding)
        for (const other of alphabet) if (!text.endsWith(other)) yield* refused(text.slice(0, -1) + other)
      }
    }))

  it.effect("cut short at any length, or with anything added", () =>
    Effect.gen(function*() {
      const text = yield* state.seal(1, binding)
      for (let length = 0; length < text.length; length++) yield* refused(text.slice(0, length))
      for (const more of ["A", "AAAA", "=", "==", "\n", " ", "."]) {
        yield* refused(text + more)
        yield* refused(more + text)
      }
    }))

  it.effect("that is garbage, or no text", () =>
    Effect.gen(function*() {
      const others = [
        undefined,
        null,
        1,
        {},
        [],
        ["a"],
        "",
        "a",
        "not base64!",
        "A".repeat(100),
        "\u{1f600}".repeat(40)
      ]
      for (const text of others) yield* refused(text)
    }))

  it.effect("that is too long, without looking at it", () =>
    Effect.gen(function*() {
      const small = RequestState.make({ keys: [key("a")], maxLength: 100 })
      const text = yield* state.seal("x".repeat(100), binding)
      assert.isAbove(text.length, 100)
      yield* refused(text, binding, small)
      yield* refused("A".repeat(256 * 1024 + 1))
    }))

  it.effect("on a request that is nested beyond reason", () =>
    Effect.gen(function*() {
      const text = yield* state.seal(payload, binding)
      let deep: unknown = 0
      for (let i = 0; i < 100_000; i++) deep = [deep]
      yield* refused(text, { ...binding, params: { deep } })
      const error = yield* Effect.flip(state.seal(payload, { ...binding, params: { deep } }))
      assert.strictEqual(error._tag, "UnsealableRequestState")
    }))
})

describe("time", () => {
  it.effect("MUST reject a state from the moment that it expires, and say so", () =>
    Effect.gen(function*() {
      const text = yield* state.seal(payload, binding)
      yield* TestClock.adjust("59 minutes")
      assert.deepStrictEqual(yield* state.open(text, binding), payload)
      yield* TestClock.adjust("1 minute")
      const error = yield* Effect.flip(state.open(text, binding))
      assert.strictEqual(error.message, EXPIRED)
    }))

  it.effect("MUST NOT tell that it expired to one whom it was not sealed for", () =>
    Effect.gen(function*() {
      const text = yield* state.seal(payload, binding)
      yield* TestClock.adjust("2 hours")
      yield* refused(text, { ...binding, principal: "bob" })
    }))

  it.effect("a shorter one MUST be kept", () =>
    Effect.gen(function*() {
      const brief = RequestState.make({ keys: [key("a")], ttl: "1 second" })
      const text = yield* brief.seal(payload, binding)
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual(yield* brief.open(text, binding), payload)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Effect.flip(brief.open(text, binding))).reason, "expired")
    }))
})

describe("sealing", () => {
  it.effect("MUST fail for a state that is too long, and say how long it may be", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(state.seal("x".repeat(200 * 1024), binding))
      assert.strictEqual(error._tag, "UnsealableRequestState")
      assert.match(error.message, /too long: \d+ characters, and 262144 are allowed/)
    }))

  it.effect("the bound MUST be exact", () =>
    Effect.gen(function*() {
      const length = (yield* state.seal("x", binding)).length
      const exact = RequestState.make({ keys: [key("a")], maxLength: length })
      const text = yield* exact.seal("x", binding)
      assert.strictEqual(yield* exact.open(text, binding), "x")
      const less = RequestState.make({ keys: [key("a")], maxLength: length - 1 })
      assert.strictEqual((yield* Effect.flip(less.seal("x", binding)))._tag, "UnsealableRequestState")
    }))

  it.effect("MUST fail for what JSON does not have", () =>
    Effect.gen(function*() {
      const circle: Array<unknown> = []
      circle.push(circle)
      for (const no of [undefined, () => 1, 1n, circle]) {
        const error = yield* Effect.flip(state.seal(no, binding))
        assert.match(error.message, /the state cannot be written as JSON/)
      }
    }))
})
