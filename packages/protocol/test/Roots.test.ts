import { assert, describe, it } from "@effect/vitest"
import * as Capabilities from "@mcp-effect/protocol/Capabilities"
import * as Roots from "@mcp-effect/protocol/Roots"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const read = Schema.decodeUnknownEffect(Roots.Result)

describe("roots", () => {
  it.effect("MUST be read with what they may have, and without", () =>
    Effect.gen(function*() {
      const roots = [{ uri: "file:///a" }, { uri: "FILE:///b%20c", name: "B", _meta: { a: 1 } }]
      assert.deepStrictEqual(yield* read({ roots, resultType: "complete" }), { roots })
      assert.deepStrictEqual(yield* read({ roots: [] }), { roots: [] })
    }))

  it.effect.each(["https://example.com/", "/a", "file:/a", "xfile:///a", 1])(
    "MUST be at a file:// URI: %j",
    (uri) =>
      Effect.gen(function*() {
        assert.match(String(yield* Effect.flip(read({ roots: [{ uri }] }))), /\["roots"\]\[0\]\["uri"\]/)
      })
  )

  it("MUST be asked of clients that declare them", () => {
    assert.deepStrictEqual(Capabilities.missing({}, Roots.needs), { roots: {} })
    assert.strictEqual(Capabilities.missing({ roots: { listChanged: true } }, Roots.needs), undefined)
  })
})
