/** The rules of logs: as much as the client wants, in the words of its era, and ahead of the result. */
import { assert } from "@effect/vitest"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { features } from "./offered.ts"

// On whichever way they came.
const messages = (client: RawClient.RawClient) =>
  Effect.map(
    Effect.all([Queue.clear(client.tied), Queue.clear(client.heard)]),
    (queues) => queues.flat().filter(({ method }) => method === "notifications/message")
  )

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST send logs to the client that wants them, ahead of the result",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const stateful = revision.era === "stateful"
        assert.deepStrictEqual((yield* client.declared).logging, {})
        if (stateful) yield* client.result("logging/setLevel", { level: "debug" })
        else yield* client.error("logging/setLevel", { level: "debug" })
        const meta = stateful ? {} : { _meta: { [Meta.LOG_LEVEL]: "debug" } }
        yield* client.result("tools/call", { name: "log", ...meta })
        assert.deepStrictEqual((yield* messages(client)).map(({ params }) => [params?.level, params?.data]), [
          ["debug", "little"],
          ["warning", "much"]
        ])
        if (stateful) return
        yield* client.result("tools/call", { name: "log" })
        assert.deepStrictEqual(yield* messages(client), [])
      })
  }
]
