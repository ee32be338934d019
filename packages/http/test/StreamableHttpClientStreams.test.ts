/** Streams that end, and how a client of a stateful revision comes back to them. */
import { assert, describe, it } from "@effect/vitest"
import { JsonRpc } from "@mcp-effect/protocol"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import {
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

const log = (data: unknown) => ({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } })

describe("the stream of a request that ends without its response", () => {
  it.live("MUST be resumed after its last event, no sooner than the server wants", () =>
    Effect.gen(function*() {
      let ended = 0
      let resumed = 0
      let id: unknown
      const server = yield* serve(stateful((seen, response) => {
        if (seen.message.method === "tools/call") {
          id = seen.message.id
          ended = performance.now()
          events(response).end("id: 1-0\ndata: \n\n" + event(log(1), "1-1") + "retry: 200\n\n")
        } else if (seen.headers["last-event-id"] === "1-1") {
          resumed = performance.now()
          events(response).end(event(log(2), "1-2"))
        } else if (seen.headers["last-event-id"] === "1-2") {
          events(response).end(event({ jsonrpc: "2.0", id, result: { done: true } }, "1-3"))
        } else noStream(seen, response)
      }))
      const connection = yield* session(server.url)
      const back = hearing()
      const response = yield* connection.request(JsonRpc.request(1, "tools/call", { name: "a" }), back)
      assert.deepStrictEqual(response, JsonRpc.success(1, { done: true }))
      assert.deepStrictEqual(back.heard.map(({ params }) => params?.data), [1, 2])
      assert.isAtLeast(resumed - ended, 190)
      const gets = server.seen.filter(({ headers }) => headers["last-event-id"] !== undefined)
      assert.deepStrictEqual(gets.map(({ headers }) => headers["mcp-session-id"]), ["the-session", "the-session"])
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

  it.live("MUST be resumed when the connection breaks, too", () =>
    Effect.gen(function*() {
      let id: unknown
      const server = yield* serve(stateful((seen, response) => {
        if (seen.message.method === "tools/call") {
          id = seen.message.id
          events(response).write("retry: 10\n\n" + event(log(1), "1-1"), () => response.destroy())
        } else if (seen.headers["last-event-id"] === "1-1") {
          events(response).end(event({ jsonrpc: "2.0", id, result: { done: true } }))
        } else noStream(seen, response)
      }))
      const connection = yield* session(server.url)
      const response = yield* connection.request(JsonRpc.request(1, "tools/call", { name: "a" }), hearing())
      assert.deepStrictEqual(response, JsonRpc.success(1, { done: true }))
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

  it.live("MUST fail at once where there is no event to come back to, or the server does not have it any more", () =>
    Effect.gen(function*() {
      const server = yield* serve(stateful((seen, response) => {
        if (seen.message.params?.name === "with id") events(response).end("retry: 10\n\n" + event(log(1), "1-1"))
        else if (seen.message.method === "tools/call") events(response).end(event(log(1)))
        else if (seen.headers["last-event-id"] !== undefined) response.writeHead(400).end()
        else noStream(seen, response)
      }))
      const connection = yield* session(server.url)
      const call = (name: string) =>
        Effect.flip(connection.request(JsonRpc.request(1, "tools/call", { name }), hearing()))
      const plain = yield* call("without id")
      assert.deepStrictEqual([plain.reason, plain.processed], ["closed", "unknown"])
      assert.include(plain.message, "gave no event id")
      const named = yield* call("with id")
      assert.strictEqual(named.processed, "unknown")
      assert.include(named.message, "status 400")
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

  it.live("MUST fail at once in the stateless era, which has no way back", () =>
    Effect.gen(function*() {
      const server = yield* serve((_seen, response) => void events(response).end(event(log(1), "1-1")))
      const connection = yield* connect(server.url)
      const error = yield* Effect.flip(connection.request(stateless(1, "tools/call", { name: "a" }), hearing()))
      assert.deepStrictEqual([error.reason, error.processed, server.seen.length], ["closed", "unknown", 1])
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))
})

describe("the stream that belongs to no request", () => {
  it.live("MUST be heard, answered, and resumed after its last event", () =>
    Effect.gen(function*() {
      let gets = 0
      const server = yield* serve(stateful((seen, response) => {
        if (seen.method !== "GET") return noStream(seen, response)
        if (++gets === 1) return void events(response).end("retry: 20\n\n" + event(log(1), "0-1"))
        events(response).write(event(log(2)) + event({ jsonrpc: "2.0", id: 5, method: "roots/list" }))
      }))
      const local = hearing()
      yield* session(server.url, local)
      const { message } = yield* server.until(({ message }) => message.id === 5 && "result" in message)
      assert.deepStrictEqual(message, { jsonrpc: "2.0", id: 5, result: { answer: 42 } })
      yield* eventually(() => local.heard.length === 2)
      assert.deepStrictEqual(local.heard.map(({ params }) => params?.data), [1, 2])
      const places = server.seen.filter(({ method }) => method === "GET").map(({ headers }) => headers["last-event-id"])
      assert.deepStrictEqual(places, [undefined, "0-1"])
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

  it.live("MUST hand what is tied to a request to that request", () =>
    Effect.gen(function*() {
      let say: ((text: string) => void) | undefined
      const server = yield* serve(stateful((seen, response) => {
        if (seen.method === "GET") {
          events(response)
          say = (text) => void response.write(text)
        } else if (seen.message.method === "tools/call") {
          const params = { progressToken: seen.message.id, progress: 1 }
          say?.(event({ jsonrpc: "2.0", method: "notifications/progress", params }))
          setTimeout(() => json(response, result(seen, {})), 50)
        } else noStream(seen, response)
      }))
      const local = hearing()
      const connection = yield* session(server.url, local)
      yield* eventually(() => say !== undefined)
      const back = hearing()
      yield* connection.request(JsonRpc.request(1, "tools/call", { name: "a", _meta: { progressToken: "mine" } }), back)
      assert.deepStrictEqual(back.heard.map(({ params }) => params?.progressToken), ["mine"])
      assert.deepStrictEqual(local.heard, [])
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

  it.live("MUST end with the connection", () =>
    Effect.gen(function*() {
      let closed = false
      const server = yield* serve(stateful((seen, response) => {
        if (seen.method !== "GET") return noStream(seen, response)
        events(response)
        response.on("close", () => closed = true)
      }))
      yield* Effect.scoped(Effect.andThen(session(server.url), server.until(({ method }) => method === "GET")))
      yield* eventually(() => closed)
      assert.strictEqual(server.seen.at(-1)?.method, "DELETE")
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))
})

describe("many streams at once", () => {
  it.live("MUST all be closed, those that were dropped and those that were not", () =>
    Effect.gen(function*() {
      let open = 0
      const server = yield* serve((seen, response) => {
        open++
        response.on("close", () => open--)
        events(response).write(event(log(1)))
        if (seen.message.params?.name === "short") setTimeout(() => response.end(event(result(seen, {}))), 20)
      })
      const connection = yield* connect(server.url)
      const call = (name: string) => connection.request(stateless(1, "tools/call", { name }), hearing())
      const dropped = yield* Effect.forEach(Array.from({ length: 100 }), () => fork(call("long")))
      const responses = yield* Effect.forEach(Array.from({ length: 100 }), () => call("short"), { concurrency: 100 })
      assert.strictEqual(responses.length, 100)
      yield* eventually(() => server.seen.length === 200)
      yield* Fiber.interruptAll(dropped)
      yield* eventually(() => open === 0)
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))
})
