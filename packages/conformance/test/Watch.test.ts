import { assert, describe, it } from "@effect/vitest"
import * as McpClient from "@mcp-effect/client/McpClient"
import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import * as InMemory from "@mcp-effect/memory/InMemory"
import * as ScriptedPeer from "@mcp-effect/testing/ScriptedPeer"
import * as TransportContract from "@mcp-effect/testing/TransportContract"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Samples from "./samples.ts"

const reasons = (watch: WireSchema.Watch) => watch.violations.map(({ from, reason }) => `${from}: ${reason}`)

const initialize = (watch: WireSchema.Watch, protocolVersion: string) => {
  const [params, result] = Samples.requests.initialize ?? [{}, {}]
  watch.message("client", Samples.request("2025-11-25", "initialize", params))
  watch.message("server", { jsonrpc: "2.0", id: 1, result: { ...result, protocolVersion } })
  watch.message("client", Samples.notification("notifications/initialized"))
}

const audio = { content: [{ type: "audio", data: "YQ==", mimeType: "audio/wav" }] }

const call = (watch: WireSchema.Watch, id: unknown, result: unknown) => {
  watch.text("client", JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "a" } }))
  watch.text("server", JSON.stringify({ jsonrpc: "2.0", id, result }))
}

describe("a watch", () => {
  it("learns the revision that initialize agrees on", () => {
    for (const [revision, violations] of [["2024-11-05", 1], ["2025-11-25", 0]] as const) {
      const watch = WireSchema.watch()
      initialize(watch, revision)
      assert.deepStrictEqual(reasons(watch), [])
      call(watch, 2, audio)
      assert.strictEqual(watch.violations.length, violations, reasons(watch).join())
      assert.strictEqual(watch.count(), 5)
    }
  })

  it("takes a stateless request at its word, and its response with it", () => {
    const watch = WireSchema.watch()
    watch.message("client", Samples.request("2026-07-28", "tools/call"))
    watch.message("server", { jsonrpc: "2.0", id: 1, result: { content: [] } })
    assert.deepStrictEqual(watch.violations.map(({ revision }) => revision), ["2026-07-28"])
    assert.include(reasons(watch)[0], "resultType")
  })

  it("follows both eras on one connection", () => {
    const watch = WireSchema.watch()
    initialize(watch, "2025-06-18")
    call(watch, 7, { content: [] })
    const { params, ...request } = Samples.request("2026-07-28", "tools/call")
    const _meta = { ...Samples.meta, progressToken: "p" }
    watch.message("client", { ...request, params: { name: "a", _meta } })
    watch.message("server", Samples.notification("notifications/progress", { progressToken: "p", progress: 1 }))
    watch.message("server", Samples.response("2026-07-28", "tools/call"))
    call(watch, 8, { content: [] })
    assert.deepStrictEqual(reasons(watch), [])
    assert.isDefined(params)
  })

  it("takes the result types of extensions that it is told of, and no others", () => {
    for (const [resultTypes, count] of [[["working"], 0], [["other"], 1], [[], 1]] as const) {
      const watch = WireSchema.watch({ resultTypes })
      watch.message("client", Samples.request("2026-07-28", "tools/call"))
      watch.message("server", { jsonrpc: "2.0", id: 1, result: { resultType: "working", workId: "1" } })
      assert.lengthOf(watch.violations, count)
    }
  })

  it("finds requests by id, where 1 and \"1\" are two", () => {
    const watch = WireSchema.watch()
    initialize(watch, "2025-11-25")
    watch.message("client", Samples.request("2025-11-25", "tools/list"))
    watch.message("server", { jsonrpc: "2.0", id: "1", result: {} })
    assert.deepStrictEqual(reasons(watch), ["server: it answers no request"])
  })

  it("refuses a second answer, a batch and what is not JSON", () => {
    const watch = WireSchema.watch()
    initialize(watch, "2025-11-25")
    call(watch, 2, { content: [] })
    watch.text("server", JSON.stringify({ jsonrpc: "2.0", id: 2, result: { content: [] } }))
    watch.text("client", JSON.stringify([Samples.request("2025-11-25", "ping")]))
    watch.text("client", "{")
    assert.deepStrictEqual(reasons(watch), [
      "server: it answers no request",
      "client: only 2025-03-26 has batches",
      "client: it is not JSON"
    ])
  })

  it("reads the batches of 2025-03-26", () => {
    const watch = WireSchema.watch()
    initialize(watch, "2025-03-26")
    watch.text("client", JSON.stringify([Samples.request("2025-03-26", "tools/list"), { jsonrpc: "2.0", method: 1 }]))
    assert.strictEqual(watch.violations.length, 1)
  })
})

describe("a watched transport", () => {
  const client = McpClient.layer({ name: "client", version: "1.0.0", revisions: ["2025-11-25"] })
  const play = (result: object, allow?: () => boolean) =>
    Effect.flatMap(McpClient.McpClient, (mcp) => Effect.exit(mcp.listTools())).pipe(
      Effect.provide(Layer.provide(
        client,
        WireSchema.transport(
          ScriptedPeer.layer((server) =>
            Effect.gen(function*() {
              const opening = yield* server.expectRequest("initialize")
              yield* opening.succeed({ ...Samples.requests.initialize?.[1] })
              yield* server.expectNotification("notifications/initialized")
              const list = yield* server.expectRequest("tools/list")
              yield* list.succeed({ ...result })
            })
          ),
          allow === undefined ? {} : { allow }
        )
      )),
      Effect.exit
    )

  it.effect("dies at its end of what was wrong", () =>
    Effect.gen(function*() {
      assert.isTrue(Exit.isSuccess(yield* play({ tools: [] })))
      const exit = yield* play({ tools: [{ name: 1 }] })
      assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", "no ListToolsResult: /tools/0")
    }))

  it.effect("passes over what it is told to", () =>
    Effect.gen(function*() {
      assert.isTrue(Exit.isSuccess(yield* play({ tools: [{ name: 1 }] }, () => true)))
    }))
})

TransportContract.suite("memory, every message checked", WireSchema.transport(InMemory.layer))
