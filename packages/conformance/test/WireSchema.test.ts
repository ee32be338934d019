import { assert, describe, it } from "@effect/vitest"
import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Definitions from "../src/internal/definitions.ts"
import * as Samples from "./samples.ts"

const SIDES: ReadonlyArray<WireSchema.Side> = ["client", "server"]
const other = { client: "server", server: "client" } as const

const COUNTS = {
  "2024-11-05": [13, 3, 4, 7],
  "2025-03-26": [13, 3, 4, 7],
  "2025-06-18": [13, 4, 4, 7],
  "2025-11-25": [17, 8, 5, 9],
  "2026-07-28": [10, 0, 1, 8]
}

for (const revision of Revisions.names) {
  const { notifications, requests } = Definitions.of(revision)

  describe(`the schema of ${revision}`, () => {
    it("has as many methods as its specification", () =>
      assert.deepStrictEqual(
        [requests.client.size, requests.server.size, notifications.client.size, notifications.server.size],
        COUNTS[revision]
      ))

    for (const side of SIDES) {
      for (const method of requests[side].keys()) {
        it(`accepts ${method} of the ${side}, and its result`, () => {
          const request = Samples.request(revision, method)
          assert.strictEqual(WireSchema.check(revision, side, request), undefined)
          const response = Samples.response(revision, method)
          assert.strictEqual(WireSchema.check(revision, other[side], response, { method }), undefined)
        })

        it(`refuses ${method} of the ${side} without an id, and with parameters that are no object`, () => {
          const { id: _, ...request } = Samples.request(revision, method)
          assert.include(WireSchema.check(revision, side, request), "needs an id")
          assert.isDefined(WireSchema.check(revision, side, { ...request, id: 1, params: [] }))
        })

        // Sound as a test only where something is required: an empty result, and a task's, may be anything.
        if (requests[side].get(method)?.result === "EmptyResult" || method === "tasks/result") continue
        it(`refuses an empty result of ${method}`, () => {
          const response = { jsonrpc: "2.0", id: 1, result: {} }
          assert.include(WireSchema.check(revision, other[side], response, { method }), "required property")
        })
      }

      for (const method of notifications[side].keys()) {
        it(`accepts ${method} of the ${side}, and refuses it with an id`, () => {
          const notification = Samples.notification(method)
          assert.strictEqual(WireSchema.check(revision, side, notification), undefined)
          assert.include(WireSchema.check(revision, side, { ...notification, id: 1 }), "has no id")
        })
      }
    }

    it("refuses what is no message, and what the other side says", () => {
      for (const message of [[], "a", null, {}, { jsonrpc: "2.0", id: 1 }]) {
        assert.isDefined(WireSchema.check(revision, "client", message))
      }
      assert.include(
        WireSchema.check(revision, "server", Samples.request(revision, "tools/call")),
        "nothing that a server"
      )
    })

    it("checks the envelope of a method that no revision has", () => {
      assert.strictEqual(WireSchema.check(revision, "server", { jsonrpc: "2.0", method: "x/y" }), undefined)
      assert.isDefined(WireSchema.check(revision, "server", { method: "x/y" }))
    })

    it("refuses an error without a message", () => {
      const error = (error: unknown) => WireSchema.check(revision, "server", { jsonrpc: "2.0", id: 1, error })
      assert.strictEqual(error({ code: -32601, message: "No" }), undefined)
      assert.include(error({ code: -32601 }), "message")
    })
  })
}

it("tells where a message is wrong", () => {
  const result = { content: [{ type: "text" }] }
  const message = WireSchema.check("2025-06-18", "server", { jsonrpc: "2.0", id: 1, result }, { method: "tools/call" })
  assert.include(message, "2025-06-18: no CallToolResult: /content/0 must have required property 'text'")
})

it("knows what came with 2025-03-26", () => {
  const content = [{ type: "audio", data: "YQ==", mimeType: "audio/wav" }]
  const audio = (revision: "2024-11-05" | "2025-03-26") =>
    WireSchema.check(revision, "server", { jsonrpc: "2.0", id: 1, result: { content } }, { method: "tools/call" })
  assert.isDefined(audio("2024-11-05"))
  assert.strictEqual(audio("2025-03-26"), undefined)
})

it("takes numbers as the bounds of a number", () => {
  const requestedSchema = { type: "object", properties: { x: { type: "number", minimum: 0.5, maximum: 1.5 } } }
  const params = { message: "x", requestedSchema }
  for (const revision of ["2025-06-18", "2025-11-25"] as const) {
    assert.strictEqual(
      WireSchema.check(revision, "server", Samples.request(revision, "elicitation/create", params)),
      undefined
    )
  }
})

it("takes any number that a user enters", () => {
  for (const revision of ["2025-06-18", "2025-11-25"] as const) {
    const answer = (content: object) =>
      WireSchema.check(
        revision,
        "client",
        { jsonrpc: "2.0", id: 1, result: { action: "accept", content } },
        { method: "elicitation/create" }
      )
    assert.strictEqual(answer({ height: 1.65, age: 36 }), undefined)
    assert.isDefined(answer({ height: null }))
  }
  const inputResponses = { height: { action: "accept", content: { height: 1.65 } } }
  const again = { name: "a", inputResponses }
  assert.strictEqual(
    WireSchema.check("2026-07-28", "client", Samples.request("2026-07-28", "tools/call", again)),
    undefined
  )
})

it("takes input_required only where a method may ask for input", () => {
  const result = { resultType: "input_required", requestState: "a" }
  const to = (method: string) => WireSchema.check("2026-07-28", "server", { jsonrpc: "2.0", id: 1, result }, { method })
  assert.strictEqual(to("tools/call"), undefined)
  assert.include(to("tools/list"), "cannot be answered with")
})

it("takes the result types of extensions that it is told of, as results of any method", () => {
  const answer = (
    result: object,
    resultTypes?: ReadonlyArray<string>,
    revision: "2026-07-28" | "2025-11-25" = "2026-07-28"
  ) =>
    WireSchema.check(
      revision,
      "server",
      { jsonrpc: "2.0", id: 1, result },
      { method: "tools/call" },
      resultTypes === undefined ? {} : { resultTypes }
    )
  const working = { resultType: "working", workId: "1" }
  assert.include(answer(working), "no CallToolResult")
  assert.include(answer(working, ["other"]), "no CallToolResult")
  assert.strictEqual(answer(working, ["working"]), undefined)
  assert.strictEqual(answer(working, ["working"], "2025-11-25"), undefined)
  assert.include(answer({ ...working, _meta: 1 }, ["working"]), "/result/_meta must be object")
  assert.include(answer({ resultType: "complete" }, ["working"]), "no CallToolResult")
  assert.include(answer({}, ["working"]), "required property")
})

it("takes a task only where a method may make one", () => {
  const result = { task: Samples.notifications["notifications/tasks/status"] }
  const to = (method: string) => WireSchema.check("2025-11-25", "server", { jsonrpc: "2.0", id: 1, result }, { method })
  assert.strictEqual(to("tools/call"), undefined)
  assert.isDefined(to("tools/list"))
})

it("checks the data of the errors that a revision defines", () => {
  const error = (data: unknown) => ({ jsonrpc: "2.0", id: 1, error: { code: -32022, message: "No", data } })
  const good = { supported: ["2026-07-28"], requested: "1999-01-01" }
  assert.strictEqual(WireSchema.check("2026-07-28", "server", error(good)), undefined)
  assert.isDefined(WireSchema.check("2026-07-28", "server", error({})))
  assert.strictEqual(WireSchema.check("2025-11-25", "server", error({})), undefined)
})
