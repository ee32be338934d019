import { assert, describe, it } from "@effect/vitest"
import * as Logging from "@mcp-effect/protocol/Logging"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import * as Schema from "effect/Schema"

describe("the levels", () => {
  it("MUST be those of RFC 5424, from the least severe to the most", () => {
    assert.deepStrictEqual(Logging.levels, [
      "debug",
      "info",
      "notice",
      "warning",
      "error",
      "critical",
      "alert",
      "emergency"
    ])
  })

  it("MUST be told from anything else", () => {
    for (const level of Logging.levels) assert.isTrue(Logging.isLevel(level))
    for (const no of ["warn", "DEBUG", "", "constructor", 3, null, undefined, ["debug"]]) {
      assert.isFalse(Logging.isLevel(no), String(no))
    }
  })

  it.prop("a message MUST be sent exactly if it is no less severe than the minimum", [Logging.Level, Logging.Level], ([
    level,
    minimum
  ]) => {
    const enough = Logging.levels.indexOf(level) >= Logging.levels.indexOf(minimum)
    assert.strictEqual(Logging.isAtLeast(level, minimum), enough)
  })

  it("the key that asks for them MUST be the specification's", () => {
    assert.strictEqual(Meta.LOG_LEVEL, "io.modelcontextprotocol/logLevel")
  })
})

describe("Effect's levels", () => {
  it("MUST become the nearest level", () => {
    assert.deepStrictEqual(
      (["Trace", "Debug", "Info", "Warn", "Error", "Fatal"] as const).map(Logging.fromEffect),
      ["debug", "debug", "info", "warning", "error", "critical"]
    )
  })

  it("MUST come back from every level", () => {
    assert.deepStrictEqual(
      Logging.levels.map(Logging.toEffect),
      ["Debug", "Info", "Info", "Warn", "Error", "Fatal", "Fatal", "Fatal"]
    )
  })

  it.prop("the order MUST stay, both ways", [Schema.Literals(LogLevel.values), Logging.Level, Logging.Level], ([
    effect,
    a,
    b
  ]) => {
    if (Logging.isAtLeast(a, b)) {
      assert.isTrue(LogLevel.isGreaterThanOrEqualTo(Logging.toEffect(a), Logging.toEffect(b)))
    }
    if (LogLevel.isGreaterThanOrEqualTo(effect, "Warn") && effect !== "None") {
      assert.isTrue(Logging.isAtLeast(Logging.fromEffect(effect), "warning"))
    }
  })
})

describe("a message", () => {
  const read = Schema.decodeUnknownEffect(Logging.Message)

  it.effect("MUST be read with data of any kind", () =>
    Effect.gen(function*() {
      for (const data of ["text", 1, null, { error: "lost" }, ["a"]]) {
        assert.deepStrictEqual(yield* read({ level: "error", logger: "db", data }), {
          level: "error",
          logger: "db",
          data
        })
      }
    }))

  it.effect("MUST NOT be read without data, or with a level that does not exist", () =>
    Effect.gen(function*() {
      assert.match(String(yield* Effect.flip(read({ level: "error" }))), /data/)
      assert.match(String(yield* Effect.flip(read({ level: "warn", data: 1 }))), /level/)
    }))
})
