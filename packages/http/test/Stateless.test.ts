/** Requests of the stateless era as HTTP sees them: headers that mirror the body, statuses, and when a reply is a stream. */
import { assert, describe, it } from "@effect/vitest"
import { MirroredParameters, Tool } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as H from "./harness.ts"
import * as Tools from "./sessionTools.ts"
import * as Sse from "./sse.ts"

const revision = "2026-07-28"

interface Asked {
  readonly method: string
  readonly params?: H.Json
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly meta?: H.Json
}

/** A request with the headers that mirror it, unless others are given. */
const ask = (server: H.Server, { headers = {}, meta = {}, method, params = {} }: Asked) => {
  const name = params.name ?? params.uri
  const all = {
    "mcp-protocol-version": revision,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
    ...headers
  }
  const given = Object.entries(all).flatMap(([key, value]) => value === undefined ? [] : [[key, value] as const])
  return server.post(
    { jsonrpc: "2.0", id: 7, method, params: { ...params, _meta: { ...Sse.stateless, ...meta } } },
    Object.fromEntries(given)
  )
}

const call = (
  server: H.Server,
  name: string,
  more: Omit<Asked, "method" | "params"> & { readonly args?: H.Json } = {}
) => ask(server, { method: "tools/call", params: { name, arguments: more.args ?? {} }, ...more })

const errorOf = (body: H.Json) => body.error as { readonly code: number; readonly message: string }

const Region = McpServer.tool(
  Tool.make("region", { input: { region: Schema.String.annotate({ [MirroredParameters.KEYWORD]: "Region" }) } }),
  ({ region }) => Effect.succeed(region)
)

describe("the headers of a request", () => {
  it.effect.each([
    { header: "mcp-protocol-version", value: undefined },
    { header: "mcp-protocol-version", value: "2025-11-25" },
    { header: "mcp-method", value: undefined },
    { header: "mcp-method", value: "tools/list" },
    { header: "mcp-name", value: undefined },
    { header: "mcp-name", value: "other" },
    { header: "mcp-name", value: "=?base64?!?=" }
  ])("MUST say what the body says: 400 and -32020 for $header: $value", ({ header, value }) =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.now)
      const opened = yield* call(server, "now", { headers: { [header]: value } })
      assert.strictEqual(opened.status, 400)
      const body = yield* opened.json
      assert.deepStrictEqual([body.id, errorOf(body).code], [7, -32020])
      assert.include(errorOf(body).message.toLowerCase(), header)
    }))

  it.effect("MUST say the parameters that a tool wants to be said, in Base64 where need be", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Region)
      const args = { region: "Zürich" }
      const encoded = `=?base64?${Buffer.from("Zürich").toString("base64")}?=`
      for (const [value, status] of [[undefined, 400], ["Zurich", 400], [encoded, 200]] as const) {
        const opened = yield* call(server, "region", { args, headers: { "mcp-param-region": value } })
        assert.strictEqual(opened.status, status)
        const body = yield* opened.json
        if (status === 200) assert.strictEqual(H.textOf(body), "Zürich")
        else assert.include(errorOf(body).message, "mcp-param-region")
      }
    }))
})

describe("the status of a reply", () => {
  it.effect("MUST be 404 for a method that does not exist, 400 for a revision or a capability that is not there", () =>
    Effect.gen(function*() {
      const needy = McpServer.tool(Tool.make("needy", { needs: { sampling: {} } }), () => Effect.succeed("never"))
      const server = yield* H.serve(needy)
      const cases = [
        { asked: { method: "example/unknown" }, status: 404, code: -32601 },
        { asked: { method: "initialize" }, status: 404, code: -32601 },
        {
          asked: {
            method: "tools/list",
            headers: { "mcp-protocol-version": "2099-01-01" },
            meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" }
          },
          status: 400,
          code: -32022
        },
        { asked: { method: "tools/call", params: { name: "needy" } }, status: 400, code: -32021 }
      ]
      for (const { asked, code, status } of cases) {
        const opened = yield* ask(server, asked)
        const body = yield* opened.json
        assert.deepStrictEqual([opened.status, errorOf(body).code, body.id], [status, code, 7])
      }
    }))

  it.effect("MUST be 200 for what a handler answers, its errors included", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.now)
      const unknown = yield* call(server, "unknown")
      assert.deepStrictEqual([unknown.status, errorOf(yield* unknown.json).code], [200, -32602])
      const now = yield* call(server, "now")
      assert.deepStrictEqual([now.status, H.textOf(yield* now.json)], [200, "now"])
      assert.isNull(now.response.headers.get("mcp-session-id"))
    }))

  it.effect("MUST be 400 for a request that lacks its version or its client's capabilities, or comes in a batch", () =>
    Effect.gen(function*() {
      const server = yield* H.serve(Tools.now)
      const headers = { "mcp-protocol-version": revision, "mcp-method": "tools/list" }
      const list = { jsonrpc: "2.0", id: 7, method: "tools/list" }
      const versionOnly = { params: { _meta: { "io.modelcontextprotocol/protocolVersion": revision } } }
      for (const message of [list, { ...list, ...versionOnly }, [list]]) {
        assert.strictEqual((yield* server.post(message, headers)).status, 400)
      }
    }))
})

describe("a reply", () => {
  it.effect("MUST be one JSON object while there is nothing else to say, and an event stream from the first notification", () =>
    Effect.gen(function*() {
      const { release, tool } = Tools.held()
      const server = yield* H.serve(Layer.merge(tool, Tools.now))
      assert.isFalse((yield* call(server, "now", { meta: { progressToken: "t" } })).isStream)
      const opened = yield* call(server, "held", { meta: { progressToken: "t" } })
      assert.isTrue(opened.isStream)
      assert.strictEqual(opened.response.headers.get("x-accel-buffering"), "no")
      // The first event is there while the handler runs.
      assert.deepStrictEqual((yield* opened.message).method, "notifications/progress")
      yield* release
      const rest = yield* opened.remaining
      assert.deepStrictEqual(rest.map(({ id, method }) => id ?? method), ["notifications/progress", 7])
      assert.deepStrictEqual(opened.ids, [])
    }))

  it.effect("MUST be an event stream when a heartbeat falls due before it, with a comment for each", () =>
    Effect.gen(function*() {
      const slow = McpServer.tool(Tool.make("slow"), () => Effect.as(Effect.sleep("40 seconds"), "slow"))
      const server = yield* H.serve(slow)
      const calling = yield* Effect.forkChild(call(server, "slow"))
      yield* H.settle
      yield* H.pass("14 seconds")
      assert.isUndefined(calling.pollUnsafe())
      yield* H.pass("1 second")
      const opened = yield* Fiber.join(calling)
      assert.isTrue(opened.isStream)
      const reply = yield* Effect.forkChild(opened.message)
      yield* H.pass("15 seconds")
      yield* H.pass("10 seconds")
      assert.strictEqual(H.textOf(yield* Fiber.join(reply)), "slow")
      assert.isAtLeast(opened.comments.length, 1)
    }))
})

describe("a client that goes", () => {
  it.effect("MUST have its handler interrupted, whether there was a stream or not", () =>
    Effect.gen(function*() {
      for (const token of ["t", undefined]) {
        const { seen, tool } = Tools.held()
        const server = yield* H.serve(tool)
        const meta = token === undefined ? {} : { progressToken: token }
        const calling = yield* Effect.forkChild(call(server, "held", { meta }))
        yield* H.settle
        assert.strictEqual(seen.started, 1)
        if (token === undefined) yield* Fiber.interrupt(calling)
        else yield* (yield* Fiber.join(calling)).drop
        yield* H.settle
        assert.deepStrictEqual(seen, { started: 1, interrupted: 1, ended: 1 })
      }
    }))
})

describe("subscriptions/listen", () => {
  it.effect("MUST be acknowledged, kept alive with comments, told of changes, and end with the server", () =>
    Effect.gen(function*() {
      const added = yield* Deferred.make<void>()
      const later = Layer.effectDiscard(Effect.forkScoped(Effect.andThen(
        Deferred.await(added),
        McpServer.addTool(Tool.make("later"), () => Effect.succeed("later"))
      )))
      const server = yield* H.serve(Layer.merge(Tools.now, later))
      const opened = yield* ask(server, {
        method: "subscriptions/listen",
        params: { notifications: { toolsListChanged: true } }
      })
      assert.isTrue(opened.isStream)
      assert.strictEqual((yield* opened.message).method, "notifications/subscriptions/acknowledged")
      const change = yield* Effect.forkChild(opened.message)
      yield* H.pass("15 seconds")
      yield* H.pass("15 seconds")
      yield* Deferred.succeed(added, undefined)
      yield* H.pass("1 second")
      assert.strictEqual((yield* Fiber.join(change)).method, "notifications/tools/list_changed")
      assert.isAtLeast(opened.comments.length, 1)
    }))
})

describe("as many requests as may be in flight", () => {
  it.effect("MUST NOT be exceeded: 503 with Retry-After", () =>
    Effect.gen(function*() {
      const { release, tool } = Tools.held()
      const server = yield* H.serve(tool, { limits: { inFlight: 2 } })
      const first = yield* call(server, "held", { meta: { progressToken: "t" } })
      const second = yield* call(server, "held", { meta: { progressToken: "t" } })
      const third = yield* call(server, "held", { meta: { progressToken: "t" } })
      assert.deepStrictEqual([third.status, third.response.headers.get("retry-after")], [503, "1"])
      yield* release
      for (const opened of [first, second]) assert.strictEqual((yield* opened.remaining).at(-1)?.id, 7)
    }))
})

describe("progress", () => {
  it.effect("MUST NOT be said to who did not ask for it", () =>
    Effect.gen(function*() {
      const steps = McpServer.tool(Tool.make("steps"), () =>
        Stream.concat(Stream.make(Tool.progress({ progress: 1 })), Stream.make(Tool.part("done"))))
      const server = yield* H.serve(steps)
      const opened = yield* call(server, "steps")
      assert.isFalse(opened.isStream)
      assert.strictEqual(H.textOf(yield* opened.json), "done")
    }))
})
