/** How long results may be kept, and by whom. */
import { assert, describe, it } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Caching from "@mcp-effect/server/Caching"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { serve, speak } from "./client.ts"
import { logged } from "./log.ts"

const Any = Tool.make("any", {})
const any = McpServer.tool(Any, () => Effect.succeed("done"))

const hintsOf = ({ cacheScope, ttlMs }: JsonRpc.Params) => ({ cacheScope, ttlMs })
const plain: Caching.Caching = Caching.make({})
const result = (value: JsonRpc.Params = {}) => ({ value, caching: undefined, key: undefined })

const cacheable = [
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read"
] as const

describe("caching hints", () => {
  it.effect("MUST be stale at once and private where nothing was said", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(any), "2026-07-28")
      for (const method of ["server/discover", "tools/list"]) {
        assert.deepStrictEqual(hintsOf(yield* client.result(method)), { cacheScope: "private", ttlMs: 0 })
      }
    }))

  it.effect("MUST be those of the server, and those of a method where it has its own", () =>
    Effect.gen(function*() {
      const server = yield* serve(any, {
        caching: { ttl: "1 minute", scope: "public", methods: { "tools/list": { ttl: Duration.seconds(1.0006) } } }
      })
      const client = yield* speak(server, "2026-07-28")
      assert.deepStrictEqual(hintsOf(yield* client.result("server/discover")), { cacheScope: "public", ttlMs: 60_000 })
      assert.deepStrictEqual(hintsOf(yield* client.result("tools/list")), { cacheScope: "public", ttlMs: 1000 })
    }))

  it("MUST be for the methods of the specification, and for no others", () => {
    const caching = Caching.make({ ttl: 5, scope: "public" })
    for (const method of cacheable) {
      assert.deepStrictEqual(caching(method, result()), { cacheScope: "public", ttlMs: 5 })
    }
    for (const method of ["tools/call", "prompts/get", "completion/complete", "ping", "constructor", ""]) {
      assert.isUndefined(caching(method, result()))
    }
  })

  it.effect("MUST NOT be on the results of other methods", () =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serve(any, { caching: { ttl: 5, scope: "public" } }), "2026-07-28")
      const called = yield* client.call("any")
      assert.notProperty(called, "ttlMs")
      assert.notProperty(called, "cacheScope")
    }))

  it.effect.each(Revisions.ofEra(Revisions.all, "stateful"))(
    "MUST NOT be in $name",
    ({ name }) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(any, { caching: { ttl: 5, scope: "public" } }), name)
        assert.sameMembers(Object.keys(yield* client.result("tools/list")), ["tools"])
      })
  )

  it.effect("MUST NOT be on a question to the client, and MUST be on what it ends with", () =>
    logged(() =>
      Effect.gen(function*() {
        const form = Elicitation.form({ message: "?", fields: { a: Schema.String } })
        const reads = McpServer.resource(
          Resource.make({ name: "x", uri: "test://x" }),
          () => Effect.as(ClientInput.elicit(form), "text")
        )
        const client = yield* speak(yield* serve(reads, { caching: { ttl: 5 } }), "2026-07-28", {
          elicitation: { form: {} }
        })
        const asked = yield* client.result("resources/read", { uri: "test://x" })
        assert.strictEqual(asked.resultType, "input_required")
        assert.notProperty(asked, "ttlMs")
        assert.notProperty(asked, "cacheScope")
        const [key] = Object.keys(asked.inputRequests as JsonRpc.Params)
        const read = yield* client.result("resources/read", {
          uri: "test://x",
          requestState: asked.requestState,
          inputResponses: { [String(key)]: { action: "decline" } }
        })
        assert.deepStrictEqual(hintsOf(read), { ttlMs: 5, cacheScope: "private" })
      })
    ))

  it("MUST be what a result says itself, if that is well-formed; what is for some only stays private", () => {
    const caching = Caching.make({ ttl: 5, scope: "public" })
    const of = (value: JsonRpc.Params, own?: { readonly cacheScope: "private" }) =>
      caching("tools/list", { value, caching: own, key: undefined })
    assert.deepStrictEqual(of({ ttlMs: 9, cacheScope: "private" }), { ttlMs: 9, cacheScope: "private" })
    assert.deepStrictEqual(of({ ttlMs: 0 }), { ttlMs: 0, cacheScope: "public" })
    for (const ttlMs of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "9", null]) {
      assert.deepStrictEqual(of({ ttlMs, cacheScope: "PUBLIC" }), { ttlMs: 5, cacheScope: "public" })
    }
    assert.deepStrictEqual(of({ cacheScope: "public" }, { cacheScope: "private" }), { ttlMs: 5, cacheScope: "private" })
    assert.deepStrictEqual(plain("tools/list", result({ cacheScope: "public" })), { ttlMs: 0, cacheScope: "public" })
  })

  it.prop(
    "MUST always be an integer that is not negative",
    [Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0), Schema.isLessThan(1e12))],
    ([ttl]) => {
      const hints = Caching.make({ ttl })("tools/list", result())
      assert.strictEqual(hints?.ttlMs, Math.floor(ttl))
    }
  )
})

describe("a duration that makes no sense", () => {
  const wrong: ReadonlyArray<unknown> = [
    -1,
    "-1 seconds",
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "Infinity",
    Duration.infinity,
    1e300,
    "soon",
    "",
    null,
    [1],
    true
  ]

  it.each(wrong)("MUST be refused with a TypeError that says where: %s", (ttl) => {
    const input = ttl as Duration.Input
    assert.throws(() => Caching.make({ ttl: input }), TypeError, "server/discover")
    assert.throws(() => Caching.make({ methods: { "resources/read": { ttl: input } } }), TypeError, "resources/read")
    assert.throws(() => Caching.written("the resource x", { ttl: input }), TypeError, "the resource x")
    assert.throws(() => McpServer.make({ name: "x", version: "1", caching: { ttl: input } }), TypeError)
  })

  it("MUST NOT be taken for one: nothing, and zero", () => {
    assert.deepStrictEqual(Caching.written("x", {}), {})
    assert.deepStrictEqual(Caching.written("x", { ttl: 0, scope: "public" }), { ttlMs: 0, cacheScope: "public" })
  })
})
