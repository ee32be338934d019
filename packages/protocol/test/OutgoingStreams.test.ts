import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as Outgoing from "@mcp-effect/protocol/Outgoing"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { recorder, settle } from "./channel.ts"

const log = (data: unknown) => JsonRpc.notification("notifications/message", { level: "info", data })

describe("requests that have streams of their own", () => {
  it.effect("a sender MUST be told the id on the wire, and what comes on the stream of a request MUST be its own", () =>
    Effect.gen(function*() {
      const ids: Array<number> = []
      const sender: Outgoing.Sender = {
        offer: (_text, taken, id) =>
          Effect.sync(() => {
            taken()
            ids.push(id)
          }),
        push: () => {}
      }
      const outgoing = Outgoing.make(Effect.runFork, sender, Limits.defaults)
      const backs = [recorder(), recorder()]
      const fibers = yield* Effect.forEach(
        backs,
        (back) => Effect.forkChild(outgoing.over(sender)(JsonRpc.request("mine", "tools/call"), back))
      )
      yield* settle
      assert.deepStrictEqual(ids, [0, 1])
      assert.isTrue(outgoing.notify(log("second"), 1))
      assert.isTrue(outgoing.notify(log("first"), 0))
      // What belongs to nobody in flight, or came on no stream of a request, is left to the connection.
      assert.isFalse(outgoing.notify(log("unknown"), 7))
      assert.isFalse(outgoing.notify(log("none")))
      for (const id of ids) outgoing.respond(JsonRpc.success(id, {}))
      yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(backs.map(({ got }) => got), [[log("first")], [log("second")]])
      assert.isFalse(outgoing.notify(log("late"), 0))
    }))
})
