/** Changes as streams, in both eras: asked for once, told to all who watch, and kept up over connections. */
import { assert, describe, it } from "@effect/vitest"
import type * as McpClient from "@mcp-effect/client/McpClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { client, count, eras, opening } from "./opening.ts"
import { advance, everySecond, kill, playing } from "./reconnecting.ts"
import { subscribed, UPDATED, URI, watching } from "./watching.ts"
import { settle } from "./wire.ts"

describe.each(eras)("a resource that is watched, %s", (era) => {
  it.effect("MUST be asked for once, told to all who watch, and ended with the last of them", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const first = yield* watching(mcp.watchResource(URI))
      const second = yield* watching(mcp.watchResource(URI))
      const { request, tell } = yield* subscribed(server, era)
      yield* tell(UPDATED, { uri: URI })
      yield* tell(UPDATED, { uri: `${URI}/within` })
      if (era === "stateful") yield* tell(UPDATED, { uri: "test://another" })
      const told = [URI, `${URI}/within`]
      assert.deepStrictEqual([first.told, second.told], [told, told])
      yield* Fiber.interrupt(first.fiber)
      yield* settle
      assert.strictEqual(yield* count(server, request.method ?? ""), 1)
      yield* Fiber.interrupt(second.fiber)
      yield* settle
      const last = server.received.at(-1)
      if (era === "stateful") {
        assert.deepStrictEqual([last?.method, last?.params?.uri], ["resources/unsubscribe", URI])
      } else {
        assert.deepStrictEqual([last?.method, last?.params?.requestId], ["notifications/cancelled", request.id])
      }
    }))

  it.effect("MUST be asked for again only after the end of what was before", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const first = yield* watching(mcp.watchResource(URI))
      const before = yield* subscribed(server, era)
      yield* Fiber.interrupt(first.fiber)
      // Nor is it by one who comes and goes meanwhile.
      if (era === "stateful") yield* Fiber.interrupt((yield* watching(mcp.watchResource(URI))).fiber)
      const second = yield* watching(mcp.watchResource(URI))
      const end = yield* server.answer
      if (era === "stateful") {
        assert.strictEqual(end.method, "resources/unsubscribe")
        assert.strictEqual(yield* count(server, "resources/subscribe"), 1)
        yield* server.reply(end, {})
      }
      const { tell } = yield* subscribed(server, era)
      yield* before.tell(UPDATED, { uri: "test://too/late" })
      yield* tell(UPDATED, { uri: URI })
      assert.deepStrictEqual(second.told, [URI])
    }))

  it.effect("MUST be told once it stands where that is wanted, and to who comes later", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const first = yield* watching(mcp.watchResource(URI, { initial: true }))
      assert.deepStrictEqual(first.told, [])
      yield* subscribed(server, era)
      const second = yield* watching(mcp.watchResource(URI, { initial: true }))
      const third = yield* watching(mcp.watchResource(URI))
      assert.deepStrictEqual([first.told, second.told, third.told], [[URI], [URI], []])
    }))

  it.effect("MUST be asked for again on the next connection, and told once for what was missed", () =>
    Effect.gen(function*() {
      const { at, mcp } = yield* playing({ reconnect: everySecond }, opening(era))
      const { told } = yield* watching(mcp.watchResource(URI))
      yield* subscribed(at(0), era)
      for (let connection = 1; connection < 4; connection++) {
        yield* kill(at(-1))
        yield* advance("1 second")
        const { tell } = yield* subscribed(at(connection), era)
        assert.lengthOf(told, 2 * connection - 1)
        yield* tell(UPDATED, { uri: URI })
        assert.lengthOf(told, 2 * connection)
        assert.strictEqual(yield* count(at(connection), "resources/unsubscribe"), 0)
      }
    }))

  it.effect("MUST fail when the client gives up", () =>
    Effect.gen(function*() {
      const { at, mcp } = yield* playing({ reconnect: false }, opening(era))
      const { fiber } = yield* watching(mcp.watchResource(URI))
      yield* subscribed(at(0), era)
      yield* kill(at(0))
      const error = yield* Effect.flip(Fiber.join(fiber))
      assert.ok(error._tag === "ConnectionClosed" && error.message === "It was killed")
    }))

  it.effect("MUST fail at the end of the client, which ends nothing on the server one by one", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { mcp, server } = yield* Scope.provide(client(era), scope)
      const { fiber } = yield* watching(mcp.watchResource(URI))
      yield* subscribed(server, era)
      yield* Scope.close(scope, Exit.void)
      const error = yield* Effect.flip(Fiber.join(fiber))
      assert.ok(error._tag === "ConnectionClosed" && error.message === "The client was closed")
      assert.strictEqual(yield* count(server, "resources/unsubscribe"), 0)
      const late = yield* Effect.flip(Stream.runDrain(mcp.watchResource(URI)))
      assert.strictEqual(late._tag, "ConnectionClosed")
    }))

  it.effect("MUST fail with the error of a server that refuses it, to all who watch", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const first = yield* watching(mcp.watchResource(URI))
      const second = yield* watching(mcp.watchResource(URI))
      const method = era === "stateful" ? "resources/subscribe" : "subscriptions/listen"
      yield* server.fail(yield* server.expect(method), { code: -32601, message: "Method not found" })
      for (const { fiber } of [first, second]) {
        const error = yield* Effect.flip(Fiber.join(fiber))
        assert.ok(error._tag === "MethodNotFound" && error.method === method)
      }
      yield* watching(mcp.watchResource(URI))
      assert.strictEqual(yield* count(server, method), 2)
    }))

  it.effect("MUST tell a slow consumer of many changes once, and of too many things as the resource", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const told: Array<string> = []
      const slow = Stream.runForEach(
        mcp.watchResource(URI),
        (uri) => Effect.andThen(Effect.sync(() => told.push(uri)), Effect.sleep("1 second"))
      )
      yield* Effect.forkScoped(slow)
      yield* settle
      const { tell } = yield* subscribed(server, era)
      for (let times = 0; times < 10; times++) yield* tell(UPDATED, { uri: URI })
      yield* advance("1 second")
      assert.deepStrictEqual(told, [URI, URI])
      for (let index = 0; index < 65; index++) yield* tell(UPDATED, { uri: `${URI}/${index}` })
      yield* advance("1 second")
      yield* advance("1 second")
      assert.deepStrictEqual(told, [URI, URI, URI])
    }))

  it.effect("MUST be one of 256 at most", () =>
    Effect.gen(function*() {
      const { mcp } = yield* client(era)
      for (let index = 0; index < 256; index++) {
        yield* Effect.forkScoped(Effect.exit(Stream.runDrain(mcp.watchResource(`test://${index}`))))
      }
      yield* settle
      const error = yield* Effect.flip(Stream.runDrain(mcp.watchResource("test://one/more")))
      assert.ok(error._tag === "InvalidRequest" && error.message.includes("256"))
      yield* Effect.forkScoped(Effect.exit(Stream.runDrain(mcp.watchResource("test://7"))))
    }))
})

const lists = ["tools", "prompts", "resources"] as const

const stream = (mcp: McpClient.McpClient["Service"], list: typeof lists[number]) => mcp[`${list}Changed`]

describe.each(lists)("the list of %s", (list) => {
  it.effect("MUST tell of its changes, and of no others: stateless", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless")
      const { told } = yield* watching(stream(mcp, list))
      const { tell } = yield* subscribed(server, "stateless", { [`${list}ListChanged`]: true })
      for (const other of lists) yield* tell(`notifications/${other}/list_changed`)
      assert.lengthOf(told, 1)
    }))

  it.effect("MUST tell of its changes, of no others, and once after a reconnection: stateful", () =>
    Effect.gen(function*() {
      const { at, mcp } = yield* playing({ reconnect: everySecond }, opening("stateful"))
      const { told } = yield* watching(stream(mcp, list))
      for (const other of lists) yield* at(0).notify(`notifications/${other}/list_changed`)
      yield* settle
      assert.lengthOf(told, 1)
      yield* kill(at(0))
      yield* advance("1 second")
      assert.lengthOf(told, 2)
      yield* at(1).notify(`notifications/${list}/list_changed`)
      yield* settle
      assert.lengthOf(told, 3)
      assert.deepStrictEqual(at(1).received.filter(({ method }) => method?.includes("subscri")), [])
    }))

  it.effect("MUST fail where the server does not tell of changes, and say so: stateful", () =>
    Effect.gen(function*() {
      const { mcp } = yield* client("stateful", {}, { tools: {}, prompts: { listChanged: false } })
      const error = yield* Effect.flip(Stream.runDrain(stream(mcp, list)))
      assert.ok(error._tag === "MethodNotFound" && error.method === `notifications/${list}/list_changed`)
      assert.include(error.message, `"${list}.listChanged"`)
    }))
})
