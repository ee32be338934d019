/**
 * Who answers what a server asks its client: one answer for both eras. In the stateful revisions a question is a request of
 * the server, in 2026-07-28 a part of a result (`input_required`).
 *
 * Source: `client` and `basic/patterns/mrtr` of the specification.
 *
 * @since 0.1.0
 */
import type * as Capabilities from "@mcp-effect/protocol/Capabilities"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type * as McpError from "@mcp-effect/protocol/McpError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Elicitation } from "./Elicitation.ts"
import * as Answers from "./internal/answers.ts"
import { Roots } from "./Roots.ts"
import { Sampling } from "./Sampling.ts"

/**
 * The result of a question, by its method and parameters as they came; `undefined` for a method that is not answered.
 *
 * @since 0.1.0
 * @category models
 */
export type Answer = (method: string, params: Params) => Effect.Effect<Params, McpError.ProtocolError> | undefined

/**
 * `capabilities` is what they make the client declare. Most programs provide `Elicitation`, `Sampling` and `Roots` and not
 * this: it is what a client makes of these, and for those who pass questions on as they are.
 *
 * @since 0.1.0
 * @category services
 */
export class InputHandlers extends Context.Service<InputHandlers, {
  readonly capabilities: Capabilities.Client
  readonly answer: Answer
}>()("@mcp-effect/client/InputHandlers") {}

/**
 * What is provided here, or what is made of `Elicitation`, `Sampling` and `Roots`, as far as these are.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<InputHandlers["Service"]> = Effect.gen(function*() {
  const given = yield* Effect.serviceOption(InputHandlers)
  if (Option.isSome(given)) return given.value
  const elicitation = Option.getOrUndefined(yield* Effect.serviceOption(Elicitation))
  const sampling = Option.getOrUndefined(yield* Effect.serviceOption(Sampling))
  const roots = Option.getOrUndefined(yield* Effect.serviceOption(Roots))
  return {
    capabilities: {
      ...(elicitation === undefined ? {} : { elicitation: Answers.modes(elicitation) }),
      ...(sampling === undefined ? {} : { sampling: Answers.allowed(sampling) }),
      ...(roots === undefined ? {} : { roots: { listChanged: true } })
    },
    answer: (method, params) => {
      switch (method) {
        case "elicitation/create":
          return elicitation && Answers.elicited(elicitation, params)
        case "sampling/createMessage":
          return sampling && Answers.sampled(sampling, params)
        case "roots/list":
          return roots && Answers.rooted(roots)
        default:
          return undefined
      }
    }
  }
})

/**
 * Answers every question as it came.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (handlers: InputHandlers["Service"]): Layer.Layer<InputHandlers> =>
  Layer.succeed(InputHandlers, handlers)
