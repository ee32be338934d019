/** How streams and sessions of HTTP+SSE end, and that nothing is left of them. */
import { assert, describe, it } from "@effect/vitest"
import * as SseServer from "@mcp-effect/http/SseServer"
import { Limits, Tool } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServer } from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import * as Sse from "./sse.ts"

/** A tool that never ends, and what became of its calls. */
const waiting = () => {
  const seen = { started: 0, interrupted: 0, finalized: 0 }
  const tool = McpServer.tool(Tool.make("wait"), () =>
    Effect.sync(() => seen.started++).pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Effect.sync(() => seen.interrupted++)),
      Effect.ensuring(Effect.sync(() => seen.finalized++))
    ))
  return { seen, tool }
}

const now = McpServer.tool(Tool.make("now"), () => Effect.succeed("now"))

// Whose progress has a text.
const revision = "2025-03-26"

const until = async (condition: () => boolean | Promise<boolean>) => {
  for (let tries = 0; tries < 400; tries++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error("It has not come about in two seconds")
}

const connections = (node: Http.Server) =>
  new Promise<number>((resolve, reject) =>
    node.getConnections((error, count) => error === null ? resolve(count) : reject(error))
  )

/** Counts the fibers that an effect and all that it starts have running. */
const counting = <A, E, R>(f: (fibers: () => number) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let running = 0
    return Effect.provideService(f(() => running), Metric.FiberRuntimeMetrics, {
      recordFiberStart: () => void running++,
      recordFiberEnd: () => void running--
    })
  })

const logged = <A, E, R>(f: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    return Effect.provide(f(lines), Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]))
  })

/** Serves under `launch`, as a program does; `stop` ends it, and yields how many milliseconds that took. */
const launched = (
  features: Layer.Layer<never, unknown, McpServer.McpServer>,
  options?: SseServer.Options
) =>
  Effect.gen(function*() {
    const started = yield* Deferred.make<number>()
    const announce = Layer.effectDiscard(
      Effect.flatMap(HttpServer, (server) => Deferred.succeed(started, Sse.portOf(server)))
    )
    const main = yield* announce.pipe(
      Layer.provide(Sse.program(features, options)),
      McpServer.launch,
      Effect.forkScoped
    )
    const stop = Effect.suspend(() => {
      const before = performance.now()
      return Effect.map(Fiber.interrupt(main), () => performance.now() - before)
    })
    return { port: yield* Deferred.await(started), stop }
  })

describe("the end of an event stream", () => {
  it.live("MUST interrupt what is in flight, run its finalizers, and end the session", () => {
    const { seen, tool } = waiting()
    return Effect.scoped(Effect.gen(function*() {
      const port = yield* Sse.serve(tool)
      yield* Effect.promise(async () => {
        const client = await Sse.connect(port)
        const other = await Sse.connect(port)
        for (const { say } of [client, other]) await say(Sse.call(1, "wait"))
        client.stream.drop()
        await until(() => seen.finalized === 1)
        assert.deepStrictEqual(seen, { started: 2, interrupted: 1, finalized: 1 })
        assert.strictEqual((await client.say(Sse.call(2, "wait"))).status, 404)
        assert.strictEqual((await other.say(Sse.call(2, "wait"))).status, 202)
        other.stream.drop()
        await until(() => seen.finalized === 3)
      })
    }))
  })

  it.live("MUST interrupt one request, without a reply, when its client cancels it by another POST", () => {
    const { seen, tool } = waiting()
    return Effect.scoped(Effect.gen(function*() {
      const port = yield* Sse.serve(Layer.merge(tool, now))
      yield* Effect.promise(async () => {
        const client = await Sse.connect(port)
        await client.say(Sse.call(1, "wait"))
        await client.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
        await until(() => seen.finalized === 1)
        await client.say(Sse.call(2, "now"))
        assert.strictEqual((await client.stream.message()).id, 2)
        client.stream.drop()
      })
    }))
  })

  it.live("MUST leave no fiber, no socket and no session behind, of 100 with calls in flight", () =>
    counting((fibers) => {
      const { seen, tool } = waiting()
      const node = Http.createServer()
      return Effect.scoped(Effect.gen(function*() {
        // What watches over bodies is there for a quarter of that after the last.
        const port = yield* Sse.serve(tool, { bodyTimeout: "1 second" }, node)
        yield* Effect.promise(async () => {
          const before = fibers()
          const clients = await Promise.all(Array.from({ length: 100 }, () => Sse.connect(port)))
          await Promise.all(clients.map(({ say }) => say(Sse.call(1, "wait"))))
          assert.strictEqual(seen.started, 100)
          assert.isAbove(fibers(), before + 100)
          for (const { stream } of clients) stream.drop()
          await until(() => seen.finalized === 100)
          await until(async () => fibers() === before && await connections(node) === 0)
          const statuses = await Promise.all(clients.map(async ({ say }) => (await say(Sse.initialized)).status))
          assert.deepStrictEqual([...new Set(statuses)], [404])
        })
      }))
    }))
})

describe("a handler of web requests", () => {
  const text = (chunk: { readonly value?: Uint8Array | undefined }) => new TextDecoder().decode(chunk.value)

  const host = "localhost"

  it.live("MUST end the session when the body is cancelled, and the body when it is disposed of", () =>
    Effect.promise(async () => {
      const { seen, tool } = waiting()
      const server = tool.pipe(Layer.provideMerge(McpServer.layer({ name: "web", version: "1.0.0" })))
      const web = HttpRouter.toWebHandler(Layer.provide(SseServer.layer(), server), { disableLogger: true })
      const open = async () => {
        const { body } = await web.handler(new Request("http://localhost/sse", { headers: { host } }))
        assert.isNotNull(body)
        const events = body.getReader()
        const endpoint = text(await events.read()).split("data: ")[1]?.trim()
        const say = async (message: object) => {
          const headers = { host, "content-type": "application/json" }
          const request = new Request(`http://localhost${endpoint}`, {
            method: "POST",
            headers,
            body: JSON.stringify(message)
          })
          return (await web.handler(request)).status
        }
        assert.strictEqual(await say(Sse.call(1, "wait", {}, Sse.stateless)), 202)
        return { events, say }
      }
      const left = await open()
      const stays = await open()
      assert.strictEqual(seen.started, 2)
      await left.events.cancel()
      await until(() => seen.finalized === 1)
      assert.strictEqual(await left.say(Sse.initialized), 404)
      await web.dispose()
      assert.isTrue((await stays.events.read()).done)
      assert.strictEqual(seen.finalized, 2)
    }))
})

describe("a reader that is too slow", () => {
  const limits = { ...Limits.defaults, outbox: 64 * 1024 }
  const flood = McpServer.tool(Tool.make("flood"), () =>
    Stream.concat(
      Stream.map(
        Stream.range(1, 2000),
        (progress) => Tool.progress({ progress, message: "x".repeat(16 * 1024) })
      ),
      Stream.make(Tool.part("done"))
    ))

  it.live("MUST hold up who sends to it, and be dropped with a log line when it has taken nothing for a heartbeat", () =>
    logged((lines) =>
      Effect.scoped(Effect.gen(function*() {
        let sent = 0
        let ended = 0
        const counted = McpServer.tool(Tool.make("counted"), () =>
          Stream.range(1, 100_000).pipe(
            Stream.map((progress) => (sent++, Tool.progress({ progress, message: "x".repeat(16 * 1024) }))),
            Stream.concat(Stream.make(Tool.part("done"))),
            Stream.ensuring(Effect.sync(() => ended++))
          ))
        const node = Http.createServer()
        const port = yield* Sse.serve(counted, { heartbeat: 150 }, node)
        yield* Effect.promise(async () => {
          const client = await Sse.connect(port, { revision })
          client.stream.pause()
          await client.say(Sse.call(1, "counted", {}, { progressToken: "t" }))
          await until(() => ended === 1)
          assert.isBelow(sent, 5000)
          assert.isTrue(lines.some((line) => line.includes("its reader has taken nothing for 150ms")), lines.join("\n"))
          assert.strictEqual((await client.say(Sse.initialized)).status, 404)
          await until(async () => await connections(node) === 0)
        })
      }))
    ).pipe(Effect.provideService(Limits.Limits, limits)))

  it.live("MUST lose nothing when it goes on in time", () =>
    Effect.scoped(Effect.gen(function*() {
      const port = yield* Sse.serve(flood)
      yield* Effect.promise(async () => {
        const client = await Sse.connect(port, { revision })
        client.stream.pause()
        await client.say(Sse.call(1, "flood", {}, { progressToken: "t" }))
        await new Promise((resolve) => setTimeout(resolve, 100))
        client.stream.resume()
        let last = 0
        for (let message = await client.stream.message(); message.id !== 1; message = await client.stream.message()) {
          const { progress } = message.params as { readonly progress: number }
          assert.strictEqual(progress, last + 1)
          last = progress
        }
        assert.strictEqual(last, 2000)
        client.stream.drop()
      })
    })).pipe(Effect.provideService(Limits.Limits, limits)), 20_000)

  it.live(
    "MUST NOT make replies pile up: its messages are held up as well, and no more than may be in flight",
    () =>
      logged((lines) =>
        Effect.scoped(Effect.gen(function*() {
          let called = 0
          const large = McpServer.tool(Tool.make("large"), () => Effect.sync(() => (called++, "x".repeat(256 * 1024))))
          const port = yield* Sse.serve(large, { heartbeat: "5 seconds" })
          yield* Effect.promise(async () => {
            const client = await Sse.connect(port)
            client.stream.pause()
            const statuses: Array<number> = []
            let id = 0
            const say = async () => void statuses.push((await client.say(Sse.call(++id, "large"))).status)
            const posts: Array<Promise<void>> = []
            // Until one is held up.
            while (posts.length === statuses.length) {
              posts.push(say())
              await Promise.race([posts.at(-1), new Promise((resolve) => setTimeout(resolve, 200))])
            }
            assert.strictEqual(called, statuses.length)
            posts.push(...Array.from({ length: 20 }, say))
            await until(() => statuses.filter((status) => status === 503).length === 11)
            assert.strictEqual(called, posts.length - 21)
            assert.isTrue(lines.some((line) => line.includes("Refused a message: 10 are on their way")))
            client.stream.resume()
            await Promise.all(posts)
            assert.strictEqual(statuses.filter((status) => status === 202).length, called)
            const ids = new Set<unknown>()
            while (ids.size < called) ids.add((await client.stream.message()).id)
            client.stream.drop()
          })
        }))
      ).pipe(Effect.provideService(Limits.Limits, { ...limits, inFlight: 10 })),
    20_000
  )
})

describe("the end of the server", () => {
  it.live("MUST answer subscriptions, end all streams, and not wait for their readers", () =>
    counting((fibers) =>
      Effect.scoped(Effect.gen(function*() {
        const { seen, tool } = waiting()
        const before = fibers()
        const { port, stop } = yield* launched(tool)
        const [listening, busy] = yield* Effect.promise(async () => {
          const listening = await Sse.open(port)
          await listening.say({
            jsonrpc: "2.0",
            id: "sub",
            method: "subscriptions/listen",
            params: { notifications: { toolsListChanged: true }, _meta: Sse.stateless }
          })
          assert.strictEqual((await listening.stream.message()).method, "notifications/subscriptions/acknowledged")
          const busy = await Sse.connect(port)
          await busy.say(Sse.call(1, "wait"))
          return [listening, busy] as const
        })
        assert.isBelow(yield* stop, 450)
        yield* Effect.promise(() => Promise.all([listening.stream.ended, busy.stream.ended]))
        assert.strictEqual((yield* Effect.promise(listening.stream.message)).id, "sub")
        assert.deepStrictEqual(seen, { started: 1, interrupted: 1, finalized: 1 })
        yield* Effect.promise(() => until(() => fibers() === before))
      }))
    ))

  it.live("MUST NOT wait long for a reader that does not read", () =>
    Effect.scoped(Effect.gen(function*() {
      const flood = McpServer.tool(Tool.make("flood"), () =>
        Stream.map(
          Stream.range(1, 1_000_000),
          (progress) => Tool.progress({ progress, message: "x".repeat(16 * 1024) })
        ))
      const { port, stop } = yield* launched(flood)
      yield* Effect.promise(async () => {
        const client = await Sse.connect(port, { revision })
        client.stream.pause()
        await client.say(Sse.call(1, "flood", {}, { progressToken: "t" }))
        await new Promise((resolve) => setTimeout(resolve, 100))
      })
      assert.isBelow(yield* stop, 1000)
    })))
})
