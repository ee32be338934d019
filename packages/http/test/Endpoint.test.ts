/** What is wrong with an HTTP request as such, whatever it asks for. */
import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"

const json = { "content-type": "application/json" }
const both = "application/json, text/event-stream"
const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })

const errorOf = (body: H.Json) => body.error as { readonly code: number; readonly message: string }

describe("the method of a request", () => {
  it.effect("MUST be GET, POST or DELETE: 405, which says so", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.now)
      for (const method of ["PUT", "PATCH", "OPTIONS"]) {
        const { response, status } = yield* server.send(method, { ...json, accept: both })
        assert.deepStrictEqual([status, response.headers.get("allow")], [405, "GET, POST, DELETE"])
      }
    }))

  it.effect("MUST be POST where there are no sessions: 405, which says so", () =>
    Effect.gen(function*() {
      for (const options of [{ http: { sessions: false } }, { server: { revisions: ["2026-07-28"] } }] as const) {
        const server = yield* H.serve(Tools.now, options)
        for (const method of ["GET", "DELETE"]) {
          const { response, status } = yield* server.send(method, { accept: "text/event-stream" })
          assert.deepStrictEqual([status, response.headers.get("allow")], [405, "POST"])
        }
      }
    }))
})

describe("the headers of a POST", () => {
  it.effect.each([undefined, "text/plain", "application/jsonp", "application/x-www-form-urlencoded"])(
    "MUST say that the body is JSON: 415 for %s",
    (type) =>
      Effect.gen(function*() {
        const server = yield* H.serve(Tools.now)
        const headers = { accept: both, ...(type === undefined ? {} : { "content-type": type }) }
        const opened = yield* server.send("POST", headers, ping)
        assert.strictEqual(opened.status, 415)
        assert.include(errorOf(yield* opened.json).message, "application/json")
      })
  )

  it.effect.each(["application/json; charset=utf-8", "Application/JSON"])(
    "may say it as %s",
    (type) =>
      Effect.gen(function*() {
        const server = yield* H.serve(Tools.now)
        const body = JSON.stringify(H.initialize("2025-11-25"))
        assert.strictEqual((yield* server.send("POST", { "content-type": type, accept: both }, body)).status, 200)
      })
  )

  it.effect.each(["application/json", "text/event-stream", "text/html", ""])(
    "MUST accept both kinds of reply: 406 for %j",
    (accept) =>
      Effect.gen(function*() {
        const server = yield* H.serve(Tools.now)
        const opened = yield* server.send("POST", { ...json, accept }, ping)
        assert.strictEqual(opened.status, 406)
        assert.include(errorOf(yield* opened.json).message, "text/event-stream")
      })
  )

  it.effect.each(["*/*", "text/*, application/*", "text/event-stream;q=0.5, application/json;q=0.9"])(
    "may accept them as %s",
    (accept) =>
      Effect.gen(function*() {
        const server = yield* H.serve(Tools.now)
        const body = JSON.stringify(H.initialize("2025-11-25"))
        assert.strictEqual((yield* server.send("POST", { ...json, accept }, body)).status, 200)
      })
  )

  it.effect("of a GET MUST accept an event stream: 406", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.now)
      const client = yield* server.open()
      assert.strictEqual((yield* client.listen(undefined, { accept: "application/json" })).status, 406)
    }))
})

describe("where a request comes from", () => {
  it.effect("MUST be allowed before anything else is looked at: 403, with a log line", () =>
    H.logged((lines) =>
      Effect.gen(function*() {
        const server = yield* H.serve(Tools.now)
        for (const headers of [{ host: "evil.example.com" }, { origin: "http://evil.example.com" }]) {
          for (const method of ["GET", "POST", "DELETE", "PUT"]) {
            const opened = yield* server.send(method, headers)
            assert.strictEqual(opened.status, 403)
            assert.include(errorOf(yield* opened.json).message, "evil.example.com")
          }
        }
        assert.strictEqual(lines.filter((line) => line.startsWith("Refused a request")).length, 8)
      })
    ))

  it.effect("may be what the server is told to be reached by", () =>
    Effect.gen(function*() {
      const http = { allowedHosts: ["mcp.example.com"], allowedOrigins: ["https://app.example.com"] }
      const server = yield* H.serve(Tools.now, { http })
      const initialize = H.initialize("2025-11-25")
      const headers = { host: "mcp.example.com", origin: "https://app.example.com" }
      assert.strictEqual((yield* server.post(initialize, headers)).status, 200)
      assert.strictEqual((yield* server.post(initialize, { host: "localhost" })).status, 403)
    }))
})

describe("the body of a POST", () => {
  it.effect.each(["", "{", "[]", "\"text\"", "{\"jsonrpc\":\"2.0\"}", "{\"id\":1,\"method\":7}"])(
    "MUST be a message: 400 for %s",
    (body) =>
      Effect.gen(function*() {
        const server = yield* H.serve(Tools.now)
        const opened = yield* server.post(body)
        assert.strictEqual(opened.status, 400)
        assert.include([-32700, -32600], errorOf(yield* opened.json).code)
      })
  )

  it.effect("MUST NOT be larger than the limit: 413", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.now, { limits: { messageBytes: 1000 } })
      const opened = yield* server.post(H.call(1, "now", { args: { text: "x".repeat(1000) } }))
      assert.strictEqual(opened.status, 413)
      assert.include(errorOf(yield* opened.json).message, "1000")
    }))
})

describe("two servers of one program", () => {
  it.effect("MUST each be told what it offers", () =>
    Effect.gen(function*() {
      const one = yield* H.serve(McpServer.tool(Tool.make("one"), () => Effect.succeed("one")))
      const two = yield* H.serve(McpServer.tool(Tool.make("two"), () => Effect.succeed("two")))
      assert.strictEqual(yield* (yield* one.open()).text("one"), "one")
      assert.strictEqual(yield* (yield* two.open()).text("two"), "two")
    }))
})
