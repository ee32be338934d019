/** What goes wrong over HTTP, and what a client says of it. */
import { assert, describe, it } from "@effect/vitest"
import { JsonRpc, Limits } from "@mcp-effect/protocol"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import {
  clients,
  connect,
  event,
  events,
  type Handler,
  hearing,
  json,
  noStream,
  result,
  serve,
  session,
  stateful,
  stateless
} from "./scripted.ts"

const SECRET = "Bearer s3cr3t-t0k3n"

/** The error of one request to a server. */
const errorOf = (handler: Handler) =>
  Effect.gen(function*() {
    const server = yield* serve(handler)
    const connection = yield* connect(`${server.url}?key=s3cr3t-key`, hearing(), { authorization: SECRET })
    const error = yield* Effect.flip(connection.request(stateless(1, "tools/call", { name: "a" }), hearing()))
    assert.notInclude(error.message, "s3cr3t")
    return error
  }).pipe(Effect.scoped)

describe.each(clients)("an error over HTTP, by %s", (_name, http) => {
  it.live.each(
    [
      [401, "refused", "no", "credentials"],
      [403, "refused", "no", "access is denied"],
      [404, "refused", "no", "no MCP endpoint"],
      [405, "refused", "no", "does not take the method"],
      [413, "too large", "no", "too large"],
      [429, "refused", "no", "Retry-After: 7"],
      [500, "refused", "unknown", "the server failed"],
      [503, "refused", "unknown", "not available"]
    ] as const
  )("MUST say what status %d means", ([status, reason, processed, words]) =>
    Effect.gen(function*() {
      const error = yield* errorOf((seen, response) => {
        response.writeHead(status, { "content-type": "text/plain", "retry-after": "7" })
        response.end(`It was ${seen.headers.authorization} that I did not like`)
      })
      assert.deepStrictEqual([error.reason, error.processed], [reason, processed])
      assert.include(error.message, `status ${status}`)
      assert.include(error.message, words)
      assert.include(error.message, "that I did not like")
    }).pipe(Effect.provide(http)))

  it.live.each([400, 404, 401, 500])(
    "MUST give the JSON-RPC error that came with status %d",
    (status) =>
      Effect.gen(function*() {
        const error = { code: -32022, message: "Unsupported protocol version", data: { supported: ["2025-11-25"] } }
        const server = yield* serve((_seen, response) => json(response, { jsonrpc: "2.0", id: null, error }, status))
        const connection = yield* connect(server.url)
        const response = yield* connection.request(stateless("mine", "server/discover"), hearing())
        assert.deepStrictEqual(response, JsonRpc.failure("mine", error))
      }).pipe(Effect.scoped, Effect.provide(http))
  )

  it.live("MUST be that of what is no reply", () =>
    Effect.gen(function*() {
      const accepted = yield* errorOf((_seen, response) => void response.writeHead(202).end())
      assert.deepStrictEqual([accepted.reason, accepted.processed], ["malformed", "unknown"])
      assert.include(accepted.message, "202")
      const page = yield* errorOf((_seen, response) =>
        void response.writeHead(200, { "content-type": "text/html" }).end("<html>")
      )
      assert.strictEqual(page.reason, "malformed")
      assert.include(page.message, "text/html")
      const noise = yield* errorOf((_seen, response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end("{")
      )
      assert.strictEqual(noise.reason, "malformed")
      assert.include(noise.message, "not valid JSON")
      const other = yield* errorOf((_seen, response) => json(response, { jsonrpc: "2.0", id: 99, result: {} }))
      assert.strictEqual(other.reason, "malformed")
      assert.include(other.message, "does not answer the request")
      const wrong = yield* errorOf((seen, response) =>
        json(response, { jsonrpc: "2.0", id: seen.message.id, result: 1 })
      )
      assert.strictEqual(wrong.reason, "malformed")
      assert.include(wrong.message, "\"result\" must be an object")
    }).pipe(Effect.provide(http)))

  it.live("MUST be `refused`, and say that nothing was processed, when nobody listens", () =>
    Effect.gen(function*() {
      const { url } = yield* Effect.scoped(serve(noStream))
      const connection = yield* connect(url)
      const error = yield* Effect.flip(connection.request(stateless(1, "tools/list"), hearing()))
      assert.deepStrictEqual([error.reason, error.processed], ["refused", "no"])
      assert.include(error.message, "could not be reached: ECONNREFUSED")
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST be `closed` when the connection breaks before or in the middle of the response", () =>
    Effect.gen(function*() {
      const before = yield* errorOf((_seen, response) => void response.destroy())
      assert.deepStrictEqual([before.reason, before.processed], ["closed", "unknown"])
      const within = yield* errorOf((_seen, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "100" })
        response.write("{\"jsonrpc\"", () => response.destroy())
      })
      assert.deepStrictEqual([within.reason, within.processed], ["closed", "unknown"])
      const stream = yield* errorOf((_seen, response) =>
        void events(response).write("data: {", () => response.destroy())
      )
      assert.deepStrictEqual([stream.reason, stream.processed], ["closed", "unknown"])
    }).pipe(Effect.provide(http)))

  it.live("MUST be `too large` for a reply over the limit, whichever form it has", () =>
    Effect.gen(function*() {
      const large = "x".repeat(200_000)
      const bodies: ReadonlyArray<Handler> = [
        (seen, response) => {
          const text = JSON.stringify(result(seen, { large }))
          response.writeHead(200, { "content-type": "application/json", "content-length": text.length }).end(text)
        },
        (seen, response) => json(response, result(seen, { large })),
        (seen, response) => void events(response).end(event(result(seen, { large })))
      ]
      for (const body of bodies) assert.strictEqual((yield* errorOf(body)).reason, "too large")
    }).pipe(Effect.provideService(Limits.Limits, { ...Limits.defaults, messageBytes: 100_000 }), Effect.provide(http)))
})

describe.each(clients)("a redirect, by %s", (_name, http) => {
  it.live("MUST be followed within the origin, with the message", () =>
    Effect.gen(function*() {
      const server = yield* serve((seen, response) =>
        seen.path === "/mcp"
          ? void response.writeHead(307, { location: "/mcp/" }).end()
          : json(response, result(seen, { path: seen.path, key: seen.headers["x-key"] }))
      )
      const connection = yield* connect(server.url, hearing(), { "x-key": "value" })
      const response = yield* connection.request(stateless(1, "tools/list"), hearing())
      assert.deepStrictEqual(response, JsonRpc.success(1, { path: "/mcp/", key: "value" }))
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.live("MUST NOT be followed to another origin, nor where it would drop the message", () =>
    Effect.gen(function*() {
      const other = yield* serve(noStream)
      const away = yield* errorOf((_seen, response) => void response.writeHead(307, { location: other.url }).end())
      assert.deepStrictEqual([away.reason, away.processed], ["refused", "no"])
      assert.include(away.message, `redirects to ${new URL(other.url).origin} (status 307), another origin`)
      assert.deepStrictEqual(other.seen, [])
      const found = yield* errorOf((_seen, response) => void response.writeHead(302, { location: "/other" }).end())
      assert.include(found.message, "would not repeat a POST")
      const endless = yield* errorOf((_seen, response) => void response.writeHead(307, { location: "/mcp" }).end())
      assert.include(endless.message, "too many times")
    }).pipe(Effect.scoped, Effect.provide(http)))
})

describe("`fetch`", () => {
  it.live("MUST keep what it was told where it was made", () =>
    Effect.gen(function*() {
      const server = yield* serve((seen, response) => json(response, result(seen, { told: seen.headers["x-told"] })))
      const connection = yield* connect(server.url)
      const response = yield* connection.request(stateless(1, "tools/list"), hearing())
      assert.deepStrictEqual(response, JsonRpc.success(1, { told: "yes" }))
    }).pipe(
      Effect.scoped,
      Effect.provide(Layer.provide(
        FetchHttpClient.layer,
        Layer.succeed(FetchHttpClient.RequestInit, { headers: { "x-told": "yes" } })
      ))
    ))
})

describe("a session that the server has forgotten", () => {
  it.live("MUST end the connection: the request was not processed, of others that is unknown", () =>
    Effect.gen(function*() {
      const server = yield* serve(stateful((seen, response) => {
        if (seen.message.params?.name === "late") {
          json(response, { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }, 404)
        } else if (seen.message.method === "tools/call") events(response)
        else noStream(seen, response)
      }))
      const connection = yield* session(server.url)
      const call = (name: string) =>
        Effect.flip(connection.request(JsonRpc.request(1, "tools/call", { name }), hearing()))
      const [open, late] = yield* Effect.all([
        call("open"),
        Effect.andThen(server.until(({ message }) => message.params?.name === "open"), call("late"))
      ], { concurrency: 2 })
      assert.deepStrictEqual([late.reason, late.processed], ["closed", "no"])
      assert.deepStrictEqual([open.reason, open.processed], ["closed", "unknown"])
      assert.strictEqual((yield* connection.closed).reason, "closed")
      const next = yield* call("next")
      assert.deepStrictEqual([next.reason, next.processed], ["closed", "no"])
      const told = yield* Effect.flip(connection.notify(JsonRpc.notification("notifications/roots/list_changed")))
      assert.deepStrictEqual([told.reason, told.processed], ["closed", "no"])
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))
})

describe("connecting", () => {
  it.effect.each(
    [
      ["ftp://example.com/mcp", {}, "must begin with http"],
      ["not a URL", {}, "must begin with http"],
      ["http://ann:s3cr3t@example.com/mcp", {}, "must hold no credentials"],
      ["http://example.com/mcp", { "x-key": "s3cr3t\n" }, "The header x-key has a value"],
      ["http://example.com/mcp", { "x key": "s3cr3t" }, "\"x key\" cannot be the name"]
    ] as const
  )("MUST refuse %s %o", ([url, headers, words]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(connect(url, hearing(), headers))
      assert.deepStrictEqual([error.reason, error.processed], ["refused", "no"])
      assert.include(error.message, words)
      assert.notInclude(error.message, "s3cr3t")
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))
})
