/**
 * Requests that end with questions: who answers them is asked, and the request is sent again with the answers, until there is
 * a result. Each round is a request of its own, with deadlines of its own.
 *
 * Source: `basic/patterns/mrtr` of revision 2026-07-28.
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Answer } from "../InputHandlers.ts"
import type { Send } from "../Requests.ts"

export const INPUT_REQUIRED = "input_required"

const MAY_ASK = new Set(["tools/call", "prompts/get", "resources/read"])

/** Sends in as many rounds as it takes, and no more than `maxInputRounds` after the first. */
export const make = (
  send: Send,
  options: { readonly answer: Answer; readonly maxInputRounds: number }
): Send => {
  const rounds = (round: number, ...[method, params, given]: Parameters<Send>): ReturnType<Send> =>
    Effect.flatMap(send(method, params, given), (result) => {
      if (result.resultType !== INPUT_REQUIRED) return Effect.succeed(result)
      const more = next(given?.answer ?? options.answer, { method, params }, result, {
        round,
        most: options.maxInputRounds
      })
      return Effect.flatMap(more, (params) => rounds(round + 1, method, params, given))
    })
  return (...request) => rounds(1, ...request)
}

// The parameters of the next round. `round` counts from 1.
const next = (
  answer: Answer,
  { method, params }: { readonly method: string; readonly params: Params | undefined },
  result: Params,
  { most, round }: { readonly round: number; readonly most: number }
): Effect.Effect<Params, McpError.McpError> =>
  Effect.suspend(() => {
    const wrong = (message: string) => Effect.fail(new McpError.InvalidResult({ method, message }))
    const { inputRequests, requestState } = result
    if (!MAY_ASK.has(method)) return wrong(`The server asks for input, which it may not do when it serves ${method}`)
    if (requestState !== undefined && !Predicate.isString(requestState)) {
      return wrong("\"requestState\" must be a string")
    }
    if (inputRequests === undefined && requestState === undefined) {
      return wrong("The server asks for input, and does not say for which")
    }
    if (inputRequests !== undefined && !Predicate.isObject(inputRequests)) {
      return wrong("\"inputRequests\" must be an object")
    }
    if (round > most) return wrong(`The server has asked for input ${most} times for one request, which is the limit`)
    const { inputResponses: _answers, requestState: _state, ...rest } = params ?? {}
    const state = requestState === undefined ? {} : { requestState }
    const asked = Object.entries(inputRequests ?? {})
    // A server that only wants to be asked again may be busy.
    if (asked.length === 0) return Effect.as(Effect.sleep(100 * 2 ** (round - 1)), { ...rest, ...state })
    const answers = Effect.forEach(asked, ([key, question]) => answered(answer, method, key, question), {
      concurrency: "unbounded"
    })
    return Effect.map(answers, (entries) => ({ ...rest, inputResponses: Object.fromEntries(entries), ...state }))
  })

const answered = (
  answer: Answer,
  method: string,
  key: string,
  question: unknown
): Effect.Effect<readonly [string, Params], McpError.McpError> => {
  const { method: asked, params = {} }: Params = Predicate.isObject(question) ? question : {}
  if (!Predicate.isString(asked) || !Predicate.isObject(params)) {
    return Effect.fail(
      new McpError.InvalidResult({
        method,
        message: `The input that the server asks for as ${JSON.stringify(key)} is no request`
      })
    )
  }
  const handled = answer(asked, { ...params })
  if (handled === undefined) {
    return Effect.fail(
      new McpError.InvalidResult({
        method,
        message: `The server asks for ${JSON.stringify(asked)}, which this client did not declare that it answers`
      })
    )
  }
  return Effect.map(handled, (result) => [key, result])
}
