/** What a server offers of one kind: by key, in order, and for whom. */
import { assert, describe, it } from "@effect/vitest"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Registry from "@mcp-effect/server/Registry"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"

interface Thing extends Registry.Entry {
  readonly value: number
}

const make = () => {
  let changes = 0
  const registry = Registry.make<Thing>({
    kind: "tool",
    check: ({ key, value }) => {
      if (key === "") throw new TypeError("it has no name")
      if (value === -2) throw new TypeError("it cannot be written", { cause: new RangeError("too deep") })
      if (value === -3) throw new TypeError("it cannot be written: no JSON", { cause: new TypeError("no JSON") })
      if (value < 0) throw "negative"
    },
    changed: Effect.sync(() => void changes++)
  })
  return { registry, changes: () => changes }
}

const of = (subject: string) => Principal.make({ subject })
const keys = (registry: Registry.Registry<Thing>, principal?: Principal.Principal) =>
  registry.list(principal).map(({ key }) => key)

describe("a registry", () => {
  it.effect("MUST hold an entry until its scope closes, and tell of both", () =>
    Effect.gen(function*() {
      const { changes, registry } = make()
      assert.isFalse(registry.used())
      const scope = yield* Scope.make()
      yield* Scope.provide(registry.add({ key: "a", value: 1 }), scope)
      assert.deepStrictEqual([keys(registry), changes(), registry.used()], [["a"], 1, true])
      assert.strictEqual(registry.get("a", undefined)?.value, 1)
      yield* Scope.close(scope, Exit.void)
      // What was declared once stays declared.
      assert.deepStrictEqual([keys(registry), changes(), registry.used()], [[], 2, true])
      assert.isUndefined(registry.get("a", undefined))
      yield* registry.add({ key: "a", value: 2 })
      assert.strictEqual(registry.get("a", undefined)?.value, 2)
    }))

  it.effect("MUST refuse a key that is taken and an entry that is wrong, and stay as it was", () =>
    Effect.gen(function*() {
      const { changes, registry } = make()
      yield* registry.add({ key: "a", value: 1 })
      const scope = yield* Scope.make()
      const refused = (entry: Thing) => Effect.flip(Scope.provide(registry.add(entry), scope))
      const taken = yield* refused({ key: "a", value: 2, visibleTo: () => false })
      assert.deepInclude(taken, { _tag: "RegistrationError", kind: "tool", key: "a" })
      assert.strictEqual(taken.message, "There is already a tool named \"a\"")
      assert.strictEqual((yield* refused({ key: "", value: 1 })).message, "it has no name")
      assert.deepInclude(yield* refused({ key: "b", value: -1 }), { message: "negative" })
      // A refusal takes nothing away, neither now nor when its scope closes.
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(registry.get("a", undefined)?.value, 1)
      assert.strictEqual(changes(), 1)
      assert.isFalse(registry.restricted())
    }))

  it.effect("MUST say why it refuses an entry once, and what was the cause of that", () =>
    Effect.gen(function*() {
      const { registry } = make()
      const printed = (entry: Thing) =>
        Effect.map(Effect.flip(Effect.sandbox(Effect.scoped(registry.add(entry)))), Cause.pretty)
      for (const entry of [{ key: "", value: 1 }, { key: "b", value: -1 }]) {
        const text = yield* printed(entry)
        assert.lengthOf(text.match(/it has no name|negative/g) ?? [], 1, text)
      }
      assert.match(yield* printed({ key: "c", value: -2 }), /it cannot be written[^]*too deep/)
      const schema = yield* printed({ key: "c", value: -3 })
      assert.lengthOf(schema.match(/no JSON/g) ?? [], 1, schema)
    }))

  it.effect("MUST NOT take what an object has by nature for an entry", () =>
    Effect.sync(() => {
      const { registry } = make()
      for (const key of ["constructor", "__proto__", "toString"]) assert.isUndefined(registry.get(key, undefined))
    }))

  it.effect.prop(
    "MUST be in the order of the keys, however they came",
    [Schema.UniqueArray(Schema.NonEmptyString)],
    ([all]) =>
      Effect.gen(function*() {
        const { registry } = make()
        for (const key of all) yield* registry.add({ key, value: 0 })
        assert.deepStrictEqual(keys(registry), all.toSorted((a, b) => a < b ? -1 : 1))
      })
  )

  it.effect.prop(
    "MUST list exactly what can be got, whoever asks",
    [Schema.Array(Schema.Array(Schema.Literals(["ada", "bob", "eve"])))],
    ([visible]) =>
      Effect.gen(function*() {
        const { registry } = make()
        for (const [index, subjects] of visible.entries()) {
          const visibleTo = (principal: Principal.Principal | undefined) =>
            subjects.some((subject) => subject === principal?.subject)
          yield* registry.add({ key: `k${index}`, value: 0, ...(subjects.length === 0 ? {} : { visibleTo }) })
        }
        for (const subject of ["ada", "bob", "eve", "nobody"]) {
          const gettable = visible.flatMap((_, index) => {
            const entry = registry.get(`k${index}`, of(subject))
            return entry === undefined ? [] : [entry.key]
          })
          assert.deepStrictEqual(keys(registry, of(subject)), gettable.toSorted((a, b) => a < b ? -1 : 1))
        }
      })
  )
})

describe("the views of a registry", () => {
  it.effect("MUST be one array for all who see the same, until something changes", () =>
    Effect.gen(function*() {
      const { registry } = make()
      yield* registry.add({ key: "a", value: 1 })
      yield* registry.add({ key: "b", value: 1, visibleTo: (principal) => principal?.subject === "ada" })
      assert.isTrue(registry.restricted())
      const [ada, eve, nobody] = [of("ada"), of("eve"), undefined].map(registry.list)
      assert.strictEqual(registry.list(of("ada")), ada)
      assert.strictEqual(eve, nobody)
      assert.notStrictEqual(ada, eve)
      const scope = yield* Scope.make()
      yield* Scope.provide(registry.add({ key: "c", value: 1 }), scope)
      assert.deepStrictEqual(keys(registry, of("eve")), ["a", "c"])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(keys(registry, of("eve")), ["a"])
      assert.notStrictEqual(registry.list(of("eve")), eve)
    }))

  it.effect("MUST NOT be taken for one another, whatever the keys are", () =>
    Effect.gen(function*() {
      const { registry } = make()
      for (const key of ["x", "y", "x\ny", "x\",\"y"]) {
        yield* registry.add({ key, value: 1, visibleTo: (principal) => principal?.scopes.includes(key) === true })
      }
      const seen = (...scopes: ReadonlyArray<string>) => keys(registry, Principal.make({ subject: "s", scopes }))
      assert.deepStrictEqual(seen("x\ny", "x\",\"y"), ["x\ny", "x\",\"y"])
      assert.deepStrictEqual(seen("x", "y", "x\",\"y"), ["x", "x\",\"y", "y"])
      assert.deepStrictEqual(seen("x", "y", "x\ny"), ["x", "x\ny", "y"])
    }))

  it.effect("MUST be right for more groups of principals than are kept at once", () =>
    Effect.gen(function*() {
      const { registry } = make()
      for (let n = 0; n < 200; n++) {
        yield* registry.add({ key: `k${n}`, value: n, visibleTo: (principal) => principal?.subject === `${n}` })
      }
      const first = registry.list(of("0"))
      for (let round = 0; round < 2; round++) {
        for (let n = 0; n < 200; n++) assert.deepStrictEqual(keys(registry, of(`${n}`)), [`k${n}`])
      }
      // What it would cost to keep them all is not paid: the first was made anew.
      assert.notStrictEqual(registry.list(of("0")), first)
      assert.deepStrictEqual(registry.list(of("0")), first)
    }))

  it.effect("MUST let a predicate throw: who cannot be judged sees nothing", () =>
    Effect.gen(function*() {
      const { registry } = make()
      yield* registry.add({
        key: "a",
        value: 1,
        visibleTo: () => {
          throw new Error("broken")
        }
      })
      assert.throws(() => registry.list(undefined), "broken")
      assert.throws(() => registry.get("a", undefined), "broken")
      assert.isUndefined(registry.get("b", undefined))
    }))
})
