/** What the README shows, run as it is printed. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const readme = readFileSync(join(root, "README.md"), "utf8")
const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href

const files = [...readme.matchAll(/<!-- file: (\S+) -->\n\n```ts\n([\s\S]*?)```/g)]
const testFile = /<!-- test file: (\S+) -->\n\n```ts\n([\s\S]*?)```/.exec(readme)
const output = /<!-- output of client\.ts -->\n\n```text\n([\s\S]*?)```/.exec(readme)?.[1]

describe("README.md", () => {
  it("MUST show programs that run as printed, in under 25 lines each", () => {
    // Inside the workspace, so that the packages resolve.
    const folder = mkdtempSync(join(root, "scratchpad", ".readme-"))
    try {
      assert.deepStrictEqual(files.map(([, name]) => name), ["tools.ts", "server.ts", "client.ts"])
      for (const [, name = "", code = ""] of files) {
        assert.isBelow(code.trimEnd().split("\n").length, 25, name)
        writeFileSync(join(folder, name), code.replace("\"--import\", \"tsx\"", `"--import", ${JSON.stringify(tsx)}`))
      }
      const printed = execFileSync(process.execPath, ["--import", tsx, "client.ts"], { cwd: folder, encoding: "utf8" })
      assert.strictEqual(printed, output)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }, 30_000)

  it("MUST show a test that passes as printed", () => {
    const [, name = "", code = ""] = testFile ?? []
    const folder = mkdtempSync(join(root, "scratchpad", ".readme-"))
    try {
      writeFileSync(join(folder, name), code)
      const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs")
      const printed = execFileSync(process.execPath, [vitest, "run", "--root", folder], { encoding: "utf8" })
      assert.match(printed, /1 passed/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }, 60_000)
})
