/** The session as a program that holds the client sees it. */
import { assert, describe, it } from "@effect/vitest"
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import type * as McpClient from "@mcp-effect/client/McpClient"
import * as Client from "@mcp-effect/client/McpClient"
import { TransportError } from "@mcp-effect/protocol/Peer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { begin, ready, type Server, settle, stateful, stateless } from "./wire.ts"

const watching = (mcp: McpClient.McpClient["Service"]) =>
  Effect.gen(function*() {
    const seen: Array<string> = []
    // Its own turn comes after this one: the client waits for it.
    yield* Effect.forkScoped(
      Stream.runForEach(mcp.session.changes, ({ _tag }) => Effect.sync(() => void seen.push(_tag)))
    )
    return seen
  })

describe("session.changes", () => {
  it.effect.each([
    { era: "stateless", script: stateless },
    { era: "stateful", script: stateful("2025-11-25") }
  ])("MUST show each state in its order: $era", ({ script }) =>
    Effect.gen(function*() {
      const playing = yield* Deferred.make<Server>()
      const mcp = yield* begin((server, connection) =>
        Effect.andThen(script(server, connection), Deferred.succeed(playing, server))
      )
      const seen = yield* watching(mcp)
      assert.deepStrictEqual(yield* mcp.session.state, { _tag: "created" })
      yield* mcp.server
      yield* settle
      assert.deepStrictEqual(seen, ["created", "initializing", "ready"])
      yield* (yield* Deferred.await(playing)).close("The server was stopped")
      yield* settle
      assert.deepStrictEqual(seen, ["created", "initializing", "ready", "disconnected"])
      assert.deepStrictEqual(yield* mcp.session.state, { _tag: "disconnected", reason: "The server was stopped" })
    }))

  it.effect("MUST show a handshake that fails, which stays failed when the connection ends", () =>
    Effect.gen(function*() {
      const mcp = yield* begin((server) =>
        Effect.gen(function*() {
          const probe = yield* server.expect("server/discover")
          yield* server.reply(probe, { supportedVersions: ["2099-01-01"], capabilities: {} })
          yield* server.close("bye")
        })
      )
      const seen = yield* watching(mcp)
      const error = yield* Effect.flip(mcp.server)
      assert.ok(error._tag === "UnsupportedProtocolVersion")
      assert.deepStrictEqual(error.supported, ["2099-01-01"])
      yield* settle
      assert.deepStrictEqual(seen, ["created", "initializing", "failed"])
      // Every request fails with the reason, and at once.
      assert.deepStrictEqual(yield* Effect.flip(mcp.listTools()), error)
      assert.deepStrictEqual(yield* Effect.flip(mcp.ping), error)
      assert.strictEqual((yield* mcp.session.state)._tag, "failed")
    }))

  it.effect("MUST show a connection that cannot be opened", () =>
    Effect.gen(function*() {
      const refused = new TransportError({ reason: "refused", processed: "no", message: "No such command" })
      const mcp = yield* Effect.provideService(
        Client.make({ name: "client", version: "1" }),
        ClientTransport,
        { connect: () => Effect.fail(refused) }
      )
      const seen = yield* watching(mcp)
      const error = yield* Effect.flip(mcp.server)
      assert.ok(error._tag === "ConnectionClosed" && error.processed === "no")
      assert.strictEqual(error.message, "No such command")
      yield* settle
      assert.deepStrictEqual(seen, ["created", "initializing", "disconnected"])
    }))
})

describe("a request", () => {
  it.effect("MUST wait for the handshake, and then be sent", () =>
    Effect.gen(function*() {
      const playing = yield* Deferred.make<Server>()
      const mcp = yield* begin((server) => Deferred.succeed(playing, server))
      const call = yield* Effect.forkChild(mcp.callTool("t"))
      yield* settle
      const server = yield* Deferred.await(playing)
      assert.deepStrictEqual(server.received.map(({ method }) => method), ["server/discover"])
      yield* stateless(server, 0)
      yield* server.reply(yield* server.expect("tools/call"), { content: [] })
      assert.deepStrictEqual(yield* Fiber.join(call), { content: [] })
    }))

  it.effect("that is in flight MUST fail at once when the connection is lost, and so MUST every later one", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* ready({ reconnect: false })
      const names = ["a", "b", "c"]
      const calls = yield* Effect.forEach(names, (name) => Effect.forkChild(Effect.flip(mcp.callTool(name))))
      for (const _ of names) yield* server.expect("tools/call")
      yield* server.close("The process was killed")
      for (const call of calls) {
        const error = yield* Fiber.join(call)
        assert.ok(error._tag === "ConnectionClosed" && error.processed === "unknown")
        assert.strictEqual(error.message, "The process was killed")
      }
      const late = yield* Effect.flip(mcp.listTools())
      assert.ok(late._tag === "ConnectionClosed" && late.processed === "no")
    }))

  it.effect("that waits for the handshake MUST fail when the client is closed", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const mcp = yield* Scope.provide(begin(() => Effect.never), scope)
      const call = yield* Effect.forkChild(Effect.flip(mcp.callTool("t")))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* mcp.session.state)._tag, "disconnected")
      const error = yield* Fiber.join(call)
      assert.ok(error._tag === "ConnectionClosed" && error.processed === "no")
    }))
})

describe("a transport that dies", () => {
  it.effect("MUST disconnect the session, and MUST NOT leave anybody waiting", () =>
    Effect.gen(function*() {
      const mcp = yield* Client.make({ name: "test", version: "1.0.0" }).pipe(
        Effect.provideService(ClientTransport, { connect: () => Effect.die(new Error("a bug in the transport")) })
      )
      const error = yield* Effect.flip(mcp.listTools())
      assert.ok(error._tag === "ConnectionClosed" && error.processed === "no")
      assert.strictEqual((yield* mcp.session.state)._tag, "disconnected")
    }))
})
