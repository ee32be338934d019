/** What a server would list, as every client will read it: what is no JSON, or not of its schema, is a mistake of whoever defines it. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type { Params } from "../JsonRpc.ts"
import * as Problem from "../Problem.ts"

/** Throws a `TypeError` for what cannot be listed: one item would spoil the list for all. */
export const make = (schema: Schema.ConstraintCodec<unknown, unknown>) => {
  let decode: ReturnType<typeof compile> | undefined
  const compile = () => SchemaParser.decodeUnknownEffect(schema)
  return (what: string, all: Params): void => {
    const written: unknown = json(what, all)
    const read = Effect.runSync(Effect.result((decode ??= compile())(written)))
    if (Result.isFailure(read)) throw new TypeError(`${what} cannot be listed: ${Problem.describe(read.failure)}`)
    const priority = Predicate.isObject(all.annotations) ? all.annotations.priority : undefined
    if (typeof priority !== "number" || (priority >= 0 && priority <= 1)) return
    throw new TypeError(`${what} cannot be listed: its priority must be from 0 to 1, and is ${priority}`)
  }
}

const json = (what: string, all: Params): unknown => {
  try {
    return JSON.parse(JSON.stringify(all))
  } catch (cause) {
    throw new TypeError(`${what} cannot be listed: it holds what cannot be written as JSON`, { cause })
  }
}
