/** A server in a process of its own that is told to stop while clients hold on to it. */
import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import * as Http from "node:http"
import { fileURLToPath } from "node:url"
import { start, stop } from "./children.ts"
import * as Raw from "./raw.ts"
import * as Sse from "./sse.ts"

const script = fileURLToPath(new URL("fixtures/server.ts", import.meta.url))

/** Tells the server to stop while all of these are open; yields what became of each, and of the process. */
const stopping = async (
  open: (port: number, agent: Http.Agent) => ReadonlyArray<Promise<Sse.Opened>>
): Promise<
  {
    readonly texts: ReadonlyArray<string>
    readonly code: number | null
    readonly millis: number
    readonly said: string
  }
> => {
  const { child, port, said } = await start(script)
  // Connections are kept open, as real clients keep them.
  const agent = new Http.Agent({ keepAlive: true })
  try {
    const opened = open(port, agent)
    const ended = Promise.all(opened.map(async (pending) => {
      const response = await pending
      await response.ended
      return response.text
    }))
    // All of them are under way.
    await new Promise((resolve) => setTimeout(resolve, 400))
    const exited = once(child, "exit")
    const before = performance.now()
    child.kill("SIGTERM")
    const [code] = await exited
    return { texts: await ended, code, millis: performance.now() - before, said: said() }
  } finally {
    agent.destroy()
    await stop(child)
  }
}

const errors = (said: string) => said.split("\n").filter((line) => /ERROR|WARN/u.test(line))

describe("SIGTERM", () => {
  it("MUST end streams that stay open, gracefully, and the process with them", async () => {
    const { code, millis, said, texts } = await stopping((port, agent) => {
      const session = Raw.open(port, agent)
      const listen = Raw.stateless("sub", "subscriptions/listen", { notifications: { toolsListChanged: true } })
      return [
        session.then((headers) => Raw.send(port, "GET", { agent, headers })),
        Raw.send(port, "POST", { agent, ...listen })
      ]
    })
    const [, subscription = ""] = texts
    assert.include(subscription, "notifications/subscriptions/acknowledged")
    // The reply to what was listened to.
    assert.include(subscription, "\"id\":\"sub\"")
    // Less than connections are kept for.
    assert.isBelow(millis, 450)
    assert.strictEqual(code, 130)
    assert.deepStrictEqual(errors(said), [])
  }, 20_000)

  it("MUST let calls come to their end that are about to, in both eras, as JSON and as streams", async () => {
    const { millis, said, texts } = await stopping((port, agent) => {
      const session = Raw.open(port, agent)
      return [
        Raw.send(port, "POST", { agent, ...Raw.stateless("a", "tools/call", { name: "last" }) }),
        Raw.send(port, "POST", { agent, ...Raw.stateless("b", "tools/call", { name: "last_streamed" }, "t") }),
        session.then((headers) => Raw.send(port, "POST", { agent, headers, body: Sse.call("c", "last") })),
        session.then((headers) =>
          Raw.send(port, "POST", {
            agent,
            headers,
            body: Sse.call("d", "last_streamed", {}, { progressToken: "t" })
          })
        )
      ]
    })
    for (const [index, id] of ["a", "b", "c", "d"].entries()) {
      assert.include(texts[index], "last words")
      assert.include(texts[index], `"id":"${id}"`)
    }
    assert.isBelow(millis, 3000)
    assert.deepStrictEqual(errors(said), [])
  }, 20_000)
})
