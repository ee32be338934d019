/** States to seal, and what a client may learn of one that is refused. */
import { assert } from "@effect/vitest"
import * as RequestState from "@mcp-effect/server/RequestState"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

export const key = (letter: string) => Redacted.make(letter.repeat(32))

export const state = RequestState.make({ keys: [key("a")] })

export const binding: RequestState.Binding = {
  principal: "alice",
  method: "tools/call",
  params: { name: "transfer", arguments: { to: "bob", amount: 3, notes: ["x", { y: null }] } }
}

export const payload = { answers: { login: { action: "accept" } }, parts: 2 }

// Of any text that is refused, a client learns only this.
const INVALID = "Invalid params: \"requestState\" is not valid for this request"

export const refused = Effect.fnUntraced(function*(
  text: unknown,
  as: RequestState.Binding = binding,
  by: RequestState.RequestState = state
) {
  const error = yield* Effect.flip(by.open(text, as))
  assert.strictEqual(error._tag, "InvalidRequestState")
  assert.strictEqual(error.message, INVALID)
  assert.deepStrictEqual(Object.keys(error).toSorted(), ["_tag", "reason"])
})
