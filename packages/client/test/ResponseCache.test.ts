/** Results that are kept: for how long, for whom, and what makes them stale. */
import { assert, describe, it } from "@effect/vitest"
import type * as McpClient from "@mcp-effect/client/McpClient"
import * as ResponseCache from "@mcp-effect/client/ResponseCache"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { asked, client, complete, count, opening } from "./opening.ts"
import { advance, everySecond, kill, playing } from "./reconnecting.ts"
import { type Server, settle } from "./wire.ts"

const READ = "resources/read"

const resource = (text: string, hints: Params) => complete({ contents: [{ uri: "test://a", text }] }, hints)

const list = (name: string, hints: Params) => complete({ resources: [{ uri: `test://${name}`, name }] }, hints)

/** What a reading yields without the server being asked. */
const kept = (mcp: McpClient.McpClient["Service"], server: Server, uri = "test://a") =>
  Effect.gen(function*() {
    const before = yield* count(server, READ)
    const contents = yield* mcp.readResource(uri)
    assert.strictEqual(yield* count(server, READ), before)
    return contents.map((contents) => contents._tag === "Text" ? contents.text : contents)
  })

const fresh = { ttlMs: 60_000, cacheScope: "private" }

/** A reading that the server is asked for. */
const read = (
  mcp: McpClient.McpClient["Service"],
  server: Server,
  text: string,
  hints: Params = fresh,
  uri = "test://a"
) => asked(server, READ, mcp.readResource(uri), resource(text, hints))

describe("a result that may be kept", () => {
  it.effect("MUST be given out until its time is over, and not a millisecond longer", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless")
      yield* read(mcp, server, "one")
      yield* TestClock.adjust("59999 millis")
      assert.deepStrictEqual(yield* kept(mcp, server), ["one"])
      yield* TestClock.adjust("1 millis")
      yield* read(mcp, server, "two")
    }))

  it.effect.each([{ ttlMs: 0 }, { ttlMs: -1 }, { ttlMs: null }, { ttlMs: "60000" }])(
    "MUST NOT be kept where it says %j",
    (hints) =>
      Effect.gen(function*() {
        const { mcp, server } = yield* client("stateless")
        yield* read(mcp, server, "one", { ...fresh, ...hints })
        yield* read(mcp, server, "two", fresh)
      })
  )

  it.effect("MUST be given out for the same method and parameters only", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless")
      yield* read(mcp, server, "one")
      yield* read(mcp, server, "two", fresh, "test://b")
      assert.deepStrictEqual(yield* kept(mcp, server), ["one"])
      // Page by page, each with a time of its own.
      const first = complete({ resources: [{ uri: "test://1", name: "1" }], nextCursor: "x" }, fresh)
      const listing = yield* Effect.forkChild(mcp.listResources())
      yield* server.reply(yield* server.expect("resources/list"), first)
      yield* server.reply(yield* server.expect("resources/list"), list("2", { ttlMs: 1 }))
      yield* Fiber.join(listing)
      yield* TestClock.adjust("1 millis")
      const again = yield* asked(server, "resources/list", mcp.listResources(), list("3", fresh))
      assert.strictEqual(again.sent.params?.cursor, "x")
      assert.deepStrictEqual(again.value.map(({ name }) => name), ["1", "3"])
    }))

  it.effect("MUST NOT be given out to a raw request, to one that wants it fresh, or to one with `meta`", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless")
      yield* read(mcp, server, "one")
      yield* asked(server, READ, mcp.request(READ, { uri: "test://a" }), resource("two", fresh))
      yield* asked(server, READ, mcp.readResource("test://a", { meta: { x: 1 } }), resource("three", fresh))
      assert.deepStrictEqual(yield* kept(mcp, server), ["one"])
      yield* asked(server, READ, mcp.readResource("test://a", { fresh: true }), resource("four", fresh))
      assert.deepStrictEqual(yield* kept(mcp, server), ["four"])
    }))

  it.effect("MUST NOT be kept where the cache is turned off, nor in a session of the stateful revisions", () =>
    Effect.gen(function*() {
      for (const { mcp, server } of [yield* client("stateless", { cache: false }), yield* client("stateful")]) {
        yield* read(mcp, server, "one")
        yield* read(mcp, server, "two")
      }
    }))

  it.effect("MUST NOT be kept when the server has asked for more, nor what it has asked", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless")
      for (let times = 0; times < 2; times++) {
        const reading = yield* Effect.forkChild(mcp.readResource("test://a"))
        const first = yield* server.expect(READ)
        assert.notProperty(first.params, "requestState")
        yield* server.reply(first, { resultType: "input_required", requestState: "s", ...fresh })
        yield* advance("1 second")
        const second = yield* server.expect(READ)
        assert.strictEqual(second.params?.requestState, "s")
        yield* server.reply(second, resource("made", fresh))
        yield* Fiber.join(reading)
      }
    }))

  it.effect("MUST NOT be kept when it was made of a result of another type", () =>
    Effect.gen(function*() {
      const resolve = { "example.com/later": () => Effect.succeed(resource("made", fresh)) }
      const { mcp, server } = yield* client("stateless", {
        extensions: [{ id: "example.com/later", resultTypes: resolve }]
      })
      const later = { resultType: "example.com/later" }
      yield* asked(server, READ, mcp.readResource("test://a"), later)
      yield* asked(server, READ, mcp.readResource("test://a"), later)
    }))
})

describe("what has changed", () => {
  it.effect("MUST be asked for again, and nothing else", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless")
      yield* read(mcp, server, "a")
      yield* read(mcp, server, "b", fresh, "test://b")
      yield* asked(server, "resources/list", mcp.listResources(), list("l", fresh))
      yield* asked(server, "prompts/list", mcp.listPrompts(), complete({ prompts: [] }, fresh))
      yield* asked(server, "tools/list", mcp.listTools(), complete({ tools: [] }, fresh))
      yield* server.notify("notifications/resources/updated", { uri: "test://a/within" })
      yield* server.notify("notifications/resources/list_changed")
      yield* server.notify("notifications/tools/list_changed")
      yield* settle
      yield* advance("1 millis")
      yield* read(mcp, server, "new a")
      assert.deepStrictEqual(yield* kept(mcp, server, "test://b"), ["b"])
      yield* asked(server, "resources/list", mcp.listResources(), list("new l", fresh))
      yield* asked(server, "tools/list", mcp.listTools(), complete({ tools: [] }, fresh))
      yield* mcp.listPrompts()
    }))

  it.effect("MUST NOT be kept when it was asked for before, and came after", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless")
      const reading = yield* Effect.forkChild(mcp.readResource("test://a"))
      const sent = yield* server.expect(READ)
      yield* server.notify("notifications/resources/updated", { uri: "test://a" })
      yield* settle
      yield* server.reply(sent, resource("old", fresh))
      yield* Fiber.join(reading)
      yield* advance("1 millis")
      yield* read(mcp, server, "new")
      assert.deepStrictEqual(yield* kept(mcp, server), ["new"])
    }))

  it.effect("MUST be asked for again after a reconnection: what was missed was not told", () =>
    Effect.gen(function*() {
      const { at, mcp } = yield* playing({ reconnect: everySecond }, opening("stateless"))
      yield* read(mcp, at(0), "one")
      yield* kill(at(0))
      yield* advance("1 second")
      yield* read(mcp, at(1), "two")
    }))

  it.effect("MUST be listed from the start when a cursor that was kept holds no more", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless")
      const first = complete({ resources: [], nextCursor: "x" }, fresh)
      const listing = yield* Effect.forkChild(mcp.listResources())
      yield* server.reply(yield* server.expect("resources/list"), first)
      yield* server.reply(yield* server.expect("resources/list"), list("old", { ttlMs: 1 }))
      yield* Fiber.join(listing)
      yield* advance("1 millis")
      const anew = yield* Effect.forkChild(mcp.listResources())
      yield* server.fail(yield* server.expect("resources/list"), { code: -32602, message: "Invalid cursor" })
      const again = yield* server.expect("resources/list")
      assert.notProperty(again.params, "cursor")
      yield* server.reply(again, list("new", fresh))
      assert.deepStrictEqual((yield* Fiber.join(anew)).map(({ name }) => name), ["new"])
    }))
})

describe("who may be given what is kept", () => {
  const as = (subject: string) => Effect.provideService(Principal.Principal, Principal.make({ subject }))

  it.effect("MUST be the same caller, unless it is public", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client("stateless")
      yield* as("ann")(read(mcp, server, "for ann"))
      yield* as("bob")(read(mcp, server, "for bob"))
      yield* read(mcp, server, "for nobody")
      assert.deepStrictEqual(yield* as("ann")(kept(mcp, server)), ["for ann"])
      assert.deepStrictEqual(yield* as("bob")(kept(mcp, server)), ["for bob"])
      yield* as("ann")(read(mcp, server, "for all", { ...fresh, cacheScope: "public" }, "test://b"))
      assert.deepStrictEqual(yield* as("bob")(kept(mcp, server, "test://b")), ["for all"])
    }))

  it.effect("MUST be this client, unless several share a cache, and name the same server", () =>
    Effect.gen(function*() {
      const shared = yield* Layer.build(ResponseCache.ResponseCache.layer)
      const sharing = (cache: ResponseCache.Sharing) => Effect.provide(client("stateless", { cache }), shared)
      const forAll = { ...fresh, cacheScope: "public" }
      const one = yield* sharing({ server: "https://example.com", principal: "ann" })
      yield* read(one.mcp, one.server, "for all", forAll)
      yield* read(one.mcp, one.server, "for ann", fresh, "test://b")
      const ann = yield* sharing({ server: "https://example.com", principal: "ann" })
      assert.deepStrictEqual(yield* kept(ann.mcp, ann.server), ["for all"])
      assert.deepStrictEqual(yield* kept(ann.mcp, ann.server, "test://b"), ["for ann"])
      const bob = yield* sharing({ server: "https://example.com", principal: "bob" })
      assert.deepStrictEqual(yield* kept(bob.mcp, bob.server), ["for all"])
      yield* read(bob.mcp, bob.server, "for bob", fresh, "test://b")
      for (const options of [{}, { server: "https://example.org" }]) {
        const other = yield* sharing(options)
        yield* read(other.mcp, other.server, "another's", forAll)
      }
      yield* one.server.notify("notifications/resources/updated", { uri: "test://a" })
      yield* settle
      yield* advance("1 millis")
      yield* read(bob.mcp, bob.server, "new", forAll)
    }))
})

const Step = Schema.Union([
  Schema.Struct({ put: Schema.Literals(["a", "b", "c"]), ttlMs: Schema.Literals([0, 1, 5, 100]) }),
  Schema.Struct({ change: Schema.Literals(["a", "b", "c"]) }),
  Schema.Struct({ wait: Schema.Literals([1, 3, 50]) })
])

const key = (name: string): ResponseCache.Key => ({
  server: "s",
  method: READ,
  params: { uri: `test://${name}` },
  principal: "p"
})

const names = ["a", "b", "c", "d", "e", "f", "g", "h"] as const

describe("a cache", () => {
  it.effect.prop(
    "MUST give what was last put, exactly while it is fresh and has not changed",
    [Schema.Array(Step)],
    ([steps]) =>
      Effect.gen(function*() {
        const cache = ResponseCache.make()
        const model = new Map<string, { readonly n: number; readonly until: number }>()
        // The test clock goes on from one run to the next.
        let now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        for (const [n, step] of steps.entries()) {
          // Nothing is asked for in the very millisecond of a change.
          const after = "wait" in step ? step.wait : 1
          yield* TestClock.adjust(after)
          now += after
          if ("put" in step) {
            yield* cache.put(key(step.put), { n, ttlMs: step.ttlMs }, now)
            if (step.ttlMs > 0) model.set(step.put, { n, until: now + step.ttlMs })
            else model.delete(step.put)
          } else if ("change" in step) {
            yield* cache.invalidate("s", READ, `test://${step.change}`)
            model.delete(step.change)
          }
          for (const name of ["a", "b", "c"]) {
            const expected = model.get(name)
            const fresh = expected !== undefined && now < expected.until ? expected.n : undefined
            assert.strictEqual((yield* cache.get(key(name)))?.n, fresh)
          }
        }
      })
  )

  it.effect.prop(
    "MUST hold no more than its bounds, and what was put last",
    [
      Schema.Array(Schema.Tuple([Schema.Literals(names), Schema.Literals([0, 50, 150, 180, 400])])).check(
        Schema.isMinLength(20)
      )
    ],
    ([puts]) =>
      Effect.gen(function*() {
        const cache = ResponseCache.make({ entries: 6, size: 1000 })
        for (const [name, length] of puts) {
          const result = { text: "x".repeat(length), ttlMs: 1000 }
          yield* cache.put(key(name), result, 1)
          assert.strictEqual(yield* cache.get(key(name)), length < 400 ? result : undefined)
          const held = (yield* Effect.forEach(names, (name) => cache.get(key(name)))).filter(Predicate.isNotUndefined)
          assert.isAtMost(held.length, 6)
          assert.isAtMost(held.reduce((size, result) => size + JSON.stringify(result).length, 0), 1000)
        }
      })
  )
})
