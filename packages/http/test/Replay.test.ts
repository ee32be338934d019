/** Streams whose connection was lost, or closed by the server, and the rest of them. */
import { assert, describe, it } from "@effect/vitest"
import * as StreamableHttpServer from "@mcp-effect/http/StreamableHttpServer"
import { Tool } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"

const REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25"]

/** What tells messages apart. */
const kind = ({ id, method, params }: H.Json): unknown =>
  method === undefined ? id : (params as H.Json | undefined)?.progress ?? method

/** A tool that reports a number of steps at once. */
const steps = McpServer.tool(Tool.make("steps"), () =>
  Stream.range(1, 10).pipe(
    Stream.map((progress) => Tool.progress({ progress })),
    Stream.concat(Stream.make(Tool.part("done")))
  ))

describe("Last-Event-ID of the stream of a POST", () => {
  it.effect("MUST yield the rest of a call whose connection was lost, its reply included", () =>
    Effect.gen(function*() {
      for (const revision of REVISIONS) {
        const { release, seen, tool } = Tools.held()
        const server = yield* H.serve(tool)
        const client = yield* server.open(revision)
        const opened = yield* client.call("held", { id: "x", token: "t" })
        assert.strictEqual(kind(yield* opened.message), 1)
        yield* opened.drop
        const resumed = yield* client.listen(opened.ids.at(-1))
        assert.strictEqual(resumed.status, 200)
        yield* release
        assert.deepStrictEqual((yield* resumed.remaining).map(kind), [2, "x"])
        assert.deepStrictEqual(seen, { started: 1, interrupted: 0, ended: 1 })
      }
    }))

  it.effect("MUST yield it when all of it was said meanwhile, as often as it is asked for", () =>
    Effect.gen(function*() {
      const { release, tool } = Tools.held()
      const server = yield* H.serve(tool)
      const client = yield* server.open("2025-06-18")
      const opened = yield* client.call("held", { id: "x", token: "t" })
      yield* opened.message
      yield* opened.drop
      yield* release
      yield* H.settle
      for (let n = 0; n < 3; n++) {
        const resumed = yield* client.listen(opened.ids.at(-1))
        assert.deepStrictEqual((yield* resumed.remaining).map(kind), [2, "x"])
      }
    }))

  it.effect("MUST yield what comes after each place, and no place twice", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(steps)
      const client = yield* server.open()
      const opened = yield* client.call("steps", { id: "x", token: "t" })
      const all = (yield* opened.remaining).map(kind)
      assert.deepStrictEqual(all, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "x"])
      // The first is that of the event that only marks a place.
      assert.strictEqual(opened.ids.length, 12)
      for (const [place, id] of opened.ids.slice(0, -1).entries()) {
        assert.deepStrictEqual((yield* (yield* client.listen(id)).remaining).map(kind), all.slice(place))
      }
      // There is nothing after the reply.
      assert.strictEqual((yield* client.listen(opened.ids.at(-1))).status, 400)
    }))

  it.effect("MUST continue with whoever comes last, when several come", () =>
    Effect.gen(function*() {
      const { release, tool } = Tools.held()
      const server = yield* H.serve(tool)
      const client = yield* server.open()
      const opened = yield* client.call("held", { id: "x", token: "t" })
      yield* opened.message
      const [prime] = opened.ids
      const first = yield* client.listen(prime)
      const second = yield* client.listen(prime)
      yield* release
      assert.deepStrictEqual((yield* second.remaining).map(kind), [1, 2, "x"])
      // What was on its way to the others is all that they get.
      assert.deepStrictEqual((yield* first.remaining).map(kind), [1])
      assert.deepStrictEqual((yield* opened.remaining).map(kind), [])
    }))

  it.effect(
    "MUST work after thousands of connections, of which nothing is left",
    () =>
      H.counting((fibers) =>
        Effect.gen(function*() {
          const { release, tool } = Tools.held()
          const server = yield* H.serve(tool)
          const client = yield* server.open()
          const opened = yield* client.call("held", { id: "x", token: "t" })
          yield* opened.message
          const [prime] = opened.ids
          yield* client.listen(prime)
          const before = fibers()
          for (let n = 0; n < 2000; n++) {
            const resumed = yield* client.listen(prime)
            assert.strictEqual(resumed.status, 200)
            // The loss of the others is not noticed.
            if (n % 2 === 0) yield* resumed.drop
          }
          const last = yield* client.listen(prime)
          yield* H.settle
          // Those that may be open are no more than eight.
          assert.isAtMost(fibers(), before + 8)
          yield* release
          assert.deepStrictEqual((yield* last.remaining).map(kind), [1, 2, "x"])
        })
      ),
    20_000
  )
})

describe("event ids", () => {
  it.effect("MUST be unique over all streams of a session, and tell which stream they are of", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(steps)
      for (const revision of REVISIONS) {
        const client = yield* server.open(revision)
        const ids: Array<string> = []
        const streams = new Set<string>()
        for (let n = 0; n < 5; n++) {
          const opened = yield* client.call("steps", { token: "t" })
          yield* opened.remaining
          ids.push(...opened.ids)
          for (const id of opened.ids) streams.add(id.slice(0, id.lastIndexOf("-")))
        }
        assert.strictEqual(new Set(ids).size, ids.length)
        assert.strictEqual(streams.size, 5)
      }
    }))

  it.effect("MUST NOT open what is of another session, or of none: 400", () =>
    Effect.gen(function*() {
      const { release, tool } = Tools.held()
      const server = yield* H.serve(Layer.merge(tool, steps))
      const client = yield* server.open()
      const other = yield* server.open()
      const running = yield* client.call("held", { token: "t" })
      yield* running.message
      const ended = yield* client.call("steps", { token: "t" })
      yield* ended.remaining
      const [place = ""] = running.ids
      const stream = place.slice(0, place.lastIndexOf("-"))
      for (const id of [...running.ids, ...ended.ids]) {
        // A stream of the other's own that has the same name has nothing in it, and never will.
        assert.strictEqual((yield* other.listen(id)).status, 400, id)
      }
      for (
        const id of [
          "",
          "-",
          "1",
          "forged",
          "forged-1",
          `${stream}-2`,
          `${stream}-999999999999999`,
          `${stream}-99999999999999999999`,
          `${stream}--1`,
          `${stream}-1.5`,
          `${stream}-1e3`,
          `${stream}x-0`,
          `${stream}-0/../..`,
          "__proto__-0",
          "x".repeat(10_000),
          `${"9".repeat(8000)}-1`
        ]
      ) {
        assert.strictEqual((yield* client.listen(id)).status, 400, id.slice(0, 60))
      }
      yield* release
      assert.strictEqual((yield* running.remaining).length, 2)
    }))

  it.effect("MUST NOT show messages of another stream", () =>
    Effect.gen(function*() {
      const { release, tool } = Tools.held()
      const server = yield* H.serve(Layer.merge(tool, steps))
      const client = yield* server.open()
      const first = yield* client.call("held", { id: "a", token: "a" })
      const second = yield* client.call("held", { id: "b", token: "b" })
      for (const { drop, message } of [first, second]) yield* Effect.andThen(message, drop)
      yield* (yield* client.call("steps", { id: "c", token: "c" })).remaining
      yield* release
      yield* H.settle
      for (const [{ ids }, id] of [[first, "a"], [second, "b"]] as const) {
        const messages = yield* (yield* client.listen(ids[0])).remaining
        assert.deepStrictEqual(messages.map(kind), [1, 2, id])
        assert.deepStrictEqual(
          messages.slice(0, 2).map(({ params }) => (params as H.Json).progressToken),
          [id, id]
        )
      }
    }))
})

describe("an event without data", () => {
  it.effect("MUST be first on every new stream in revision 2025-11-25, with an id, and nowhere before", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(steps)
      for (const revision of REVISIONS) {
        const client = yield* server.open(revision)
        const primed = revision === "2025-11-25"
        const call = yield* client.call("steps", { token: "t" })
        const events: Array<H.Event> = []
        for (let event = yield* call.next; event !== undefined; event = yield* call.next) events.push(event)
        assert.deepStrictEqual(events.map(({ data }) => data === ""), primed ? [true, ...none] : none)
        if (!primed) continue
        for (const first of [events[0], yield* (yield* client.listen()).next]) {
          assert.deepInclude(first, { data: "", event: undefined, retry: undefined })
          assert.match(first?.id ?? "", /^[\w.]+-0$/)
        }
      }
    }))
})

// What the ten steps and the reply are.
const none = Array.from({ length: 11 }, () => false)

describe("disconnect", () => {
  const gate = () => {
    const { release, seen, tool } = Tools.held()
    const polled = McpServer.tool(
      Tool.make("polled"),
      () =>
        StreamableHttpServer.disconnect({ retry: "2500 millis" }).pipe(
          Effect.andThen(Effect.sleep("1 minute")),
          Effect.as("done")
        )
    )
    return { release, seen, features: Layer.merge(tool, polled) }
  }

  it.effect("MUST close the connection with a retry, and the rest is there for who comes back", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(gate().features)
      const client = yield* server.open()
      const opened = yield* client.call("polled", { id: "x" })
      const [prime, retry, end] = [yield* opened.next, yield* opened.next, yield* opened.next]
      assert.strictEqual(prime?.data, "")
      assert.strictEqual(retry?.retry, "2500")
      assert.isUndefined(retry?.data)
      assert.isUndefined(end)
      yield* H.pass("2500 millis")
      const resumed = yield* client.listen(prime?.id)
      yield* H.pass("1 minute")
      const rest = yield* resumed.remaining
      assert.deepStrictEqual(rest.map(H.textOf), ["done"])
      assert.deepStrictEqual(rest.map(kind), ["x"])
    }))

  it.effect("MUST close what the client has come back on, too", () =>
    Effect.gen(function*() {
      const twice = McpServer.tool(Tool.make("twice"), () =>
        StreamableHttpServer.disconnect().pipe(
          Effect.andThen(Effect.sleep("1 second")),
          Effect.repeat({ times: 2 }),
          Effect.as("done")
        ))
      const server = yield* H.serve(twice)
      const client = yield* server.open()
      const opened = yield* client.call("twice", { id: "x" })
      assert.deepStrictEqual(yield* opened.remaining, [])
      const [prime] = opened.ids
      for (let n = 0; n < 2; n++) {
        const polling = yield* client.listen(prime)
        yield* H.pass("1 second")
        assert.strictEqual((yield* polling.next)?.retry, "1000")
        assert.isUndefined(yield* polling.next)
      }
      yield* H.pass("1 second")
      assert.deepStrictEqual((yield* (yield* client.listen(prime)).remaining).map(H.textOf), ["done"])
    }))

  it.effect("MUST do nothing where a client could not come back", () =>
    Effect.gen(function*() {
      for (const revision of ["2025-03-26", "2025-06-18"]) {
        const server = yield* H.serve(gate().features)
        const client = yield* server.open(revision)
        const calling = yield* Effect.forkChild(client.call("polled", { id: "x" }))
        yield* H.settle
        yield* H.pass("1 minute")
        const opened = yield* Fiber.join(calling)
        assert.deepStrictEqual((yield* opened.remaining).map(H.textOf), ["done"])
      }
    }))
})
