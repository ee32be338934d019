/** How the stateful era asks: by a request of its own, on the way back of the request that asks. */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { closed, type TransportError } from "@mcp-effect/protocol/Peer"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Effect from "effect/Effect"
import type { Call } from "../Call.ts"
import { type Input, InputFailed } from "../Input.ts"
import * as Memo from "./memo.ts"

/** For one connection: ids are unique on it. */
export const make = (): Input => {
  let id = 0
  const memos = new WeakMap<Call, Memo.Memo>()
  return {
    // Whoever waits for a person, or in vain, must not do so longer than the call: not in a finalizer either.
    ask: ({ back }, { method, params }) =>
      Effect.interruptible(
        Effect.matchEffect(back.request(JsonRpc.request(id++, method, params), closed), {
          onFailure: ({ message, reason }) => Effect.fail(new InputFailed({ reason: reasons[reason], message })),
          onSuccess: (response) =>
            response._tag === "Success"
              ? Effect.succeed(response.result)
              : Effect.fail(
                new InputFailed({
                  reason: "refused",
                  message: `The client refused ${method}: ${
                    Problem.cut(response.error.message, LONGEST)
                  } (${response.error.code})`
                })
              )
        })
      ),
    once: (call, key, effect) => {
      let memo = memos.get(call)
      if (memo === undefined) memos.set(call, memo = Memo.make({}))
      return memo.once(call, key, effect)
    },
    isNew: () => true
  }
}

const reasons: Record<TransportError["reason"], InputFailed["reason"]> = {
  closed: "closed",
  malformed: "malformed",
  refused: "unsupported",
  "too large": "unsupported"
}

// A handler's failure is read by a model.
const LONGEST = 1000
