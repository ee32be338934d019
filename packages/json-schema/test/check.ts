/** What the tests do with schemas. */
import { AjvValidator } from "@mcp-effect/json-schema"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Effect from "effect/Effect"

export const compile = (schema: Params, options?: AjvValidator.Options) => AjvValidator.make(options).compile(schema)

export const check = (schema: Params, value: unknown, options?: AjvValidator.Options) =>
  Effect.map(compile(schema, options), (check) => check(value))

export const refusal = (schema: Params, options?: AjvValidator.Options) => Effect.flip(compile(schema, options))

export const json = (text: string): Params => JSON.parse(text)
