/** Names of tools for models: short, of few characters, and each for one tool. */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ToolNames from "../src/internal/toolNames.ts"

describe("the names of tools", () => {
  it("MUST be those of server and tool, where that is unambiguous", () => {
    assert.deepStrictEqual(
      ToolNames.make([{ server: "files", tool: "read_file" }, { server: undefined, tool: "echo" }]),
      ["files__read_file", "echo"]
    )
  })

  it("MUST be told from each other, in whatever order", () => {
    const origins = [{ server: "a", tool: "b__c" }, { server: "a__b", tool: "c" }, { server: "a", tool: "b.c" }]
    const names = ToolNames.make(origins)
    assert.strictEqual(new Set(names).size, 3)
    assert.deepStrictEqual(ToolNames.make(origins.toReversed()), names.toReversed())
  })

  it.prop(
    "MUST be unique, and such as every provider of models takes",
    [Schema.Array(Schema.Tuple([Schema.String, Schema.String]))],
    ([pairs]) => {
      const all = new Map(pairs.map((pair) => [JSON.stringify(pair), pair]))
      const names = ToolNames.make([...all.values()].map(([server, tool]) => ({ server, tool: tool.repeat(10) })))
      assert.strictEqual(new Set(names).size, all.size)
      for (const name of names) assert.match(name, /^[\w-]{1,64}$/u)
    }
  )
})
