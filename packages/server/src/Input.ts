/**
 * How a call asks its client while it runs. Each era has a way of its own, and an extension may bring another; what a
 * handler uses is `ClientInput`.
 *
 * @since 0.1.0
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Call } from "./Call.ts"

/**
 * A question, as the request that a client would get. `key` names it within its call; without, what it asks does.
 *
 * @since 0.1.0
 * @category models
 */
export interface Question {
  readonly key: string | undefined
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list"
  readonly params: Params
}

/**
 * There is no usable answer.
 *
 * - `refused`: the client replied with an error.
 * - `malformed`: its answer is none to the question.
 * - `unsupported`: the question cannot be said in the revision in use, or makes no sense, or is too large.
 * - `closed`: the connection ended.
 * - `not allowed`: the request that is handled may not ask, or nothing is handled here.
 *
 * @since 0.1.0
 * @category errors
 */
export class InputFailed extends Data.TaggedError("InputFailed")<{
  readonly reason: "refused" | "malformed" | "unsupported" | "closed" | "not allowed"
  readonly message: string
}> {}

/**
 * - `ask`: the client's answer, as it came.
 * - `once`: runs an effect that yields JSON, or yields what it did when the call was handled before.
 * - `isNew`: whether a part of the content, by its index, was not sent when the call was handled before.
 *
 * @since 0.1.0
 * @category models
 */
export interface Input {
  readonly ask: (call: Call, question: Question) => Effect.Effect<Params, InputFailed>
  readonly once: <E, R>(call: Call, key: string, effect: Effect.Effect<unknown, E, R>) => Effect.Effect<unknown, E, R>
  readonly isNew: (index: number) => boolean
}

/**
 * For requests that may not ask.
 *
 * @since 0.1.0
 * @category constructors
 */
export const none: Input = {
  ask: ({ request }) =>
    Effect.fail(new InputFailed({ reason: "not allowed", message: `${request.method} may not ask the client` })),
  once: (_call, _key, effect) => effect,
  isNew: () => true
}

/**
 * Whether a request of this method may ask.
 *
 * @since 0.1.0
 * @category accessors
 */
export const mayAsk = (method: string): boolean => methods.has(method)

const methods = new Set(["tools/call", "prompts/get", "resources/read"])
