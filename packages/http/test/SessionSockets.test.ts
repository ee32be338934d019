/** Sessions on real sockets: what is lost there, and that nothing is left of it. */
import { assert, describe, it } from "@effect/vitest"
import { Limits, Tool } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Http from "node:http"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"
import { connections, launched, until } from "./sockets.ts"

describe("connections of sessions that are lost", () => {
  it.live(
    "MUST leave no fiber, no socket and no reader behind, of 50 sessions whose calls go on",
    () =>
      H.counting((fibers) => {
        const { release, seen, tool } = Tools.held()
        const node = Http.createServer()
        return Effect.scoped(Effect.gen(function*() {
          const { server } = yield* launched(tool, { bodyTimeout: "1 second" }, node)
          const before = fibers()
          const clients = yield* Effect.forEach(Array.from({ length: 50 }), () => server.open(), { concurrency: 10 })
          const here = fibers()
          const lose = (client: H.Client) =>
            Effect.gen(function*() {
              const call = yield* client.call("held", { id: "x", token: "t" })
              yield* call.message
              const outside = yield* client.listen()
              const resumed = yield* client.listen(call.ids[0])
              yield* resumed.message
              for (const { drop } of [call, outside, resumed]) yield* drop
              return call.ids[0]
            })
          const places = yield* Effect.forEach(clients, lose, { concurrency: 10 })
          assert.deepStrictEqual(seen, { started: 50, interrupted: 0, ended: 0 })
          yield* until(async () => await connections(node) === 0)
          yield* release
          yield* until(() => seen.ended === 50)
          // What watches over bodies goes away, too.
          yield* until(() => fibers() <= Math.max(before, here))
          for (const [n, client] of clients.entries()) {
            const rest = yield* (yield* client.listen(places[n])).remaining
            assert.strictEqual(rest.at(-1)?.id, "x")
            assert.strictEqual((yield* client.end()).status, 204)
          }
          yield* until(async () => fibers() <= before && await connections(node) === 0)
        }))
      }),
    20_000
  )
})

describe("a reader that is too slow", () => {
  it.live(
    "MUST be dropped with a log line, and its call go on",
    () =>
      H.logged((lines) =>
        Effect.scoped(Effect.gen(function*() {
          const { release, seen, tool } = Tools.flooding(20_000)
          const node = Http.createServer()
          const { server } = yield* launched(tool, { heartbeat: 150 }, node)
          const client = yield* server.open()
          yield* release
          const stuck = yield* client.call("flood", { id: "x", token: "t" })
          yield* stuck.next
          yield* until(() => seen.said === 20_000)
          assert.isTrue(lines.some((line) => line.includes("its reader has taken nothing for 150ms")), lines.join("\n"))
          const resumed = yield* client.listen(stuck.ids[0])
          const rest = yield* resumed.remaining
          assert.strictEqual(rest.at(-1)?.id, "x")
          assert.isTrue(lines.some((line) => line.includes("no longer stored")))
          yield* stuck.drop
          yield* until(async () => await connections(node) === 0)
        }))
      ).pipe(Effect.provideService(Limits.Limits, { ...Limits.defaults, outbox: 64 * 1024 })),
    20_000
  )
})

describe("the end of the server", () => {
  it.live("MUST end the streams of GETs at once, and not wait for their clients", () =>
    H.counting((fibers) =>
      Effect.scoped(Effect.gen(function*() {
        const keeping = Tools.keeping()
        const before = fibers()
        const { server, stop } = yield* launched(keeping.tool)
        const clients = yield* Effect.forEach(Array.from({ length: 5 }), () => server.open())
        const opened = yield* Effect.forEach(clients, (client) => Effect.andThen(client.text("keep"), client.listen()))
        assert.isBelow(yield* stop, 450)
        for (const { remaining } of opened) assert.deepStrictEqual(yield* remaining, [])
        assert.deepStrictEqual(keeping.seen, { kept: 5, closed: 5 })
        yield* until(() => fibers() <= before + 1)
      }))
    ))

  it.live("MUST let calls come to their end in the time that the platform gives them, and interrupt the others", () =>
    H.counting((fibers) =>
      Effect.scoped(Effect.gen(function*() {
        const { seen, tool } = Tools.held()
        const soon = McpServer.tool(Tool.make("soon"), () => Effect.as(Effect.sleep(100), "soon"))
        const before = fibers()
        const { server, stop } = yield* launched(Layer.merge(tool, soon))
        const client = yield* server.open()
        const streamed = yield* client.call("held", { token: "t" })
        yield* streamed.message
        const resumed = yield* client.listen(streamed.ids[0])
        yield* resumed.message
        const replied = yield* Effect.forkChild(client.text("soon"))
        yield* Effect.sleep(50)
        assert.isBelow(yield* stop, 1000)
        assert.strictEqual(yield* Fiber.join(replied), "soon")
        for (const { remaining } of [streamed, resumed]) assert.deepStrictEqual(yield* remaining, [])
        assert.deepStrictEqual(seen, { started: 1, interrupted: 1, ended: 1 })
        yield* until(() => fibers() <= before + 1)
      }))
    ))
})
