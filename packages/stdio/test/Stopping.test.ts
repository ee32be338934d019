/** A server in a process of its own that is told to stop. Time is real, as the process is. */
import { assert, it } from "@effect/vitest"
import * as Meta from "@mcp-effect/protocol/Meta"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const fixture = fileURLToPath(new URL("fixtures/server.ts", import.meta.url))

const listen = (id: number | string) => ({
  jsonrpc: "2.0",
  id,
  method: "subscriptions/listen",
  params: {
    notifications: { toolsListChanged: true },
    _meta: { [Meta.PROTOCOL_VERSION]: "2026-07-28", [Meta.CLIENT_CAPABILITIES]: {} }
  }
})

const answer = (id: number | string) => ({
  jsonrpc: "2.0",
  id,
  result: {
    resultType: "complete",
    _meta: { [Meta.SUBSCRIPTION_ID]: id, [Meta.SERVER_INFO]: { name: "fixture", version: "1.0.0" } }
  }
})

const ids = ["a", 0]

it(
  "MUST answer open subscriptions at SIGTERM, with its input still open, and then exit by itself",
  async ({ skip }) => {
    skip(process.platform === "win32", "Windows has no SIGTERM: it ends a process at once")
    const child = spawn(process.execPath, [fixture], { stdio: ["pipe", "pipe", "inherit"] })
    const exited = once(child, "exit")
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? "null")
    try {
      for (const id of ids) {
        child.stdin.write(`${JSON.stringify(listen(id))}\n`)
        assert.propertyVal(await next(), "method", "notifications/subscriptions/acknowledged")
      }
      child.kill("SIGTERM")
      for (const id of ids) assert.deepStrictEqual(await next(), answer(id))
      assert.isTrue((await lines.next()).done)
      const [code, signal] = await exited
      assert.isNull(signal)
      assert.isNumber(code)
    } finally {
      child.kill("SIGKILL")
    }
  },
  20_000
)
