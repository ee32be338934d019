/**
 * A tool as a server lists it: what a client knows of a tool that it has no definition of.
 *
 * @since 0.1.0
 */
import { Icon } from "@mcp-effect/protocol/Implementation"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Listing from "./internal/listing.ts"

const JsonObject = Schema.Record(Schema.String, Schema.Unknown)

/**
 * `inputSchema` and `outputSchema` are JSON Schemas, 2020-12 unless they say otherwise. Annotations are hints, not to be
 * trusted unless the server is.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListedTool = Schema.Struct({
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  inputSchema: JsonObject,
  outputSchema: Schema.optionalKey(JsonObject),
  annotations: Schema.optionalKey(Schema.Struct({
    title: Schema.optionalKey(Schema.String),
    readOnlyHint: Schema.optionalKey(Schema.Boolean),
    destructiveHint: Schema.optionalKey(Schema.Boolean),
    idempotentHint: Schema.optionalKey(Schema.Boolean),
    openWorldHint: Schema.optionalKey(Schema.Boolean)
  })),
  icons: Schema.optionalKey(Schema.Array(Icon)),
  _meta: Schema.optionalKey(JsonObject)
})

/**
 * @since 0.1.0
 * @category models
 */
export type ListedTool = typeof ListedTool.Type

/**
 * Reads the tools of one page. A malformed one is dropped with a warning, and the rest stays.
 *
 * @since 0.1.0
 * @category constructors
 */
export const readAll: (tools: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<ListedTool>> = Listing.reader(
  "tool",
  ListedTool
)
