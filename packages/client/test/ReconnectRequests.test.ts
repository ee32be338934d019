/** What becomes of requests, and of what the client knows, when it connects again. */
import { assert, describe, it } from "@effect/vitest"
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as McpClient from "@mcp-effect/client/McpClient"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { type Connection, TransportError } from "@mcp-effect/protocol/Peer"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { advance, everySecond, kill, playing } from "./reconnecting.ts"
import { discovery, settle } from "./wire.ts"

describe("a request that was in flight when the connection was lost", () => {
  const annotated = { tools: [{ name: "safe", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] }

  it.effect("MUST be sent once more if it only reads", () =>
    Effect.gen(function*() {
      for (const method of ["tools/list", "resources/read", "prompts/get", "completion/complete"]) {
        const { at, mcp } = yield* playing({ reconnect: everySecond })
        const asking = yield* Effect.forkChild(mcp.request(method, { uri: "u:1" }))
        const first = yield* at(0).expect(method)
        yield* kill(at(0))
        yield* advance("1 second")
        const second = yield* at(1).expect(method)
        assert.strictEqual(second.params?.uri, first.params?.uri)
        yield* at(1).reply(second, { got: method })
        assert.deepStrictEqual(yield* Fiber.join(asking), { got: method })
      }
    }))

  it.effect("MUST be sent once more if it calls a tool that the server lists as read-only", () =>
    Effect.gen(function*() {
      const { at, mcp } = yield* playing({ reconnect: everySecond })
      const listing = yield* Effect.forkChild(mcp.listTools())
      yield* at(0).reply(yield* at(0).expect("tools/list"), annotated)
      yield* Fiber.join(listing)
      const safe = yield* Effect.forkChild(mcp.callTool("safe"))
      yield* at(0).expect("tools/call")
      const other = yield* Effect.forkChild(Effect.flip(mcp.callTool("other")))
      yield* at(0).expect("tools/call")
      yield* kill(at(0))
      const error = yield* Fiber.join(other)
      assert.ok(error._tag === "ConnectionClosed" && error.processed === "unknown")
      yield* advance("1 second")
      yield* at(1).reply(yield* at(1).expect("tools/call"), { content: [] })
      assert.deepStrictEqual(yield* Fiber.join(safe), { content: [] })
    }))

  it.effect("MUST NOT be sent a third time", () =>
    Effect.gen(function*() {
      const { at, mcp } = yield* playing({ reconnect: everySecond })
      const asking = yield* Effect.forkChild(Effect.flip(mcp.request("resources/read", { uri: "u:1" })))
      for (const connection of [0, 1]) {
        yield* at(connection).expect("resources/read")
        yield* kill(at(connection))
        yield* advance("1 second")
      }
      assert.strictEqual((yield* Fiber.join(asking))._tag, "ConnectionClosed")
      assert.deepStrictEqual(at(2).received.map(({ method }) => method), ["server/discover"])
    }))

  it.effect("MUST share one new connection with all others", () =>
    Effect.gen(function*() {
      const { at, mcp, servers } = yield* playing({ reconnect: everySecond })
      const uris = Array.from({ length: 100 }, (_, n) => `u:${n}`)
      const reading = yield* Effect.forEach(uris, (uri) => Effect.forkChild(mcp.request("resources/read", { uri })))
      yield* settle
      yield* kill(at(0))
      yield* advance("1 second")
      for (const _ of uris) {
        const read = yield* at(1).expect("resources/read")
        yield* at(1).reply(read, { uri: read.params?.uri })
      }
      for (const [index, fiber] of reading.entries()) {
        assert.deepStrictEqual(yield* Fiber.join(fiber), { uri: uris[index] })
      }
      assert.strictEqual(servers.length, 2)
    }))
})

describe("the list of tools", () => {
  it.effect("MUST be fetched again after a new connection", () =>
    Effect.gen(function*() {
      const { at, mcp } = yield* playing({ reconnect: everySecond })
      for (const [connection, name] of ["before", "after"].entries()) {
        const listing = yield* Effect.forkChild(mcp.listTools())
        yield* at(connection).reply(yield* at(connection).expect("tools/list"), {
          tools: [{ name, inputSchema: { type: "object" } }]
        })
        assert.deepStrictEqual((yield* Fiber.join(listing)).map((tool) => tool.name), [name])
        yield* kill(at(connection))
        yield* advance("1 second")
      }
    }))
})

describe("a request that cannot have been processed", () => {
  it.effect("MUST be sent once more, whatever it does", () =>
    Effect.gen(function*() {
      const sent: Array<string> = []
      const lost = Deferred.makeUnsafe<TransportError>()
      const refusing: Connection = {
        closed: Deferred.await(lost),
        notify: () => Effect.void,
        request: (request) => {
          sent.push(request.method)
          if (request.method === "server/discover") return Effect.succeed(JsonRpc.success(request.id, discovery()))
          const error = new TransportError({ reason: "closed", processed: "no", message: "No such session" })
          Deferred.doneUnsafe(lost, Effect.succeed(error))
          return Effect.fail(error)
        }
      }
      const answering: Connection = {
        ...refusing,
        closed: Effect.never,
        request: (request) => {
          sent.push(request.method)
          const result = request.method === "server/discover" ? discovery() : { content: [] }
          return Effect.succeed(JsonRpc.success(request.id, result))
        }
      }
      let connections = 0
      const mcp = yield* Effect.provideService(
        McpClient.make({ name: "test", version: "1.0.0", reconnect: everySecond }),
        ClientTransport,
        { connect: () => Effect.sync(() => connections++ === 0 ? refusing : answering) }
      )
      const call = yield* Effect.forkChild(mcp.callTool("t"))
      yield* settle
      yield* advance("1 second")
      assert.deepStrictEqual(yield* Fiber.join(call), { content: [] })
      assert.deepStrictEqual(sent, ["server/discover", "tools/call", "server/discover", "tools/call"])
    }))

  it.effect("MUST NOT be sent once more by a connection that is not lost", () =>
    Effect.gen(function*() {
      let calls = 0
      const refusing: Connection = {
        closed: Effect.never,
        notify: () => Effect.void,
        request: (request) => {
          if (request.method === "server/discover") return Effect.succeed(JsonRpc.success(request.id, discovery()))
          calls++
          return Effect.fail(new TransportError({ reason: "refused", processed: "no", message: "Too many requests" }))
        }
      }
      const mcp = yield* Effect.provideService(
        McpClient.make({ name: "test", version: "1.0.0" }),
        ClientTransport,
        { connect: () => Effect.succeed(refusing) }
      )
      const error = yield* Effect.flip(mcp.callTool("t"))
      assert.ok(error._tag === "ConnectionClosed" && error.message === "Too many requests")
      assert.strictEqual(calls, 1)
    }))
})

describe("a stream of a read-only tool", () => {
  it.effect("MUST NOT be begun again: its consumer would see its parts twice", () =>
    Effect.gen(function*() {
      const { at, mcp } = yield* playing({ reconnect: everySecond })
      const tool = Tool.make("t", { annotations: { readOnlyHint: true } })
      const streaming = yield* Effect.forkChild(Effect.flip(Stream.runDrain(mcp.stream(tool, {}))))
      yield* at(0).progress(yield* at(0).expect("tools/call"), 1)
      yield* kill(at(0))
      yield* advance("1 second")
      const error = yield* Fiber.join(streaming)
      assert.ok(error._tag === "ConnectionClosed" && error.processed === "unknown")
    }))
})
