/** The clients that people have, against the weather server over HTTP. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { freePort, type Server, start } from "./children.ts"

const require = createRequire(import.meta.url)
const info = { name: "peer", version: "1.0.0" }

let server: Server
let url: URL

beforeAll(async () => {
  const port = await freePort()
  url = new URL(`http://127.0.0.1:${port}/mcp`)
  const script = fileURLToPath(new URL("../weather/http.ts", import.meta.url))
  server = await start(script, { env: { PORT: String(port) } })
}, 30_000)

afterAll(() => server.stop())

const beijing = { celsius: 31, sky: "clear" }
const call = { name: "get_weather", arguments: { city: "Beijing" } }
const forecast = { name: "forecast", arguments: { city: "Bergen", days: 3 } }

describe("the weather server over HTTP", () => {
  it("MUST serve the official client, version 1", async () => {
    const client = new ClientV1(info)
    // Its types are not made for exact optional properties.
    await client.connect(new TransportV1(url) as Parameters<typeof client.connect>[0])
    try {
      assert.deepStrictEqual((await client.listTools()).tools.map(({ name }) => name).toSorted(), [
        "forecast",
        "get_weather"
      ])
      assert.deepStrictEqual((await client.callTool(call)).structuredContent, beijing)
      const seen: Array<number> = []
      await client.callTool(forecast, undefined, { onprogress: ({ progress }) => seen.push(progress) })
      assert.deepStrictEqual(seen, [1, 2, 3])
    } finally {
      await client.close()
    }
  })

  it.each([{ mode: "legacy", revision: "2025-11-25" }, { mode: "auto", revision: "2026-07-28" }] as const)(
    "MUST serve the official client, version 2, in mode $mode",
    async ({ mode, revision }) => {
      const client = new ClientV2(info, { versionNegotiation: { mode } })
      await client.connect(new TransportV2(url))
      try {
        assert.strictEqual(client.getNegotiatedProtocolVersion(), revision)
        assert.deepStrictEqual((await client.callTool(call)).structuredContent, beijing)
        const seen: Array<number> = []
        await client.callTool(forecast, { onprogress: ({ progress }) => seen.push(progress) })
        assert.deepStrictEqual(seen, [1, 2, 3])
        const atlantis = await client.callTool({ name: "get_weather", arguments: { city: "Atlantis" } })
        assert.strictEqual(atlantis.isError, true)
      } finally {
        await client.close()
      }
    }
  )

  it("MUST serve mcp-remote, and a client of standard streams through it", async () => {
    const config = mkdtempSync(join(tmpdir(), "mcp-remote-"))
    const script = join(dirname(require.resolve("mcp-remote/package.json")), "dist/proxy.js")
    const client = new ClientV1(info)
    try {
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [script, url.href, "--transport", "http-only", "--allow-http"],
          env: { ...getDefaultEnvironment(), MCP_REMOTE_CONFIG_DIR: config },
          stderr: "ignore"
        })
      )
      assert.deepStrictEqual((await client.callTool(call)).structuredContent, beijing)
    } finally {
      await client.close()
      rmSync(config, { recursive: true })
    }
  }, 30_000)

  it("MUST serve the command line of the Inspector", async () => {
    const cli = join(dirname(require.resolve("@modelcontextprotocol/inspector-cli/package.json")), "build/cli.js")
    const inspect = async (...args: ReadonlyArray<string>): Promise<unknown> => {
      const options = ["--cli", url.href, "--transport", "http"]
      // It looks for its own manifest from where it is run.
      const { stdout } = await promisify(execFile)(process.execPath, [cli, ...options, ...args], { cwd: dirname(cli) })
      return JSON.parse(stdout)
    }
    const { tools } = await inspect("--method", "tools/list") as { readonly tools: ReadonlyArray<{ name: string }> }
    assert.deepStrictEqual(tools.map(({ name }) => name).toSorted(), ["forecast", "get_weather"])
    const args = ["--method", "tools/call", "--tool-name", "get_weather", "--tool-arg", "city=Beijing"]
    assert.deepInclude(await inspect(...args), { structuredContent: beijing })
  }, 30_000)
})
