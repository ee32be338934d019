/** The examples, run as a user would. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { createRequire } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"

const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href
const main = fileURLToPath(new URL("../weather/main.ts", import.meta.url))

describe("scratchpad/weather", () => {
  it(
    "MUST show the same conversation over stdio, over HTTP and in memory, and read the README through a public server",
    () => {
      const printed = execFileSync(process.execPath, ["--import", tsx, main], { encoding: "utf8" })
      const [overStdio, overHttp, inMemory, filesystem = ""] = printed.split("\n\n").map((part) =>
        part.split("\n").slice(1).join("\n")
      )
      assert.strictEqual(overStdio, inMemory)
      assert.strictEqual(overHttp, inMemory)
      for (const state of ["created", "initializing", "ready", "disconnected"]) {
        assert.include(overStdio, `session: ${state}`)
      }
      assert.include(overStdio, "███████ 7 of 7 days")
      assert.include(overStdio, "UnknownCity: There is no weather for Atlantis")
      assert.include(filesystem, "| # mcp-effect")
    },
    60_000
  )
})
