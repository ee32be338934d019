/** What the README shows, run as it is printed. */
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { freePort, start, tsx } from "./children.ts"

const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL("../..", import.meta.url))
const readme = readFileSync(join(root, "README.md"), "utf8")

const files = [...readme.matchAll(/<!-- file: (\S+) -->\n\n```ts\n([\s\S]*?)```/g)]
const testFiles = [...readme.matchAll(/<!-- test file: (\S+) -->\n\n```ts\n([\s\S]*?)```/g)]
const outputs = new Map(
  [...readme.matchAll(/<!-- output of (\S+) -->\n\n```text\n([\s\S]*?)```/g)].map(([, name, text]) => [name, text])
)

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

// What the answers of a user are sealed with, between the rounds of a call.
const env = { ...process.env, MCP_REQUEST_STATE_KEYS: "thirty-two characters and a few more" }

const run = (folder: string, file: string): string =>
  execFileSync(process.execPath, ["--import", tsx, file], { cwd: folder, encoding: "utf8", env })

/** Serves a program of the README, at a port that is free. */
const serve = (file: string, ask: (port: number, folder: string) => Promise<void> | void) =>
  inFolder(async (folder) => {
    const port = await freePort()
    write(folder, (code) => code.replaceAll("3000", String(port)))
    const server = await start(file, { cwd: folder })
    try {
      await ask(port, folder)
    } finally {
      await server.stop()
    }
  })

describe("README.md", () => {
  it("MUST name all of its code, so that it is run, and show no program of more than 25 lines", () => {
    assert.strictEqual(readme.match(/^```ts$/gm)?.length, files.length + testFiles.length)
    for (const [, name = "", code = ""] of files) {
      assert.isBelow(code.split("\n").filter((line) => line !== "").length, 26, name)
    }
  })

  it("MUST show programs that run as printed", () =>
    inFolder((folder) => {
      write(folder)
      for (const name of ["client.ts", "reader.ts"]) assert.strictEqual(run(folder, name), outputs.get(name), name)
    }), 30_000)

  it(
    "MUST show a server and a client over HTTP that run as printed, but for the port",
    () =>
      serve("http.ts", (_, folder) => {
        assert.strictEqual(run(folder, "http-client.ts"), outputs.get("http-client.ts"))
      }),
    30_000
  )

  it("MUST show a server that knows who calls, over both of its transports", () =>
    serve("guarded.ts", async (port) => {
      const whoAmI = async (path: string, authorization: string) => {
        const url = new URL(path, `http://127.0.0.1:${port}`)
        const options = { requestInit: { headers: { authorization } } }
        const client = new Client({ name: "test", version: "1.0.0" })
        const transport = path === "/sse"
          ? new SSEClientTransport(url, options)
          : new StreamableHTTPClientTransport(url, options)
        // Its types are not made for exact optional properties.
        await client.connect(transport as Parameters<typeof client.connect>[0])
        try {
          return (await client.callTool({ name: "who_am_i", arguments: {} })).content
        } finally {
          await client.close()
        }
      }
      for (const path of ["/mcp", "/sse"]) {
        assert.deepStrictEqual(await whoAmI(path, "Bearer of-ada"), [{ type: "text", text: "Ada" }])
        assert.deepStrictEqual(await whoAmI(path, "Bearer of-bob"), [{ type: "text", text: "a stranger" }])
      }
    }), 30_000)

  it("MUST show a worker that answers at its own name only", () =>
    inFolder(async (folder) => {
      write(folder)
      const { default: worker } = await import(pathToFileURL(join(folder, "worker.ts")).href) as {
        readonly default: { readonly fetch: (request: Request) => Promise<Response> }
      }
      const call = (host: string) =>
        worker.fetch(
          new Request(`https://${host}/mcp`, {
            method: "POST",
            headers: {
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
              "mcp-protocol-version": "2025-11-25"
            },
            body: JSON.stringify({
              jsonrpc: "2.0",
              id: 1,
              method: "tools/call",
              params: { name: "add", arguments: { a: 20, b: 22 } }
            })
          })
        )
      const reply = await call("numbers.example.com")
      assert.deepInclude((await reply.json() as { readonly result: object }).result, { structuredContent: { sum: 42 } })
      assert.strictEqual((await call("elsewhere.example.com")).status, 403)
    }))

  it("MUST show tests that pass as printed", () =>
    inFolder((folder) => {
      write(folder)
      for (const [, name = "", code = ""] of testFiles) writeFileSync(join(folder, name), code)
      const vitest = join(dirname(require.resolve("vitest/package.json")), "vitest.mjs")
      const printed = execFileSync(process.execPath, [vitest, "run", "--root", folder], { encoding: "utf8", env })
      assert.match(printed, /3 passed/)
    }), 60_000)
})
