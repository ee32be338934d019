import { assert, describe, it } from "@effect/vitest"
import { AjvValidator } from "@mcp-effect/json-schema"
import { JsonSchemaValidator } from "@mcp-effect/protocol/JsonSchemaValidator"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { check, compile, json, refusal } from "./check.ts"

describe("leniency", () => {
  it.effect("unknown keywords and formats MUST say nothing", () =>
    Effect.gen(function*() {
      const schema = { "type": "string", "x-hint": 1, "id": "not-a-uri", "example": "a", "format": "my-format" }
      assert.strictEqual(yield* check(schema, "a"), undefined)
      assert.strictEqual(yield* check(schema, 1), "must be string")
    }))

  it.effect("$async MUST NOT turn the check into a promise that every value passes", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* check({ $async: true, type: "string" }, 1), "must be string")
    }))

  it.effect("a nested $async MUST NOT let values pass", () =>
    Effect.gen(function*() {
      const s = { $async: true, type: "string", properties: { a: { $ref: "#/$defs/s" } } }
      const outcome = yield* Effect.result(check({ $ref: "#/$defs/s", $defs: { s } }, 1))
      assert.isTrue(outcome._tag === "Failure" || outcome.success === "must be string")
    }))

  it.effect.each([
    { format: "email", good: "a@example.com", bad: "a" },
    { format: "date-time", good: "2026-07-28T00:00:00Z", bad: "2026-13-28" },
    { format: "uri", good: "https://example.com/", bad: "example" },
    { format: "uuid", good: "123e4567-e89b-12d3-a456-426614174000", bad: "123" }
  ])("formats MUST be checked: $format", ({ bad, format, good }) =>
    Effect.gen(function*() {
      const checked = yield* compile({ type: "string", format })
      assert.strictEqual(checked(good), undefined)
      assert.strictEqual(checked(bad), `must match format "${format}"`)
    }))
})

describe("patterns", () => {
  it.effect("a pattern MUST be read as Unicode, and without where it is invalid so", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* check({ pattern: "^.$" }, "😀"), undefined)
      const checked = yield* compile({ pattern: "^[\\w-.]+$" })
      assert.strictEqual(checked("a-b.c"), undefined)
      assert.strictEqual(checked("a b"), "must match pattern \"^[\\w-.]+$\"")
    }))

  it.effect("a pattern that is none MUST be refused", () =>
    Effect.gen(function*() {
      assert.match(yield* refusal({ pattern: "(" }), /cannot be compiled: .*Invalid regular expression/)
    }))

  it.effect("patterns MUST run on the engine that was given", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const regExp = (pattern: string) => {
        seen.push(pattern)
        return { test: (text: string) => text === pattern }
      }
      const schema = {
        properties: { a: { pattern: "x" }, b: { pattern: "y" } },
        patternProperties: { z: { type: "null" } }
      }
      const checked = yield* compile(schema, { regExp })
      assert.sameMembers(seen, ["x", "y", "z"])
      assert.strictEqual(checked({ a: "x", b: "y" }), undefined)
      assert.strictEqual(checked({ b: "x" }), "/b must match pattern \"y\"")
      assert.strictEqual(checked({ z: 1 }), "/z must be null")
    }))
})

describe("JavaScript's own members", () => {
  it.effect("what an object inherits MUST NOT count as there", () =>
    Effect.gen(function*() {
      const schema = { required: ["constructor"], properties: { toString: { type: "string" } } }
      assert.strictEqual(yield* check(schema, {}), "must have required property 'constructor'")
      assert.strictEqual(yield* check(schema, json(`{"constructor":1}`)), undefined)
    }))

  it.effect("a __proto__ in a schema or a value MUST NOT reach any prototype", () =>
    Effect.gen(function*() {
      const before = Object.getOwnPropertyNames(Object.prototype)
      const bad = `{"type":"object","polluted":true,"default":{"polluted":1}}`
      const schemas = [
        `{"properties":{"__proto__":${bad}}}`,
        `{"$defs":{"__proto__":${bad}},"__proto__":${bad}}`,
        `{"$id":"__proto__","$defs":{"a":{"$id":"constructor"},"b":{"$anchor":"__proto__"}}}`,
        `{"patternProperties":{"__proto__":${bad}},"dependentRequired":{"__proto__":["a"]}}`,
        `{"$dynamicAnchor":"__proto__"}`
      ]
      for (const text of schemas) yield* Effect.result(check(json(text), json(`{"__proto__":{"polluted":1},"a":1}`)))
      assert.deepStrictEqual(Object.getOwnPropertyNames(Object.prototype), before)
      assert.strictEqual(Reflect.get({}, "polluted"), undefined)
    }))

  it.effect("a check MUST NOT change the value or the schema", () =>
    Effect.gen(function*() {
      const schema = { properties: { n: { type: "integer", default: 1 } }, additionalProperties: false }
      const [value, copy] = [{ n: "1", extra: 1 }, structuredClone(schema)]
      assert.isString(yield* check(schema, value))
      assert.deepStrictEqual(value, { n: "1", extra: 1 })
      assert.strictEqual(yield* check(schema, {}), undefined)
      assert.deepStrictEqual(schema, copy)
    }))
})

describe("sentences", () => {
  const weather = {
    type: "object",
    properties: {
      city: { type: "string" },
      days: { type: "integer" },
      unit: { enum: ["C", "F"] },
      kind: { const: "now" }
    },
    required: ["city"],
    additionalProperties: false
  }

  it.effect("every fault MUST be told, with its path", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* check(weather, { days: "2" }),
        "must have required property 'city'; /days must be integer"
      )
      assert.strictEqual(yield* check(weather, 1), "must be object")
    }))

  it.effect("the names and values that would be right or wrong MUST be told", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* check(weather, { city: "", unit: "K", kind: "then", extra: 1 }),
        "must NOT have additional properties: \"extra\"; " +
          "/unit must be equal to one of the allowed values: [\"C\",\"F\"]; " +
          "/kind must be equal to constant: \"now\""
      )
      const open = { properties: { a: true }, unevaluatedProperties: false }
      assert.strictEqual(yield* check(open, { b: 1 }), "must NOT have unevaluated properties: \"b\"")
      assert.include(yield* check({ propertyNames: { pattern: "^a" } }, { b: 1 }), "pattern \"^a\": \"b\"")
    }))

  it.effect("no more than the bound MUST be told", () =>
    Effect.gen(function*() {
      const items = { type: "array", items: { type: "integer" } }
      const five = "/0 must be integer; /1 must be integer; /2 must be integer; /3 must be integer; /4 must be integer"
      assert.strictEqual(yield* check(items, ["", "", "", "", ""]), five)
      assert.strictEqual(yield* check(items, ["", "", "", "", "", ""]), `${five}; and more`)
      assert.strictEqual(yield* check(items, ["", ""], { maxErrors: 1 }), "/0 must be integer; and more")
    }))

  it.effect("a large value MUST be checked up to its first fault only", () =>
    Effect.gen(function*() {
      const checked = yield* compile({ type: "array", items: { type: "integer" } })
      assert.strictEqual(checked(Array.from({ length: 2000 }, () => "")), "/0 must be integer")
    }))

  it.effect("a sentence MUST be short, whatever the value's names are", () =>
    Effect.gen(function*() {
      const text = yield* check({ additionalProperties: false }, { ["x".repeat(100_000)]: 1 })
      assert.isBelow(text?.length ?? Infinity, 300)
      const deep = { additionalProperties: { additionalProperties: { type: "string" } } }
      assert.isBelow((yield* check(deep, { ["x".repeat(100_000)]: { a: 1 } }))?.length ?? Infinity, 300)
    }))

  it.effect("the same fault found twice MUST be told once", () =>
    Effect.gen(function*() {
      const twice = { allOf: [{ type: "string" }, { type: "string" }] }
      assert.strictEqual(yield* check(twice, 1), "must be string")
    }))

  it.effect.prop(
    "a value is told faults exactly when it is not of the schema",
    [Schema.Unknown],
    ([value]) =>
      Effect.gen(function*() {
        const isValid = typeof value === "string" || Number.isInteger(value)
        const told = yield* check({ type: ["string", "integer"] }, value)
        assert.strictEqual(told, isValid ? undefined : "must be string,integer")
      })
  )
})

describe("the service", () => {
  it.effect("a schema object MUST be compiled once", () =>
    Effect.gen(function*() {
      const validator = AjvValidator.make()
      const schema = { type: "string" }
      assert.strictEqual(yield* validator.compile(schema), yield* validator.compile(schema))
      assert.notStrictEqual(yield* validator.compile(schema), yield* validator.compile({ ...schema }))
      const fresh = { type: "null" }
      const [one, two] = yield* Effect.all(
        [validator.compile(fresh), validator.compile(fresh)],
        { concurrency: 2 }
      )
      assert.strictEqual(one, two)
    }))

  it.effect("a schema that was compiled MUST be there without waiting", () =>
    Effect.gen(function*() {
      const validator = AjvValidator.make()
      const schema = { type: "string" }
      const checked = yield* validator.compile(schema)
      assert.strictEqual(Effect.runSync(validator.compile(schema)), checked)
    }))

  it.effect("a reason why a schema is refused MUST be kept too", () =>
    Effect.gen(function*() {
      const validator = AjvValidator.make()
      const schema = { $ref: "https://example.com/" }
      const reason = yield* Effect.flip(validator.compile(schema))
      assert.strictEqual(Effect.runSync(Effect.flip(validator.compile(schema))), reason)
    }))

  it.effect("there is no validator unless the layer is provided", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* JsonSchemaValidator, undefined)
      const validator = yield* Effect.provide(JsonSchemaValidator, AjvValidator.layer)
      const checked = yield* validator?.compile({ type: "string" }) ?? Effect.die("no validator")
      assert.strictEqual(checked(1), "must be string")
    }))
})
