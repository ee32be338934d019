import { assert, describe, it } from "@effect/vitest"
import * as RequestState from "@mcp-effect/server/RequestState"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { logged } from "./log.ts"
import { binding, key, payload, refused, state } from "./sealing.ts"

describe("keys", () => {
  it.effect("MUST rotate: the first seals, and any opens", () =>
    Effect.gen(function*() {
      const old = yield* state.seal(payload, binding)
      const rotated = RequestState.make({ keys: [key("b"), key("a")] })
      assert.deepStrictEqual(yield* rotated.open(old, binding), payload)
      const recent = yield* rotated.seal(payload, binding)
      assert.deepStrictEqual(yield* RequestState.make({ keys: [key("b")] }).open(recent, binding), payload)
      yield* refused(recent)
      yield* refused(old, binding, RequestState.make({ keys: [key("b")] }))
    }))

  it("that are short or missing MUST be refused, without showing them", () => {
    const short = Redacted.make("hunter2".repeat(4))
    assert.throws(
      () => RequestState.make({ keys: [key("a"), short] }),
      TypeError,
      /^RequestState: a key must have at least 32 characters, but key 2 has fewer$/
    )
    // @ts-expect-error: there must be one
    assert.throws(() => RequestState.make({ keys: [] }), TypeError, /at least one key/)
  })

  it("options that make no sense MUST be refused", () => {
    for (const ttl of [0, -1, Infinity]) assert.throws(() => RequestState.make({ ttl }), TypeError, /ttl/)
    for (const maxLength of [0, -1, NaN]) assert.throws(() => RequestState.make({ maxLength }), TypeError, /maxLength/)
  })

  it.effect("a random one MUST be told of once, when it first seals, with what to do", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const random = yield* Effect.provide(RequestState.RequestState, RequestState.layer({}))
        yield* refused("AAAA", binding, random)
        assert.deepStrictEqual(lines, [])
        const texts = yield* Effect.all([random.seal(1, binding), random.seal(2, binding)], {
          concurrency: "unbounded"
        })
        assert.strictEqual(lines.length, 1)
        for (const said of ["Warn", "restarted", "another process", "enough for one process", "RequestState.layer("]) {
          assert.include(lines[0], said)
        }
        assert.notInclude(lines[0], "is not set")
        assert.deepStrictEqual(yield* Effect.forEach(texts, (text) => random.open(text, binding)), [1, 2])
      })
    ))

  it.effect("MUST be one random one for the whole program by default", () =>
    logged(() =>
      Effect.gen(function*() {
        const [one, other] = [yield* RequestState.RequestState, yield* RequestState.RequestState]
        assert.strictEqual(yield* other.open(yield* one.seal(1, binding), binding), 1)
      })
    ))

  it.effect("given ones MUST NOT be warned about", () =>
    logged((lines) =>
      Effect.gen(function*() {
        yield* RequestState.make({ keys: [key("a")] }).seal(1, binding)
        assert.deepStrictEqual(lines, [])
      })
    ))

  it.effect("an interrupted first use MUST NOT spoil the next", () =>
    Effect.gen(function*() {
      const fresh = RequestState.make({ keys: [key("a")] })
      const fiber = yield* Effect.forkChild(fresh.seal(1, binding), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* fresh.open(yield* fresh.seal(1, binding), binding), 1)
    }))
})

describe("the configuration", () => {
  const configured = (keys: string | undefined) =>
    RequestState.RequestState.pipe(
      Effect.provide(RequestState.layerConfig()),
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown(keys === undefined ? {} : { MCP_REQUEST_STATE_KEYS: keys })
      )
    )

  it.effect("MUST name the keys, the newest first", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const found = yield* configured(`${"b".repeat(32)} , ${"a".repeat(32)},`)
        const text = yield* found.seal(payload, binding)
        assert.deepStrictEqual(yield* RequestState.make({ keys: [key("b")] }).open(text, binding), payload)
        assert.deepStrictEqual(yield* found.open(yield* state.seal(payload, binding), binding), payload)
        assert.deepStrictEqual(lines, [])
      })
    ))

  it.effect("a short key MUST fail the layer, without showing it", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(configured(`${"a".repeat(32)},hunter2`))
      assert.strictEqual(error._tag, "ConfigError")
      assert.include(
        error.message,
        "MCP_REQUEST_STATE_KEYS: a key must have at least 32 characters, but key 2 has fewer"
      )
      assert.notInclude(JSON.stringify(error) + String(error), "hunter2")
    }))

  it.effect("without keys MUST mean a random one, and a warning that names what is to be set", () =>
    Effect.forEach([undefined, "", " , "], (keys) =>
      logged((lines) =>
        Effect.gen(function*() {
          const random = yield* configured(keys)
          assert.strictEqual(yield* random.open(yield* random.seal(1, binding), binding), 1)
          assert.strictEqual(lines.length, 1)
          assert.match(String(lines[0]), /layerConfig\(\) is provided, but MCP_REQUEST_STATE_KEYS is not set/)
          assert.notInclude(lines[0], "RequestState.layer({")
        })
      )))
})
