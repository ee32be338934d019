/** The examples, run as a user would. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@mcp-effect/client"
import { StreamableHttpClient } from "@mcp-effect/http"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { GetWeather } from "../weather/Tools.ts"
import { freePort, start, tsx } from "./children.ts"

const path = (name: string) => fileURLToPath(new URL(`../weather/${name}`, import.meta.url))

describe("scratchpad/weather", () => {
  it(
    "MUST show the same conversation over stdio, over HTTP and in memory, and read the README through a public server",
    () => {
      const printed = execFileSync(process.execPath, ["--import", tsx, path("main.ts")], { encoding: "utf8" })
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

  it("MUST serve stdio and HTTP at once, and HTTP on its own once standard input has ended", async () => {
    const port = await freePort()
    const server = await start(path("both.ts"), { env: { PORT: String(port) } })
    const overHttp = () =>
      Effect.flatMap(McpClient.McpClient, (mcp) => mcp.call(GetWeather, { city: "Bergen" })).pipe(
        Effect.provide(McpClient.layer({ name: "test", version: "1.0.0" })),
        Effect.provide(StreamableHttpClient.layer({ url: `http://127.0.0.1:${port}/mcp` })),
        Effect.provide(NodeHttpClient.layerUndici),
        Effect.runPromise
      )
    try {
      server.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`)
      const [line] = await once(server.child.stdout, "data")
      assert.deepStrictEqual(JSON.parse(String(line)), { jsonrpc: "2.0", id: 1, result: {} })
      assert.deepStrictEqual(await overHttp(), { celsius: 12, sky: "rain" })
      server.child.stdin.end()
      assert.deepStrictEqual(await overHttp(), { celsius: 12, sky: "rain" })
    } finally {
      await server.stop()
    }
  }, 30_000)
})
