/** What the README shows, run as it is printed. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL("../..", import.meta.url))
const readme = readFileSync(join(root, "README.md"), "utf8")
const tsx = pathToFileURL(require.resolve("tsx")).href

const files = [...readme.matchAll(/<!-- file: (\S+) -->\n\n```ts\n([\s\S]*?)```/g)]
const testFiles = [...readme.matchAll(/<!-- test file: (\S+) -->\n\n```ts\n([\s\S]*?)```/g)]
const outputs = new Map(
  [...readme.matchAll(/<!-- output of (\S+) -->\n\n```text\n([\s\S]*?)```/g)].map(([, name, text]) => [name, text])
)

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** In a folder of the workspace, so that the packages resolve. */
const inFolder = async (test: (folder: string) => Promise<void> | void): Promise<void> => {
  const folder = mkdtempSync(join(root, "scratchpad", ".readme-"))
  try {
    await test(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const write = (folder: string, change: (code: string) => string = (code) => code): void => {
  for (const [, name = "", code = ""] of files) {
    writeFileSync(
      join(folder, name),
      change(code.replace("\"--import\", \"tsx\"", `"--import", ${JSON.stringify(tsx)}`))
    )
  }
}

const run = (folder: string, file: string): string =>
  execFileSync(process.execPath, ["--import", tsx, file], { cwd: folder, encoding: "utf8" })

describe("README.md", () => {
  it("MUST show programs that run as printed, in under 25 lines each", () =>
    inFolder((folder) => {
      assert.deepStrictEqual(files.map(([, name]) => name), [
        "tools.ts",
        "server.ts",
        "client.ts",
        "http.ts",
        "http-client.ts"
      ])
      for (const [, name = "", code = ""] of files) assert.isBelow(code.trimEnd().split("\n").length, 25, name)
      write(folder)
      assert.strictEqual(run(folder, "client.ts"), outputs.get("client.ts"))
    }), 30_000)

  it(
    "MUST show a server and a client over HTTP that run as printed, but for the port",
    () =>
      inFolder(async (folder) => {
        const port = await freePort()
        write(folder, (code) => code.replaceAll("3000", String(port)))
        const server = spawn(process.execPath, ["--import", tsx, "http.ts"], {
          cwd: folder,
          stdio: ["ignore", "pipe", "pipe"]
        })
        try {
          await new Promise<void>((resolve, reject) => {
            for (const output of [server.stdout, server.stderr]) {
              output.on("data", (text) => String(text).includes("Listening") && resolve())
            }
            server.once("exit", (code) => reject(new Error(`The server has ended with ${code}`)))
          })
          assert.strictEqual(run(folder, "http-client.ts"), outputs.get("http-client.ts"))
        } finally {
          const ended = once(server, "exit")
          server.kill("SIGTERM")
          await ended
        }
      }),
    30_000
  )

  it("MUST show tests that pass as printed", () =>
    inFolder((folder) => {
      for (const [, name = "", code = ""] of testFiles) writeFileSync(join(folder, name), code)
      assert.deepStrictEqual(testFiles.map(([, name]) => name), ["Wait.test.ts", "Poem.test.ts"])
      const vitest = join(dirname(require.resolve("vitest/package.json")), "vitest.mjs")
      const printed = execFileSync(process.execPath, [vitest, "run", "--root", folder], { encoding: "utf8" })
      assert.match(printed, /3 passed/)
    }), 60_000)
})
