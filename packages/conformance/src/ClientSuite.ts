/**
 * Runs the scenarios of the official suite that need a client, but for authorisation, each by itself: the suite starts the
 * client of this package for it.
 */
import * as Effect from "effect/Effect"
import * as Yaml from "effect/encoding/Yaml"
import * as Predicate from "effect/Predicate"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bin } from "./internal/bin.ts"
import type * as Report from "./Report.ts"

const require = createRequire(import.meta.url)

const root = dirname(require.resolve("@modelcontextprotocol/conformance/package.json"))

const command = `${process.execPath} ${fileURLToPath(new URL("EverythingClient.ts", import.meta.url))}`

interface Wanted {
  readonly name: string
  readonly unscored: string | undefined
}

/** What a revision requires of a client, and what is run beside it. */
const wanted = (revision: string): ReadonlyArray<Wanted> => {
  const requirements = Yaml.parse(readFileSync(join(root, "requirements", `${revision}.yaml`), "utf8"))
  const { client, not_scored: others } = Predicate.isObject(requirements) ? requirements : {}
  const scored = (Array.isArray(client) ? client : []).filter(Predicate.isString)
    .map((name) => ({ name, unscored: undefined }))
  const unscored = (Array.isArray(others) ? others : []).flatMap((other: unknown) =>
    Predicate.isObject(other) && other.leg === "client" && Predicate.isString(other.scenario)
      ? [{ name: other.scenario, unscored: String(other.reason) }]
      : []
  )
  return [...scored, ...unscored].filter(({ name }) => !name.startsWith("auth/"))
}

const ran = (
  revision: string,
  { name, unscored }: Wanted
): Effect.Effect<Report.Scenario & { readonly output: string }> =>
  Effect.callback((resume) => {
    const args = ["client", "--command", command, "--scenario", name, "--spec-version", revision]
    const child = spawn(bin, args, { stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    const take = (chunk: Buffer): void => {
      output += chunk.toString("utf8")
    }
    child.stdout.on("data", take)
    child.stderr.on("data", take)
    child.on("error", (error) => take(Buffer.from(error.message)))
    child.on("close", (code) => {
      const [, passed = "0", failed = "0"] = /Passed: (\d+)\/\d+, (\d+) failed/u.exec(output) ?? []
      const checks = `${passed} passed, ${failed} failed`
      resume(
        Effect.succeed({ name, unscored, checks, output, passed: code === 0 && Number(passed) > 0 && failed === "0" })
      )
    })
  })

/** Runs all that a revision has, two at a time. */
export const run = (revision: string): Effect.Effect<Report.Report> =>
  Effect.map(
    Effect.forEach(wanted(revision), (scenario) => ran(revision, scenario), { concurrency: 2 }),
    (scenarios) => ({
      revision,
      side: "client",
      scenarios,
      output: scenarios.filter(({ passed }) => !passed).map(({ name, output }) => `${name}:\n${output}`).join("\n")
    })
  )
