/** The rules of middleware: it sees who asks what in which revision, and has the last word. */
import { assert } from "@effect/vitest"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Middleware from "@mcp-effect/server/Middleware"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { texts } from "./texts.ts"

const SEEN = "com.example/seen"

let ran = 0
const features = Layer.mergeAll(
  McpServer.tool(Tool.make("echo", { input: { text: Schema.String } }), ({ text }) => Effect.succeed(text)),
  McpServer.tool(Tool.make("forbidden"), () => Effect.sync(() => void ran++))
)

/** Says in each result what it has seen of the request. */
const stamp = Middleware.make(
  "stamp",
  ({ method, principal, revision }, next) =>
    Effect.map(next(), (result) => Meta.assign(result, { [SEEN]: [method, revision.name, principal?.subject ?? null] }))
)

const nameOf = (params: { readonly name?: unknown }): unknown => params.name

const guard = Middleware.make(
  "guard",
  ({ params }, next) =>
    nameOf(params) === "forbidden" ? Effect.fail(new McpError.InvalidRequest({ message: "Forbidden" })) : next()
)

/** Adds its name to the text of every call. */
const around = (name: string) =>
  Middleware.make(
    name,
    ({ method }, next) =>
      method === "tools/call"
        ? Effect.map(next(), (result) => ({ content: [{ type: "text", text: `${name}(${texts(result).join()})` }] }))
        : next()
  )

const seen = (client: RawClient.RawClient, method: string, params = {}) =>
  Effect.map(client.result(method, params), (result) => Meta.of(result)?.[SEEN])

const requests = [
  ["tools/list", {}],
  ["tools/call", { name: "echo", arguments: { text: "x" } }]
] as const

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST show middleware the method and the revision of every request",
    features,
    options: { middleware: [stamp] },
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const pings = revision.methods.serverRequests.has("ping") ? [["ping", {}] as const] : []
        for (const [method, params] of [...requests, ...pings]) {
          assert.deepStrictEqual(yield* seen(client, method, params), [method, revision.name, null])
        }
      })
  },
  {
    name: "MUST show middleware who is calling",
    features,
    principals: true,
    options: { middleware: [stamp] },
    test: (revision, as) =>
      Effect.gen(function*() {
        for (const subject of ["ada", "bob"]) {
          yield* as(Principal.make({ subject }))(Effect.gen(function*() {
            const client = yield* RawClient.connect(revision.name)
            for (const [method, params] of requests) {
              assert.deepStrictEqual(yield* seen(client, method, params), [method, revision.name, subject])
            }
          }))
        }
      })
  },
  {
    name: "MUST send what middleware makes of a result, the first outermost",
    features,
    options: { middleware: [around("a"), around("b")] },
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const result = yield* client.result("tools/call", { name: "echo", arguments: { text: "x" } })
        assert.deepStrictEqual(texts(result), ["a(b(x))"])
      })
  },
  {
    name: "MUST answer with the error of middleware that refuses, run nothing, and go on",
    features,
    options: { middleware: [guard] },
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const error = yield* client.error("tools/call", { name: "forbidden" })
        assert.deepStrictEqual(error, { code: -32600, message: "Forbidden" })
        assert.strictEqual(ran, 0)
        const result = yield* client.result("tools/call", { name: "echo", arguments: { text: "x" } })
        assert.deepStrictEqual(texts(result), ["x"])
      })
  }
]
