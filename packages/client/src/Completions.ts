/**
 * Suggestions of a server for an argument of a prompt or a variable of a resource template, while a person types it.
 *
 * Source: `server/utilities/completion` of the specification.
 *
 * @since 0.1.0
 */
import * as Completion from "@mcp-effect/protocol/Completion"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import type { Prompt } from "@mcp-effect/protocol/Prompt"
import type { ResourceTemplate } from "@mcp-effect/protocol/Resource"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { RequestOptions, Send } from "./Requests.ts"

/**
 * What is completed.
 *
 * - `of`: a reference (`Completion.prompt(name)`, `Completion.resource(uriTemplate)`), or a definition.
 * - `argument`: the name of the argument or variable; `value`: what was typed so far.
 * - `context`: the arguments that have a value already. Servers of 2025-03-26 and before ignore it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Typed {
  readonly of: Completion.Reference | Prompt | ResourceTemplate
  readonly argument: string
  readonly value: string
  readonly context?: Readonly<Record<string, string>>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Completions {
  /** Suggests values, the best first. */
  readonly complete: (typed: Typed, options?: RequestOptions) => Effect.Effect<Completion.Values, McpError.McpError>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (send: Send): Completions => ({
  complete: ({ argument, context, of, value }, options) => {
    const params = { ref: referenceOf(of), argument: { name: argument, value } }
    return Effect.flatMap(
      send(
        "completion/complete",
        context === undefined ? params : { ...params, context: { arguments: context } },
        { ...options, capability: "completions" }
      ),
      valuesOf
    )
  }
})

const referenceOf = (of: Typed["of"]): Completion.Reference => {
  if ("type" in of) return of
  return "uriTemplate" in of ? Completion.resource(of.uriTemplate) : Completion.prompt(of.name)
}

const valuesOf = ({ completion }: Params): Effect.Effect<Completion.Values, McpError.InvalidResult> => {
  if (!Predicate.isObject(completion) || !Array.isArray(completion.values)) {
    const message = "The result has no \"completion\" with an array of \"values\""
    return Effect.fail(new McpError.InvalidResult({ method: "completion/complete", message }))
  }
  const { hasMore, total } = completion
  const values = completion.values.filter(Predicate.isString)
  const dropped = completion.values.length - values.length
  return Effect.as(
    dropped === 0 ? Effect.void : Effect.logWarning(`Dropped ${dropped} suggested values that are no texts`),
    {
      values,
      ...(Predicate.isNumber(total) ? { total } : {}),
      ...(Predicate.isBoolean(hasMore) ? { hasMore } : {})
    }
  )
}
