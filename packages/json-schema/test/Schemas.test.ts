import { assert, describe, it } from "@effect/vitest"
import { AjvValidator } from "@mcp-effect/json-schema"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Effect from "effect/Effect"
import { check, compile, json, refusal } from "./check.ts"

const nested = (levels: number): Params => levels === 0 ? { type: "string" } : { properties: { x: nested(levels - 1) } }

describe("dialects", () => {
  const tuple = { prefixItems: [{ type: "integer" }] }
  const oldTuple = { items: [{ type: "integer" }] }

  it.effect("a schema without $schema MUST be read as 2020-12", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* check(tuple, ["a"]), "/0 must be integer")
      assert.match(yield* refusal(oldTuple), /not valid JSON Schema: \/items must be/)
    }))

  it.effect.each([
    { dialect: "https://json-schema.org/draft/2020-12/schema", schema: tuple },
    { dialect: "https://json-schema.org/draft/2020-12/schema#", schema: tuple },
    { dialect: "https://json-schema.org/draft/2019-09/schema", schema: oldTuple },
    { dialect: "http://json-schema.org/draft-07/schema#", schema: oldTuple },
    { dialect: "http://json-schema.org/draft-07/schema", schema: oldTuple },
    { dialect: "https://json-schema.org/draft-07/schema#", schema: oldTuple }
  ])("the dialect MUST be the one that $schema names: $dialect", ({ dialect, schema }) =>
    Effect.gen(function*() {
      const checked = yield* compile({ $schema: dialect, ...schema })
      assert.strictEqual(checked([1]), undefined)
      assert.strictEqual(checked(["a"]), "/0 must be integer")
    }))

  it.effect("a keyword of another dialect MUST say nothing", () =>
    Effect.gen(function*() {
      const $schema = "http://json-schema.org/draft-07/schema#"
      assert.strictEqual(yield* check({ $schema, ...tuple }, ["a"]), undefined)
    }))

  it.effect.each(["http://json-schema.org/draft-04/schema#", "https://example.com/my-dialect", 7, null])(
    "an unsupported dialect MUST be refused by name: %s",
    ($schema) =>
      Effect.gen(function*() {
        const reason = yield* refusal({ $schema, type: "object" })
        assert.include(reason, `dialect that is not supported: ${JSON.stringify($schema)}`)
        assert.include(reason, "2020-12")
      })
  )

  it.effect("a schema that is none MUST be refused with what is wrong with it", () =>
    Effect.gen(function*() {
      assert.match(yield* refusal({ type: "objekt" }), /^The schema is not valid JSON Schema: \/type must be/)
      assert.match(yield* refusal({ required: "a" }), /\/required must be array/)
    }))
})

describe("references", () => {
  it.effect("references inside the schema MUST be followed", () =>
    Effect.gen(function*() {
      const checked = yield* compile({
        $id: "https://example.com/tool.json",
        properties: {
          a: { $ref: "#/$defs/n" },
          b: { $ref: "https://example.com/tool.json#/$defs/n" },
          c: { $ref: "#named" }
        },
        $defs: { n: { type: "integer" }, s: { $anchor: "named", type: "string" } }
      })
      assert.strictEqual(checked({ a: 1, b: 1, c: "" }), undefined)
      assert.strictEqual(
        checked({ a: "", b: "", c: 1 }),
        "/a must be integer; /b must be integer; /c must be string"
      )
    }))

  it.effect.each([
    "https://example.com/other.json",
    "http://127.0.0.1:1/schema",
    "file:///etc/passwd",
    "other.json",
    "#/$defs/missing",
    "#missing"
  ])(
    "a reference to what is not in the schema MUST be refused by name, and never fetched: %s",
    ($ref) =>
      Effect.gen(function*() {
        const reason = yield* refusal({ properties: { a: { $ref } } })
        assert.include(reason, JSON.stringify($ref))
        assert.include(reason, "never fetched")
      })
  )

  it.effect.each(["constructor", "__proto__", "toString#", "#/constructor", "#/$defs/toString", "%63onstructor"])(
    "a reference MUST NOT resolve to what JavaScript objects inherit: %s",
    ($ref) =>
      Effect.gen(function*() {
        assert.include(yield* refusal({ properties: { a: { $ref } }, $defs: {} }), JSON.stringify($ref))
        assert.include(yield* refusal({ properties: { a: { $dynamicRef: $ref } } }), JSON.stringify($ref))
      })
  )

  it.effect("a definition may be named like an inherited member", () =>
    Effect.gen(function*() {
      const schema = { $ref: "#/$defs/constructor", $defs: { constructor: { type: "integer" } } }
      assert.strictEqual(yield* check(schema, "a"), "must be integer")
    }))

  it.effect("the dialect's own meta-schema is at hand", () =>
    Effect.gen(function*() {
      const schema = { properties: { s: { $ref: "https://json-schema.org/draft/2020-12/schema" } } }
      assert.strictEqual(yield* check(schema, { s: { type: "object" } }), undefined)
      assert.match((yield* check(schema, { s: { type: 1 } })) ?? "", /^\/s\/type must be/)
    }))

  it.effect("a schema that refers to itself MUST check recursive values", () =>
    Effect.gen(function*() {
      const checked = yield* compile({ type: "object", properties: { next: { $ref: "#" } } })
      assert.strictEqual(checked({ next: { next: {} } }), undefined)
      assert.strictEqual(checked({ next: { next: 1 } }), "/next/next must be object")
    }))

  it.effect("a schema that refers to itself without end MUST get a sentence, not a defect", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* check({ $ref: "#" }, {}), "is nested too deeply to be checked")
    }))

  it.effect("a value too deep for a recursive schema MUST get a sentence, not a defect", () =>
    Effect.gen(function*() {
      const value = json(`${`{"next":`.repeat(100_000)}{}${"}".repeat(100_000)}`)
      const schema = { type: "object", properties: { next: { $ref: "#" } } }
      assert.strictEqual(yield* check(schema, value), "is nested too deeply to be checked")
    }))

  it.effect("two schemas with the same $id MUST NOT collide, at the root or inside", () =>
    Effect.gen(function*() {
      const validator = AjvValidator.make()
      const one = (type: string) => ({ $id: "https://example.com/a", $ref: "b", $defs: { b: { $id: "b", type } } })
      const integer = yield* validator.compile(one("integer"))
      const text = yield* validator.compile(one("string"))
      assert.strictEqual(integer(1), undefined)
      assert.strictEqual(integer("a"), "must be integer")
      assert.strictEqual(text("a"), undefined)
      assert.strictEqual(text(1), "must be string")
    }))

  it.effect("what one schema declares MUST NOT be there for another", () =>
    Effect.gen(function*() {
      const validator = AjvValidator.make()
      yield* validator.compile({ $id: "https://example.com/a", type: "integer" })
      const reason = yield* Effect.flip(validator.compile({ $ref: "https://example.com/a" }))
      assert.include(reason, "https://example.com/a")
    }))
})

describe("bounds", () => {
  it.effect("a schema nested deeper than the bound MUST be refused, one at the bound compiled", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* check(nested(3), {}, { maxDepth: 7 }), undefined)
      assert.strictEqual(yield* refusal(nested(3), { maxDepth: 6 }), "The schema is nested deeper than 6 levels")
      assert.include(yield* refusal(nested(1000)), "nested deeper than 128 levels")
    }))

  it.effect("a schema larger than the bound MUST be refused, one at the bound compiled", () =>
    Effect.gen(function*() {
      const schema = { anyOf: [{ type: "string" }, { type: "null" }] }
      assert.strictEqual(yield* check(schema, "", { maxNodes: 4 }), undefined)
      assert.include(yield* refusal(schema, { maxNodes: 3 }), "larger than 3 objects and arrays")
      const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, { type: "string" }]))
      assert.include(yield* refusal({ properties: many }), "larger than 2000")
    }))

  it.effect("a schema object that contains itself, or shares its parts, MUST be refused in bounded time", () =>
    Effect.gen(function*() {
      const cycle: Record<string, unknown> = {}
      cycle.not = cycle
      assert.include(yield* refusal(cycle), "nested deeper")
      let shared: Params = { type: "string" }
      for (let i = 0; i < 50; i++) shared = { allOf: [shared, shared] }
      assert.include(yield* refusal(shared), "larger than")
    }))

  it.effect("a definition that is referred to often MUST NOT be copied as often", () =>
    Effect.gen(function*() {
      const big = {
        properties: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, { type: "string" }]))
      }
      const all = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`r${i}`, { $ref: "#/$defs/big" }]))
      const checked = yield* compile({ properties: all, $defs: { big } })
      assert.strictEqual(checked({ r7: { p9: 1 } }), "/r7/p9 must be string")
    }))
})
