/** How the stateful era asks: by a request of its own, on the way back of the request that asks. */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { closed } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import type { Call } from "../Call.ts"
import { type Input, InputFailed } from "../Input.ts"
import * as Memo from "./memo.ts"

/** For one connection: ids are unique on it. */
export const make = (): Input => {
  let id = 0
  const memos = new WeakMap<Call, Memo.Memo>()
  return {
    ask: ({ back }, { method, params }) =>
      Effect.matchEffect(back.request(JsonRpc.request(id++, method, params), closed), {
        onFailure: ({ message }) => Effect.fail(new InputFailed({ reason: "closed", message })),
        onSuccess: (response) =>
          response._tag === "Success"
            ? Effect.succeed(response.result)
            : Effect.fail(
              new InputFailed({
                reason: "refused",
                message: `The client refused ${method}: ${response.error.message} (${response.error.code})`
              })
            )
      }),
    once: (call, key, effect) => {
      let memo = memos.get(call)
      if (memo === undefined) memos.set(call, memo = Memo.make({}))
      return memo.once(key, effect)
    },
    isNew: () => true
  }
}
