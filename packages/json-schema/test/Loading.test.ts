import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"

// In a process of its own, where nothing else has loaded ajv.
const inProcess = (body: string): string =>
  execFileSync(process.execPath, ["--input-type=module", "--eval", body], {
    cwd: import.meta.dirname,
    encoding: "utf8"
  }).trim()

const loaded = `
  import { createRequire } from "node:module"
  const cache = createRequire(import.meta.url).cache
  const has = () => Object.keys(cache).some((path) => /node_modules\\/ajv\\//.test(path))
`

describe("loading", () => {
  it("importing the package MUST NOT load ajv; the first schema does", () => {
    const printed = inProcess(`${loaded}
      import * as Effect from "effect/Effect"
      import { AjvValidator } from "@mcp-effect/json-schema"
      const validator = AjvValidator.make()
      const before = has()
      const check = await Effect.runPromise(validator.compile({ type: "string" }))
      console.log(before, has(), check(1))
    `)
    assert.strictEqual(printed, "false true must be string")
  })
})
