/** The rules of what runs once, however often its handler does. */
import { assert } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { json } from "./texts.ts"

const ask = (message: string) => ClientInput.elicit(Elicitation.form({ message, fields: { sure: Schema.Boolean } }))

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST do once what a handler does once, whatever it asks afterwards, and again for another call",
    applies: ({ wire }) => wire.elicitation !== "none",
    test: (revision) =>
      Effect.gen(function*() {
        let ran = 0
        let booked = 0
        yield* McpServer.addTool(Tool.make("book"), () =>
          Effect.gen(function*() {
            ran++
            const before = yield* ClientInput.once("booked", Effect.sync(() => ++booked))
            yield* ask("Sure?")
            const at = yield* ClientInput.once(
              "at",
              Effect.sync(() => DateTime.makeUnsafe(++booked)),
              Schema.DateTimeUtc
            )
            yield* ask("Really?")
            return JSON.stringify([before, at.epochMilliseconds])
          }))
        const client = yield* RawClient.connect(revision.name, {
          capabilities: { elicitation: {} },
          answers: { "elicitation/create": () => Effect.succeed({ action: "accept", content: { sure: true } }) }
        })
        assert.deepStrictEqual(json(yield* client.call("tools/call", { name: "book" })), [1, 2])
        assert.deepStrictEqual(json(yield* client.call("tools/call", { name: "book" })), [3, 4])
        assert.deepStrictEqual(client.asked.map(({ params }) => params.message), [
          "Sure?",
          "Really?",
          "Sure?",
          "Really?"
        ])
        // Where an ask ends the call, the handler has run from its start with each answer.
        assert.strictEqual(ran, revision.era === "stateless" ? 6 : 2)
      })
  }
]
