/** What a sealed requestState is bound to, as one text: the same for a request and its retry, and for no other. */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Predicate from "effect/Predicate"

interface Binding {
  readonly principal: string | undefined
  readonly method: string
  readonly params: Params | undefined
}

/** Throws for parameters that are nested too deeply. */
export const text = ({ method, params, principal }: Binding): string => {
  // These differ between a request and its retry: tokens and traces, the answers, and the state itself.
  const { _meta, inputResponses: _responses, requestState: _state, ...salient } = params ?? {}
  return canonical([principal ?? null, method, salient])
}

// JSON with sorted keys, as a client may write them in another order when it retries.
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (!Predicate.isObject(value)) return JSON.stringify(value) ?? "null"
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
  return `{${members.join(",")}}`
}
