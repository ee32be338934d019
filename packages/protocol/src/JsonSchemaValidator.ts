/**
 * The service that checks values against JSON Schemas that others wrote: the output schemas that servers advertise, and
 * the input schemas of tools that are made from raw JSON Schema.
 *
 * The protocol does not know how; `@mcp-effect/json-schema` does.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Params } from "./JsonRpc.ts"

/**
 * Compiles a schema once. The compiled check answers `undefined` for a valid value, or what is wrong with it. A schema
 * that cannot be used (ill-formed, of an unknown dialect, with a remote `$ref`) fails with the reason.
 *
 * @since 0.1.0
 * @category models
 */
export interface JsonSchemaValidator {
  readonly compile: (schema: Params) => Effect.Effect<(value: unknown) => string | undefined, string>
}

/**
 * The validator in force, if any. Without one, foreign schemas are not checked, and those who would have checked say so
 * in the log.
 *
 * @since 0.1.0
 * @category references
 */
export const JsonSchemaValidator: Context.Reference<JsonSchemaValidator | undefined> = Context.Reference<
  JsonSchemaValidator | undefined
>("@mcp-effect/protocol/JsonSchemaValidator", { defaultValue: () => undefined })
