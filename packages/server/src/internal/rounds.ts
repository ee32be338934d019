/**
 * How the stateless era asks: the call ends with its questions (`input_required`), and when the client calls again with
 * the answers, the handler runs again and finds them. What the handler has learnt so far travels in `requestState`.
 *
 * A round ends a scheduler turn after its first unanswered question, so that concurrent ones share it: the handler is
 * interrupted, and the questions are the reply, whatever the handler makes of that.
 *
 * Source: `basic/patterns/mrtr` of revision 2026-07-28.
 */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import { cancelReason, cancelReasonOf } from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { Call, Method, Result } from "../Call.ts"
import type { Era } from "../Dispatch.ts"
import { mayAsk } from "../Input.ts"
import type { Binding, RequestState } from "../RequestState.ts"
import { Round } from "./round.ts"
import * as RoundState from "./roundState.ts"

export const serve = (server: string, requestState: RequestState): Era["serve"] => {
  const sealing: Sealing = { server, requestState }
  return (call, method) => {
    if (!mayAsk(call.request.method)) return method(call)
    const { inputResponses, requestState: sealed } = call.request.params ?? {}
    if (sealed === undefined) {
      if (inputResponses === undefined) return run(call, method, sealing, RoundState.empty, nothing)
      return Effect.flatMap(
        RoundState.unasked(inputResponses),
        (responses) => run(call, method, sealing, RoundState.empty, responses)
      )
    }
    return requestState.open(sealed, bindingOf(server, call)).pipe(
      Effect.mapError(({ message }) => new McpError.InvalidParams({ message })),
      Effect.flatMap((payload) => RoundState.answered(payload, inputResponses)),
      Effect.flatMap((state) => run(call, method, sealing, state, nothing))
    )
  }
}

const nothing: JsonRpc.Params = {}

interface Sealing {
  readonly server: string
  readonly requestState: RequestState
}

const bindingOf = (server: string, { principal, request }: Call): Binding => ({
  principal: principal?.subject,
  // Servers that share a key may have tools of the same name.
  method: `${server} ${request.method}`,
  params: request.params
})

// The handler has a fiber of its own: a round interrupts it, and the reply goes on without it.
const run = (
  call: Call,
  method: Method,
  sealing: Sealing,
  state: RoundState.RoundState,
  unasked: JsonRpc.Params
): Effect.Effect<Result, McpError.ProtocolError> => {
  const round = new Round(state, unasked)
  const handler = method({ ...call, input: round })
  // What is done already has not asked.
  return Exit.isExit(handler) ? handler : runFiber(call, round, handler, sealing)
}

const runFiber = (
  call: Call,
  round: Round,
  handler: ReturnType<Method>,
  sealing: Sealing
): ReturnType<Method> => {
  let fiber: Fiber.Fiber<Result, McpError.ProtocolError> | undefined
  let abandoned: Context.Context<never> | undefined
  const handled = Effect.withFiber((parent) => {
    round.fork = Effect.runForkWith(parent.context)
    fiber = Effect.runForkWith(parent.context)(handler)
    round.handler = fiber
    // What a handler does at once may have made somebody abandon the request.
    if (abandoned !== undefined) fiber.interruptUnsafe(undefined, abandoned)
    const settle = (exit: Exit.Exit<Result, McpError.ProtocolError>): ReturnType<Method> =>
      round.asked.size === 0 ? exit : reply(call, round, sealing)
    const exit = fiber.pollUnsafe()
    return exit === undefined ? Effect.flatMap(Fiber.await(fiber), settle) : settle(exit)
  })
  // Whoever abandons the request abandons the handler, and tells it why.
  return Effect.onExit(handled, (exit) => {
    if (Exit.isSuccess(exit) || !Cause.hasInterrupts(exit.cause)) return Effect.void
    const reason = cancelReasonOf(exit.cause)
    abandoned = reason === undefined ? Context.empty() : cancelReason(reason)
    return fiber === undefined ? Effect.void : Fiber.interruptAs(fiber, undefined, abandoned)
  })
}

const reply = (
  call: Call,
  round: Round,
  { requestState, server }: Sealing
): Effect.Effect<Result, McpError.ProtocolError> =>
  Effect.gen(function*() {
    const state = yield* round.state()
    const inputRequests = Object.fromEntries(
      [...round.asked].map(([key, { question: { method, params } }]) => [key, { method, params }])
    )
    const sealed = yield* Effect.catch(
      requestState.seal(state, bindingOf(server, call)),
      ({ message, reason }): Effect.Effect<never, McpError.ProtocolError> =>
        reason === "request"
          ? Effect.fail(new McpError.InvalidParams({ message: `Invalid params: ${message}` }))
          : Effect.andThen(
            // What is too much is mostly the handler's.
            Effect.logWarning(`The questions of ${call.request.method} are not asked: ${message}`),
            Effect.fail(new McpError.InternalError({ message }))
          )
    )
    const value = { resultType: "input_required", inputRequests, requestState: sealed }
    return { value, caching: undefined, key: undefined }
  })
