import { assert, describe, it } from "@effect/vitest"
import * as Report from "@mcp-effect/conformance/Report"

// As the suite prints its summary, with so many scored scenarios, and one of tasks that fails.
const summary = (options: { readonly scored: number; readonly others: number; readonly failing?: string }): string =>
  [
    ...Array.from({ length: options.scored }, (_, i) => `✓ scenario-${i}: 2 passed, 0 failed`),
    ...Array.from({ length: options.others - 1 }, (_, i) => `✓ other-${i}: 1 passed, 0 failed`),
    "✗ tasks-lifecycle: 1 passed, 8 failed",
    ...(options.failing === undefined ? [] : [`✗ ${options.failing}: 0 passed, 1 failed`]),
    "Not scored:",
    ...Array.from({ length: options.others - 1 }, (_, i) => `  ✓ other-${i} (pending)`),
    "  ✗ tasks-lifecycle (extension)",
    ...(options.failing?.startsWith("other") === true ? [`  ✗ ${options.failing} (pending)`] : [])
  ].join("\n")

const problems = (output: string): ReadonlyArray<string> => Report.problems(Report.read("2025-11-25", output))

describe("the report of the conformance suite", () => {
  it("MUST be content with what is recorded", () => {
    assert.deepStrictEqual(problems(summary({ scored: 30, others: 3 })), [])
  })

  it("MUST name a scenario that fails and is not known to, whether it is scored or not", () => {
    for (const failing of ["scenario-x", "other-x"]) {
      assert.deepStrictEqual(problems(summary({ scored: 30, others: 3, failing })), [`${failing} fails`])
    }
  })

  it("MUST name a known failure that passes after all", () => {
    const output = summary({ scored: 30, others: 3 }).replace("✗ tasks-lifecycle: 1", "✓ tasks-lifecycle: 1")
    assert.deepStrictEqual(problems(output), ["tasks-lifecycle passes, and is in the list of known failures still"])
  })

  it("MUST not take a run that saw too little for a good one", () => {
    assert.strictEqual(problems(summary({ scored: 29, others: 3 })).length, 1)
    assert.strictEqual(problems("").length, 1)
  })
})
