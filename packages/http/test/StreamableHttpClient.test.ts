/** What a client sends, and where what it is sent goes. */
import { assert, describe, it } from "@effect/vitest"
import { JsonRpc, Meta } from "@mcp-effect/protocol"
import { cancelReason } from "@mcp-effect/protocol/Peer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import {
  clients,
  connect,
  event,
  events,
  eventually,
  fork,
  hearing,
  json,
  noStream,
  result,
  serve,
  session,
  stateful,
  stateless
} from "./scripted.ts"

describe.each(clients)("a client of the stateless era, by %s", (_name, http) => {
  it.live("MUST say in headers what its request says, and nothing of a session", () =>
    Effect.gen(function*() {
      const server = yield* serve((seen, response) =>
        json(response, result(seen, { content: [] }), 200, { "mcp-session-id": "unwanted" })
      )
      const connection = yield* connect(server.url, hearing(), { authorization: "Bearer of-a-token" })
      const back = hearing()
      const response = yield* connection.request(stateless("mine", "tools/call", { name: "echo" }), back)
      yield* connection.request(stateless(2, "resources/read", { uri: "file:///a" }), back)
      assert.deepStrictEqual(response, JsonRpc.success("mine", { content: [] }))
      const [first, second] = server.seen
      assert.strictEqual(first?.method, "POST")
      assert.strictEqual(first?.headers.accept, "application/json, text/event-stream")
      assert.strictEqual(first?.headers["content-type"], "application/json")
      assert.strictEqual(first?.headers["mcp-protocol-version"], "2026-07-28")
      assert.strictEqual(first?.headers["mcp-method"], "tools/call")
      assert.strictEqual(first?.headers["mcp-name"], "echo")
      assert.strictEqual(first?.headers.authorization, "Bearer of-a-token")
      assert.strictEqual(second?.headers["mcp-name"], "file:///a")
      assert.isUndefined(second?.headers["mcp-session-id"])
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST write a name that no header can carry in Base64", () =>
    Effect.gen(function*() {
      const server = yield* serve((seen, response) => json(response, result(seen, {})))
      const connection = yield* connect(server.url)
      yield* connection.request(stateless(1, "tools/call", { name: "Hello, \u4e16\u754c" }), hearing())
      assert.strictEqual(server.seen[0]?.headers["mcp-name"], "=?base64?SGVsbG8sIOS4lueVjA==?=")
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST cancel a request by closing its stream, and send nothing for it", () =>
    Effect.gen(function*() {
      let closed = false
      const server = yield* serve((seen, response) => {
        response.on("close", () => closed = true)
        events(response).write(event({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken: seen.message.id, progress: 1 }
        }))
      })
      const connection = yield* connect(server.url)
      const back = hearing()
      const fiber = yield* fork(
        connection.request(stateless(1, "tools/call", { name: "long", _meta: { progressToken: "p" } }), back)
      )
      yield* eventually(() => back.heard.length === 1)
      yield* Fiber.interrupt(fiber)
      yield* eventually(() => closed)
      assert.strictEqual(server.seen.length, 1)
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST cancel a request that has no head of a response yet", () =>
    Effect.gen(function*() {
      let closed = false
      const server = yield* serve((_seen, response) => void response.on("close", () => closed = true))
      const connection = yield* connect(server.url)
      const fiber = yield* fork(connection.request(stateless(1, "tools/call", { name: "long" }), hearing()))
      yield* eventually(() => server.seen.length === 1)
      yield* Fiber.interrupt(fiber)
      yield* eventually(() => closed)
    }).pipe(Effect.scoped, Effect.provide(http)))
})

describe("a client of a stateful revision", () => {
  it.live("MUST initialize without a session, name it and the revision from then on, and end it", () =>
    Effect.gen(function*() {
      const server = yield* serve(
        stateful((seen, response) =>
          seen.method === "GET" ? void response.writeHead(405).end() : json(response, result(seen, {}))
        )
      )
      yield* Effect.scoped(Effect.gen(function*() {
        const connection = yield* session(server.url)
        yield* connection.request(JsonRpc.request(1, "ping"), hearing())
        yield* server.until(({ method }) => method === "GET")
      }))
      const [initialize, initialized, ...rest] = server.seen
      assert.isUndefined(initialize?.headers["mcp-session-id"])
      assert.isUndefined(initialize?.headers["mcp-protocol-version"])
      assert.strictEqual(initialized?.message.method, "notifications/initialized")
      for (const { headers } of server.seen.slice(1)) {
        assert.strictEqual(headers["mcp-session-id"], "the-session")
        assert.strictEqual(headers["mcp-protocol-version"], "2025-11-25")
        assert.isUndefined(headers["mcp-method"])
      }
      assert.deepStrictEqual(rest.map(({ method }) => method).toSorted(), ["DELETE", "GET", "POST"])
      const get = rest.find(({ method }) => method === "GET")
      assert.strictEqual(get?.headers.accept, "text/event-stream")
      assert.isUndefined(get?.headers["last-event-id"])
    }).pipe(Effect.scoped, Effect.provide(clients[0][1])))

  it.live(
    "MUST end although the server does not let it end the session, or does not answer",
    () =>
      Effect.gen(function*() {
        let silent = false
        const server = yield* serve((seen, response) => {
          if (seen.method !== "DELETE") return stateful(noStream)(seen, response)
          if (!silent) response.writeHead(405).end()
        })
        yield* Effect.scoped(session(server.url))
        silent = true
        const [time] = yield* Effect.timed(Effect.scoped(session(server.url)))
        assert.isAtLeast(Duration.toMillis(time), 1900)
        assert.strictEqual(server.seen.filter(({ method }) => method === "DELETE").length, 2)
      }).pipe(Effect.scoped, Effect.provide(clients[0][1])),
    10_000
  )

  it.live("MUST cancel a request by its id on the wire, with the reason", () =>
    Effect.gen(function*() {
      const server = yield* serve(stateful((seen, response) =>
        seen.message.method === "tools/call" ? void events(response) : noStream(seen, response)
      ))
      const connection = yield* session(server.url)
      const fiber = yield* fork(connection.request(JsonRpc.request("mine", "tools/call", { name: "long" }), hearing()))
      const call = yield* server.until(({ message }) =>
        message.method === "tools/call"
      )
      yield* Fiber.interruptAs(fiber, undefined, cancelReason("no longer needed"))
      const { message } = yield* server.until(({ message }) => message.method === "notifications/cancelled")
      assert.deepStrictEqual(message.params, { requestId: call.message.id, reason: "no longer needed" })
    }).pipe(Effect.scoped, Effect.provide(clients[0][1])))

  it.live("MUST repeat a cancellation that may have overtaken its request, and no other", () =>
    Effect.gen(function*() {
      const server = yield* serve(stateful((seen, response) => {
        if (seen.message.params?.name === "open") events(response).write(": here\n\n")
        else if (seen.message.method !== "tools/call") noStream(seen, response)
      }))
      const connection = yield* session(server.url)
      const cancel = (name: string) =>
        Effect.gen(function*() {
          const fiber = yield* fork(connection.request(JsonRpc.request(1, "tools/call", { name }), hearing()))
          const { message } = yield* server.until(({ message }) => message.params?.name === name)
          yield* Effect.sleep(50)
          yield* Fiber.interrupt(fiber)
          return message.id
        })
      const [open, silent] = [yield* cancel("open"), yield* cancel("silent")]
      const cancelled = () =>
        server.seen.filter(({ message }) => message.method === "notifications/cancelled")
          .map(({ message }) => message.params?.requestId)
      yield* eventually(() => cancelled().length === 3)
      assert.deepStrictEqual(cancelled(), [open, silent, silent])
    }).pipe(Effect.scoped, Effect.provide(clients[0][1])))

  it.live("MUST have one session in a connection: what would open another one names it", () =>
    Effect.gen(function*() {
      const server = yield* serve(stateful(noStream))
      const connection = yield* session(server.url)
      yield* connection.request(JsonRpc.request(2, "initialize", { protocolVersion: "2025-11-25" }), hearing())
      const second = server.seen.filter(({ message }) => message.method === "initialize")[1]
      assert.strictEqual(second?.headers["mcp-session-id"], "the-session")
    }).pipe(Effect.scoped, Effect.provide(clients[0][1])))

  it.live("MUST fail what it tells when the server does not accept it, or has forgotten the session", () =>
    Effect.gen(function*() {
      let status = 400
      const server = yield* serve(stateful((seen, response) => {
        if (seen.message.method === "notifications/roots/list_changed") response.writeHead(status).end()
        else noStream(seen, response)
      }))
      const connection = yield* session(server.url)
      const tell = Effect.flip(connection.notify(JsonRpc.notification("notifications/roots/list_changed")))
      assert.include((yield* tell).message, "status 400")
      status = 404
      const lost = yield* tell
      assert.deepStrictEqual([lost.reason, lost.processed], ["closed", "no"])
      assert.strictEqual((yield* connection.closed).reason, "closed")
    }).pipe(Effect.scoped, Effect.provide(clients[0][1])))
})

describe.each(clients)("what is said on the stream of a request, by %s", (_name, http) => {
  const progress = (token: unknown, progress: number) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: token, progress }
  })
  const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "hello" } }

  it.live("MUST go to that request, in order and under its own token, ahead of the response", () =>
    Effect.gen(function*() {
      const server = yield* serve((seen, response) => {
        const token = Meta.progressToken(seen.message.params)
        events(response).write(": comment\n\n" + event(progress(token, 1)) + event(log) + event(progress(token, 2)))
        response.end(event(result(seen, { done: true })))
      })
      const local = hearing()
      const connection = yield* connect(server.url, local)
      // Two callers that use the same ids.
      const backs = [hearing(), hearing()]
      const responses = yield* Effect.forEach(
        backs,
        (back) => connection.request(stateless(7, "tools/call", { name: "a", _meta: { progressToken: "mine" } }), back),
        { concurrency: 2 }
      )
      assert.deepStrictEqual(responses, [JsonRpc.success(7, { done: true }), JsonRpc.success(7, { done: true })])
      for (const { heard } of backs) {
        assert.deepStrictEqual(heard.map(({ method }) => method), [
          "notifications/progress",
          "notifications/message",
          "notifications/progress"
        ])
        assert.deepStrictEqual(heard[0]?.params, { progressToken: "mine", progress: 1 })
      }
      assert.deepStrictEqual(local.heard, [])
      const ids = server.seen.map(({ message }) => message.id)
      assert.notStrictEqual(ids[0], ids[1])
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST be answered by POST where it is a request, by the peer of the request it belongs to", () =>
    Effect.gen(function*() {
      let finish: (() => void) | undefined
      const server = yield* serve(stateful((seen, response) => {
        if (seen.message.method === "tools/call") {
          events(response).write(
            event({ jsonrpc: "2.0", id: "q1", method: "elicitation/create", params: { message: "?" } })
          )
          finish = () => response.end(event(result(seen, { done: true })))
          return
        }
        noStream(seen, response)
        if (seen.message.id === "q1") finish?.()
      }))
      const connection = yield* session(server.url)
      const back = hearing()
      const response = yield* connection.request(JsonRpc.request(1, "tools/call", { name: "ask" }), back)
      assert.deepStrictEqual(response, JsonRpc.success(1, { done: true }))
      assert.deepStrictEqual(back.asked.map(({ method }) => method), ["elicitation/create"])
      const answer = server.seen.find(({ message }) => message.id === "q1")
      assert.deepStrictEqual(answer?.message, { jsonrpc: "2.0", id: "q1", result: { answer: 42 } })
      assert.strictEqual(answer?.headers["mcp-session-id"], "the-session")
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST NOT be answered in the stateless era, where a server cannot ask", () =>
    Effect.gen(function*() {
      const server = yield* serve((seen, response) => {
        events(response).write(event({ jsonrpc: "2.0", id: "q1", method: "ping" }))
        response.end(event(result(seen, {})))
      })
      const connection = yield* connect(server.url)
      const back = hearing()
      yield* connection.request(stateless(1, "tools/call", { name: "ask" }), back)
      assert.deepStrictEqual([back.asked.length, server.seen.length], [0, 1])
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST NOT keep a caller from its response while the stream stays open", () =>
    Effect.gen(function*() {
      let closed = false
      const server = yield* serve((seen, response) => {
        response.on("close", () => closed = true)
        events(response).write(event(result(seen, { done: true })) + event(result(seen, { done: "again" })))
      })
      const connection = yield* connect(server.url)
      const response = yield* connection.request(stateless(1, "tools/call", { name: "a" }), hearing())
      assert.deepStrictEqual(response, JsonRpc.success(1, { done: true }))
      assert.isFalse(closed)
      yield* eventually(() => closed)
    }).pipe(Effect.scoped, Effect.provide(http)))
})

describe("a batch", () => {
  it.live("MUST be read in 2025-03-26", () =>
    Effect.gen(function*() {
      const server = yield* serve(stateful((seen, response) => {
        if (seen.message.method !== "tools/call") return noStream(seen, response)
        const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } }
        events(response).end(event([log, result(seen, { done: true })]))
      }, "2025-03-26"))
      const connection = yield* session(server.url)
      const back = hearing()
      const response = yield* connection.request(JsonRpc.request(1, "tools/call", { name: "a" }), back)
      assert.deepStrictEqual(response, JsonRpc.success(1, { done: true }))
      assert.strictEqual(back.heard.length, 1)
    }).pipe(Effect.scoped, Effect.provide(clients[0][1])))
})
