/** 200 calls that stream on real sockets at once, half of them dropped midway: nothing is left of them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Http from "node:http"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"
import { connections, launched, until } from "./sockets.ts"
import * as Sse from "./sse.ts"

const calls = Array.from({ length: 200 }, (_, n) => n)

// Sockets and timers that keep a process.
const resources = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === "Timeout" || name.startsWith("TCPSocketWrap")).length

const stateless = (server: H.Server, id: number) =>
  server.post(
    { ...H.call(id, "held"), params: { name: "held", _meta: { ...Sse.stateless, progressToken: id } } },
    { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "held" }
  )

describe("200 calls that stream, half of them dropped midway", () => {
  it.live(
    "MUST leave nothing behind in the stateless era, whose dropped calls are interrupted",
    () =>
      H.counting((fibers) => {
        const { release, seen, tool } = Tools.held()
        const node = Http.createServer()
        return Effect.scoped(Effect.gen(function*() {
          const { server } = yield* launched(tool, { bodyTimeout: "1 second" }, node)
          yield* Effect.sleep(50)
          const before = { fibers: fibers(), resources: resources() }
          const opened = yield* Effect.forEach(calls, (id) => stateless(server, id), { concurrency: "unbounded" })
          yield* Effect.forEach(opened, ({ message }) => message)
          assert.strictEqual(yield* Effect.promise(() => connections(node)), 200)
          yield* Effect.forEach(opened.slice(0, 100), ({ drop }) => drop)
          yield* until(() => seen.interrupted === 100)
          yield* release
          for (const { remaining } of opened.slice(100)) assert.strictEqual((yield* remaining).length, 2)
          yield* until(() => seen.ended === 200)
          assert.deepStrictEqual(seen, { started: 200, interrupted: 100, ended: 200 })
          yield* until(async () => await connections(node) === 0)
          yield* until(() => fibers() <= before.fibers && resources() <= before.resources)
        }))
      }),
    30_000
  )

  it.live(
    "MUST leave nothing behind in sessions, whose dropped calls go on, once these are deleted",
    () =>
      H.counting((fibers) => {
        const { release, seen, tool } = Tools.held()
        const keeping = Tools.keeping()
        const node = Http.createServer()
        return Effect.scoped(Effect.gen(function*() {
          const { server } = yield* launched(
            Layer.merge(tool, keeping.tool),
            { bodyTimeout: "1 second" },
            node
          )
          yield* Effect.sleep(50)
          const before = { fibers: fibers(), resources: resources() }
          const clients = yield* Effect.forEach(calls, () => server.open(), { concurrency: 20 })
          for (const client of clients) assert.strictEqual(yield* client.text("keep"), "kept")
          const opened = yield* Effect.forEach(clients, (client) => client.call("held", { id: "x", token: "t" }), {
            concurrency: "unbounded"
          })
          yield* Effect.forEach(opened, ({ message }) => message)
          yield* Effect.forEach(opened.slice(0, 100), ({ drop }) => drop)
          yield* until(async () => await connections(node) === 100)
          assert.deepStrictEqual(seen, { started: 200, interrupted: 0, ended: 0 })
          yield* release
          for (const { remaining } of opened.slice(100)) assert.strictEqual((yield* remaining).at(-1)?.id, "x")
          yield* until(() => seen.ended === 200)
          for (const client of clients) assert.strictEqual((yield* client.end()).status, 204)
          assert.deepStrictEqual(keeping.seen, { kept: 200, closed: 200 })
          yield* until(async () => await connections(node) === 0)
          yield* until(() => fibers() <= before.fibers && resources() <= before.resources)
        }))
      }),
    30_000
  )
})
