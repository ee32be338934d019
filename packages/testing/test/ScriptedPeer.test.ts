import { assert, describe, it } from "@effect/vitest"
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as McpClient from "@mcp-effect/client/McpClient"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Peer from "@mcp-effect/protocol/Peer"
import { ScriptedPeer } from "@mcp-effect/testing"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const lost = new Peer.TransportError({ reason: "closed", processed: "unknown", message: "lost" })

const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

const diedOf = <A, E>(exit: Exit.Exit<A, E>): string => {
  assert.isTrue(Exit.isFailure(exit))
  return Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
}

describe("ScriptedPeer.make", () => {
  it.effect("MUST hold a request until the script answers it, with its id, in whatever order", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const ask = (id: JsonRpc.Id) => Effect.forkChild(peer.request(JsonRpc.request(id, "m"), Peer.closed))
      const one = yield* ask(1)
      const two = yield* ask("two")
      const three = yield* Effect.forkChild(Effect.flip(peer.request(JsonRpc.request(3, "m"), Peer.closed)))
      const first = yield* peer.expectRequest("m")
      const second = yield* peer.expectRequest("m")
      const third = yield* peer.expectRequest("m")
      yield* settle
      assert.deepStrictEqual([one.pollUnsafe(), two.pollUnsafe()], [undefined, undefined])
      yield* third.lose(lost)
      yield* second.fail({ code: 1, message: "no" })
      yield* first.succeed({ a: 1 })
      assert.deepStrictEqual(yield* Fiber.join(one), JsonRpc.success(1, { a: 1 }))
      assert.deepStrictEqual(yield* Fiber.join(two), JsonRpc.failure("two", { code: 1, message: "no" }))
      assert.strictEqual(yield* Fiber.join(three), lost)
    }))

  it.effect("MUST wait for what is expected", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const request = yield* Effect.forkChild(peer.expectRequest("r"))
      const notification = yield* Effect.forkChild(peer.expectNotification("n"))
      yield* settle
      assert.deepStrictEqual([request.pollUnsafe(), notification.pollUnsafe()], [undefined, undefined])
      yield* Effect.forkChild(peer.request(JsonRpc.request(1, "r", { p: 1 }), Peer.closed))
      yield* peer.notify(JsonRpc.notification("n", { p: 2 }))
      assert.deepStrictEqual((yield* Fiber.join(request)).request, JsonRpc.request(1, "r", { p: 1 }))
      assert.deepStrictEqual(yield* Fiber.join(notification), JsonRpc.notification("n", { p: 2 }))
    }))

  it.effect("MUST die of another method than the expected, and name both", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      yield* Effect.forkChild(peer.request(JsonRpc.request(1, "came"), Peer.closed))
      yield* peer.notify(JsonRpc.notification("came/too"))
      const request = diedOf(yield* Effect.exit(peer.expectRequest("wanted")))
      assert.include(request, "The script expected the request wanted, but came came")
      const notification = diedOf(yield* Effect.exit(peer.expectNotification("wanted")))
      assert.include(notification, "The script expected the notification wanted, but came/too came")
    }))

  it.effect("MUST tell the script when the caller has given up, and not before", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const asking = yield* Effect.forkChild(peer.request(JsonRpc.request(1, "m"), Peer.closed))
      const taken = yield* peer.expectRequest("m")
      const abandoned = yield* Effect.forkChild(taken.abandoned)
      yield* settle
      assert.strictEqual(abandoned.pollUnsafe(), undefined)
      yield* Fiber.interrupt(asking)
      yield* Fiber.join(abandoned)
      // An answer that comes too late is nothing.
      yield* taken.succeed({})
    }))

  it.effect("MUST NOT call a request that was answered abandoned", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const asking = yield* Effect.forkChild(peer.request(JsonRpc.request(1, "m"), Peer.closed))
      const taken = yield* peer.expectRequest("m")
      const abandoned = yield* Effect.forkChild(taken.abandoned)
      yield* taken.succeed({})
      yield* Fiber.join(asking)
      yield* settle
      assert.strictEqual(abandoned.pollUnsafe(), undefined)
    }))

  it.effect("MUST keep all that came, requests and notifications, in their order", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const messages = [
        JsonRpc.notification("a"),
        JsonRpc.request(1, "b"),
        JsonRpc.notification("c", { x: 1 }),
        JsonRpc.request(2, "b")
      ]
      for (const message of messages) {
        if (message._tag === "Notification") yield* peer.notify(message)
        else yield* Effect.forkChild(peer.request(message, Peer.closed), { startImmediately: true })
      }
      yield* peer.expectRequest("b")
      assert.deepStrictEqual(peer.received, messages)
    }))

  it.effect("MUST give the script the way back of the caller", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const caller = yield* ScriptedPeer.make
      yield* Effect.forkChild(peer.request(JsonRpc.request(1, "m"), caller))
      const { back } = yield* peer.expectRequest("m")
      yield* back.notify(JsonRpc.notification("n"))
      yield* caller.expectNotification("n")
    }))
})

const client = McpClient.make({ name: "client", version: "1.0.0", reconnect: false })

const discovery = { supportedVersions: ["2026-07-28"], capabilities: {} }

const discovered = (server: ScriptedPeer.ScriptedServer) =>
  Effect.flatMap(server.expectRequest("server/discover"), (probe) => probe.succeed(discovery))

const playing = <A, E, R>(
  script: (server: ScriptedPeer.ScriptedServer, connection: number) => Effect.Effect<void, unknown>,
  test: Effect.Effect<A, E, R>
) => Effect.provide(test, ScriptedPeer.layer(script))

describe("ScriptedPeer.layer", () => {
  it.effect("MUST number its connections, each with a peer of its own", () => {
    const seen: Array<readonly [number, number]> = []
    return playing(
      (server, connection) =>
        Effect.as(server.expectRequest("m"), void seen.push([connection, server.received.length])),
      Effect.gen(function*() {
        const { connect } = yield* ClientTransport
        for (let index = 0; index < 2; index++) {
          const connection = yield* connect(Peer.closed)
          yield* Effect.forkChild(connection.request(JsonRpc.request(1, "m"), Peer.closed))
          yield* settle
        }
        assert.deepStrictEqual(seen.map(([connection]) => connection), [0, 1])
      })
    )
  })

  it.effect("MUST stay open when its script ends", () =>
    playing(
      discovered,
      Effect.gen(function*() {
        const mcp = yield* client
        yield* mcp.server
        const call = yield* Effect.forkChild(mcp.callTool("t"))
        yield* settle
        assert.strictEqual(call.pollUnsafe(), undefined)
        assert.strictEqual((yield* mcp.session.state)._tag, "ready")
      })
    ))

  it.effect("MUST close when its script dies, with what it died of", () =>
    playing(
      (server) => Effect.andThen(discovered(server), Effect.asVoid(server.expectRequest("tools/list"))),
      Effect.gen(function*() {
        const mcp = yield* client
        const error = yield* Effect.flip(mcp.callTool("t"))
        assert.ok(error._tag === "ConnectionClosed")
        assert.include(error.message, "expected the request tools/list, but tools/call came")
        yield* settle
        assert.strictEqual((yield* mcp.session.state)._tag, "disconnected")
      })
    ))

  it.effect("MUST close when its script says so, with what is in flight and what comes later", () =>
    playing(
      (server) =>
        Effect.gen(function*() {
          yield* discovered(server)
          yield* server.expectRequest("tools/call")
          yield* server.close("That is all")
        }),
      Effect.gen(function*() {
        const mcp = yield* client
        const error = yield* Effect.flip(mcp.callTool("t"))
        assert.ok(error._tag === "ConnectionClosed" && error.message === "That is all")
        yield* settle
        assert.deepStrictEqual(yield* mcp.session.state, { _tag: "disconnected", reason: "That is all" })
        assert.strictEqual((yield* Effect.flip(mcp.callTool("t")))._tag, "ConnectionClosed")
      })
    ))

  it.effect("MUST let the script ask the client", () => {
    const answers: Array<JsonRpc.Response> = []
    return playing(
      (server) =>
        Effect.gen(function*() {
          yield* discovered(server)
          answers.push(yield* server.client.request(JsonRpc.request("p", "ping"), Peer.closed))
        }),
      Effect.gen(function*() {
        yield* (yield* client).server
        yield* settle
        assert.deepStrictEqual(answers, [JsonRpc.success("p", {})])
      })
    )
  })

  it.effect("MUST tell the script that a call was given up, by its caller or by time", () => {
    const given: Array<unknown> = []
    return playing(
      (server) =>
        Effect.gen(function*() {
          yield* discovered(server)
          while (true) {
            const call = yield* server.expectRequest("tools/call")
            yield* call.abandoned
            given.push(call.request.params?.name)
          }
        }),
      Effect.gen(function*() {
        const mcp = yield* client
        const interrupted = yield* Effect.forkChild(mcp.callTool("interrupted"))
        yield* settle
        yield* Fiber.interrupt(interrupted)
        yield* settle
        const late = yield* Effect.forkChild(Effect.flip(mcp.callTool("late", {}, { timeout: "1 second" })))
        yield* settle
        assert.deepStrictEqual(given, ["interrupted"])
        yield* TestClock.adjust("1 second")
        yield* settle
        assert.strictEqual((yield* Fiber.join(late))._tag, "RequestTimeout")
        assert.deepStrictEqual(given, ["interrupted", "late"])
      })
    )
  })

  it.effect("MUST carry the reason of an interruption as the fiber's own", () => {
    const reasons: Array<string | undefined> = []
    // A peer around a peer hears why its caller has gone.
    const listening = Layer.effect(
      ClientTransport,
      Effect.map(ClientTransport, ({ connect }) => ({
        connect: (local: Peer.Peer) =>
          Effect.map(connect(local), (connection): Peer.Connection => ({
            ...connection,
            request: (request, back) =>
              Effect.onExit(connection.request(request, back), (exit) =>
                Effect.sync(() => {
                  if (Exit.isFailure(exit)) reasons.push(Peer.cancelReasonOf(exit.cause))
                }))
          }))
      }))
    ).pipe(Layer.provide(ScriptedPeer.layer(discovered)))
    return Effect.gen(function*() {
      const mcp = yield* client
      const call = yield* Effect.forkChild(mcp.callTool("t"))
      yield* settle
      yield* Fiber.interruptAs(call, undefined, Peer.cancelReason("no longer needed"))
      yield* settle
      assert.deepStrictEqual(reasons, ["no longer needed"])
    }).pipe(Effect.provide(listening))
  })
})

describe("a client's requests at the seam", () => {
  it.effect("MUST have an id and a token of their own, so that a transport or a recorder can tell them apart", () => {
    const seen: Array<unknown> = []
    const transport = ScriptedPeer.layer((server) =>
      Effect.gen(function*() {
        const probe = yield* server.expectRequest("server/discover")
        yield* probe.succeed({ supportedVersions: ["2026-07-28"], capabilities: {} })
        const calls = [yield* server.expectRequest("tools/call"), yield* server.expectRequest("tools/call")]
        for (const { request, succeed } of calls) {
          seen.push(request.id, Meta.progressToken(request.params))
          yield* succeed({ content: [] })
        }
      })
    )
    return Effect.gen(function*() {
      const mcp = yield* McpClient.McpClient
      yield* Effect.all([mcp.callTool("a"), mcp.callTool("b")], { concurrency: 2 })
      const [firstId, firstToken, secondId, secondToken] = seen
      assert.notStrictEqual(firstId, secondId)
      assert.notStrictEqual(firstToken, secondToken)
    }).pipe(Effect.provide(McpClient.layer({ name: "test", version: "1.0.0" }).pipe(Layer.provide(transport))))
  })
})
