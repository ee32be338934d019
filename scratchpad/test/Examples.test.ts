/** The examples, run as a user would. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { tsx } from "./children.ts"

const run = (example: string): string =>
  execFileSync(process.execPath, ["--import", tsx, fileURLToPath(new URL(`../${example}/main.ts`, import.meta.url))], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  })

describe("scratchpad", () => {
  it("reconnect MUST show a client that goes on with another server, twice", () => {
    const printed = run("reconnect")
    const lives = printed.split("\n").filter((line) => line.startsWith("the "))
    assert.deepStrictEqual(lives, [
      "the first server answers",
      "the second server answers, another process",
      "the third server answers, another process"
    ])
    assert.strictEqual(printed.match(/session: ready/gu)?.length, 3)
    assert.include(printed, "session: disconnected (it exited with code")
  }, 30_000)

  it("elicitation MUST show the same answers in both eras", () => {
    const [, older = "", newer = ""] = run("elicitation").split(/In revision \S+:\n/u)
    assert.strictEqual(newer.replace(/^\[.*\n/mu, ""), older)
    assert.include(older, "the model is asked for: 2 merry lines for Ada")
  }, 30_000)

  it("many-servers MUST show the tools of those that are there, and call them", () => {
    const printed = run("many-servers")
    for (const line of ["files: 14 tools", "weather: 2 tools", "missing: 0 tools", "everything__echo: Echo: hello"]) {
      assert.include(printed, line)
    }
  }, 60_000)
})
