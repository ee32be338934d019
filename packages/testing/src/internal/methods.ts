/** The rules of what the protocol does not know: methods and notifications of one's own. */
import { assert } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"

const When = Schema.Struct({ at: Schema.DateTimeUtcFromString, times: Schema.optionalKey(Schema.Int) })

const features = Layer.mergeAll(
  McpServer.method(
    "example/later",
    { params: When, result: When },
    ({ at, times = 1 }) => Effect.succeed({ at: DateTime.add(at, { seconds: 1 }), times: times + 1 })
  ),
  McpServer.method("example/echo", {}, Effect.succeed),
  McpServer.method(
    "example/fail",
    {},
    () => Effect.fail(new McpError.RemoteError({ code: 42, message: "no", data: { why: "because" } }))
  )
)

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST serve methods of one's own, with typed parameters and results, or any",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const later = yield* client.result("example/later", { at: "2026-07-28T12:00:00.000Z" })
        assert.deepInclude(later, { at: "2026-07-28T12:00:01.000Z", times: 2 })
        const given = { list: [1, null, { deep: true }], text: "é\n" }
        assert.deepInclude(yield* client.result("example/echo", given), given)
      })
  },
  {
    name: "MUST refuse parameters that do not fit such a method, and reply with the error that it fails with",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const unfit = yield* client.error("example/later", { at: "2026-07-28T12:00:00.000Z", times: "twice" })
        assert.strictEqual(unfit.code, JsonRpc.INVALID_PARAMS)
        assert.include(unfit.message, "times")
        const failed = yield* client.error("example/fail")
        assert.deepStrictEqual(failed, { code: 42, message: "no", data: { why: "because" } })
      })
  },
  {
    name: "MUST hand over notifications of one's own in the order in which they come, and pass over others",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const got = yield* Queue.unbounded<unknown>()
        yield* Layer.build(
          McpServer.notification("notifications/example/moved", ({ to }) =>
            Effect.andThen(Effect.yieldNow, Effect.asVoid(Queue.offer(got, to))))
        )
        const { connection, result } = yield* RawClient.connect(revision.name)
        yield* connection.notify(JsonRpc.notification("notifications/example/unheard"))
        for (const to of [1, 2, 3]) {
          yield* connection.notify(JsonRpc.notification("notifications/example/moved", { to }))
        }
        assert.deepStrictEqual(yield* Queue.takeN(got, 3), [1, 2, 3])
        yield* result("example/echo")
      })
  }
]
