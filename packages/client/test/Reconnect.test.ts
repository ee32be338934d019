/** A client whose server goes away: when it connects again, and what calls do meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import * as Reconnect from "@mcp-effect/client/Reconnect"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { advance, closing, everySecond, kill, opening, playing, revisions, watching } from "./reconnecting.ts"
import { begin, discovery, type Script, type Server, settle, stateful, stateless } from "./wire.ts"

describe("a connection that is lost", () => {
  it.effect.each([{ name: "stateless", script: stateless }, { name: "stateful", script: stateful("2025-06-18") }])(
    "MUST be followed by another with a handshake of its own, and the session MUST show it: $name",
    ({ script }) =>
      Effect.gen(function*() {
        const { at, mcp, servers } = yield* playing({ reconnect: everySecond }, script)
        const seen = yield* watching(mcp)
        yield* kill(at(0))
        assert.deepStrictEqual(yield* mcp.session.state, { _tag: "disconnected", reason: "It was killed" })
        yield* advance("999 millis")
        assert.strictEqual(servers.length, 1)
        yield* advance("1 millis")
        assert.strictEqual(servers.length, 2)
        assert.deepStrictEqual(seen, ["ready", "disconnected", "created", "initializing", "ready"])
        assert.deepStrictEqual(
          at(1).received.map(({ method }) => method),
          at(0).received.map(({ method }) => method)
        )
        const call = yield* Effect.forkChild(mcp.callTool("t"))
        yield* at(1).reply(yield* at(1).expect("tools/call"), { content: [] })
        assert.deepStrictEqual(yield* Fiber.join(call), { content: [] })
      })
  )

  it.effect("MUST be followed by attempts, one after each pause, until one succeeds", () =>
    Effect.gen(function*() {
      const { at, mcp, servers } = yield* playing(
        { reconnect: everySecond, revisions },
        (server, connection) =>
          connection === 1 || connection === 2 ? closing(server, "Not yet") : opening(server, connection)
      )
      const seen = yield* watching(mcp)
      yield* kill(at(0))
      yield* advance("2 seconds")
      assert.strictEqual(servers.length, 1)
      yield* advance("1 second")
      assert.strictEqual(servers.length, 2)
      assert.strictEqual((yield* mcp.session.state)._tag, "ready")
      const attempt = ["disconnected", "created", "initializing"]
      assert.deepStrictEqual(seen, ["ready", ...attempt, ...attempt, ...attempt, "ready"])
    }))

  it.effect("MUST NOT be followed by another where that is not wanted", () =>
    Effect.gen(function*() {
      const { at, mcp, servers } = yield* playing({ reconnect: false })
      yield* kill(at(0))
      yield* advance("1 hour")
      const error = yield* Effect.flip(mcp.listTools())
      assert.ok(error._tag === "ConnectionClosed" && error.processed === "no" && error.message === "It was killed")
      yield* settle
      assert.strictEqual(servers.length, 1)
    }))

  it.effect("MUST NOT be followed by another when the client is closed, and whoever waits MUST be told", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { at, mcp, servers } = yield* Scope.provide(playing({ reconnect: everySecond }), scope)
      yield* kill(at(0))
      const call = yield* Effect.forkChild(Effect.flip(mcp.callTool("t")))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      const error = yield* Fiber.join(call)
      assert.ok(error._tag === "ConnectionClosed" && error.message === "The client was closed")
      yield* advance("1 hour")
      assert.strictEqual(servers.length, 1)
    }))
})

describe("the attempts to connect again", () => {
  const onlyOnce: Script = (server, connection) =>
    connection === 0 ? opening(server, 0) : closing(server, `Attempt ${connection} failed`)

  it.effect("MUST end with the schedule; the next use of the client is one more", () =>
    Effect.gen(function*() {
      let connections = 0
      const { at, mcp } = yield* playing({ reconnect: everySecond, revisions }, (server, connection) => {
        connections++
        return connection === 5 ? opening(server, connection) : onlyOnce(server, connection)
      })
      yield* kill(at(0))
      const waiting = yield* Effect.forkChild(Effect.flip(mcp.callTool("t")))
      yield* advance("3 seconds")
      const gaveUp = yield* Fiber.join(waiting)
      assert.ok(gaveUp._tag === "ConnectionClosed" && gaveUp.message === "Attempt 3 failed")
      yield* advance("1 hour")
      assert.strictEqual(connections, 4)
      const used = yield* Effect.flip(mcp.callTool("t"))
      assert.ok(used._tag === "ConnectionClosed" && used.message === "Attempt 4 failed")
      yield* advance("1 hour")
      assert.strictEqual(connections, 5)
      const call = yield* Effect.forkChild(mcp.callTool("t"))
      yield* settle
      yield* at(1).reply(yield* at(1).expect("tools/call"), { content: [] })
      assert.deepStrictEqual(yield* Fiber.join(call), { content: [] })
    }))

  it.effect("MUST NOT begin anew with a handshake, but with whatever the server says after it", () =>
    Effect.gen(function*() {
      const { at, servers } = yield* playing({ reconnect: everySecond })
      for (let lost = 0; lost < 3; lost++) {
        yield* kill(at(-1))
        yield* advance("1 second")
      }
      assert.strictEqual(servers.length, 4)
      yield* at(-1).notify("notifications/message", { level: "info", data: "hello" })
      yield* settle
      for (let lost = 0; lost < 4; lost++) {
        yield* kill(at(-1))
        yield* advance("1 second")
      }
      // Three more, and then there is no pause left.
      assert.strictEqual(servers.length, 7)
    }))

  it.effect("MUST begin anew with a reply", () =>
    Effect.gen(function*() {
      const { at, mcp, servers } = yield* playing({ reconnect: everySecond })
      for (let lost = 0; lost < 10; lost++) {
        const ping = yield* Effect.forkChild(mcp.ping)
        yield* at(-1).reply(yield* at(-1).expect("server/discover"), discovery())
        yield* Fiber.join(ping)
        yield* kill(at(-1))
        yield* advance("1 second")
      }
      assert.strictEqual(servers.length, 11)
    }))

  it.effect("MUST end with a server that has no common revision any more: `failed` does not recover", () =>
    Effect.gen(function*() {
      let connections = 0
      const { at, mcp } = yield* playing({ reconnect: everySecond }, (server, connection) => {
        connections++
        return Effect.flatMap(
          server.expect("server/discover"),
          (probe) =>
            server.reply(probe, connection === 0 ? discovery() : discovery({ supportedVersions: ["2099-01-01"] }))
        )
      })
      yield* kill(at(0))
      yield* advance("1 second")
      assert.strictEqual((yield* mcp.session.state)._tag, "failed")
      assert.strictEqual((yield* Effect.flip(mcp.callTool("t")))._tag, "UnsupportedProtocolVersion")
      yield* advance("1 hour")
      assert.strictEqual(connections, 2)
    }))

  it.effect("MUST, if nothing else is said, come after 0.1 seconds, twice that, and so on up to 30, about twelve times", () =>
    Effect.gen(function*() {
      const step = yield* Schedule.toStep(Reconnect.schedule)
      for (let n = 0; n < 12; n++) {
        const [, pause] = yield* step(0, undefined)
        const [millis, usual] = [Duration.toMillis(pause), Math.min(100 * 2 ** n, 30_000)]
        assert.isAtLeast(millis, 0.8 * usual)
        assert.isAtMost(millis, 1.2 * usual)
      }
      assert.isTrue(Exit.isFailure(yield* Effect.exit(step(0, undefined))))
    }))
})

describe("a first connection that cannot be made", () => {
  it.effect("MUST NOT be tried again before the client is used again", () =>
    Effect.gen(function*() {
      const servers: Array<Server> = []
      const mcp = yield* begin((server, connection) =>
        connection === 0
          ? server.close("No such command")
          : Effect.andThen(opening(server, connection), Effect.sync(() => servers.push(server))), { revisions })
      const error = yield* Effect.flip(mcp.server)
      assert.ok(error._tag === "ConnectionClosed" && error.message === "No such command")
      yield* advance("1 hour")
      assert.strictEqual(servers.length, 0)
      assert.strictEqual((yield* mcp.server).info?.name, "server")
      assert.strictEqual((yield* mcp.session.state)._tag, "ready")
    }))
})

describe("a call while there is no connection", () => {
  it.effect("MUST wait for the next within its timeout, and then say that there was none", () =>
    Effect.gen(function*() {
      const { at, mcp } = yield* playing({
        reconnect: { schedule: Schedule.spaced("1 minute") },
        timeout: "10 seconds"
      })
      yield* kill(at(0))
      const usual = yield* Effect.forkChild(Effect.flip(mcp.callTool("t")))
      const patient = yield* Effect.forkChild(mcp.callTool("t", {}, { timeout: "2 minutes" }))
      yield* advance("10 seconds")
      const error = yield* Fiber.join(usual)
      assert.ok(error._tag === "ConnectionClosed" && error.processed === "no")
      assert.strictEqual(error.message, "There was no connection to the server within 10000 ms")
      yield* advance("50 seconds")
      yield* at(1).reply(yield* at(1).expect("tools/call"), { content: [] })
      assert.deepStrictEqual(yield* Fiber.join(patient), { content: [] })
    }))

  it.effect("MUST fail at once where it is told to", () =>
    Effect.gen(function*() {
      const { at, mcp } = yield* playing({ reconnect: { ...everySecond, calls: "fail" } })
      yield* kill(at(0))
      const error = yield* Effect.flip(mcp.callTool("t"))
      assert.ok(error._tag === "ConnectionClosed" && error.processed === "no" && error.message === "It was killed")
      yield* advance("1 second")
      yield* Effect.forkChild(mcp.callTool("t"))
      yield* at(1).expect("tools/call")
    }))
})
