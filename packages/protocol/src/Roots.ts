/**
 * Roots: the directories and files that a client considers relevant. They inform a server; they do not bind it.
 *
 * Knows neither how they are asked for nor whether the paths exist.
 *
 * Source: `client/roots` of the specification, which deprecates them in 2026-07-28.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type * as Capabilities from "./Capabilities.ts"

const Meta = Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))

/**
 * A directory or file, by its `file://` URI.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Root = Schema.Struct({
  uri: Schema.String.check(Schema.isPattern(/^file:\/\//iu, { expected: "a URI that starts with file://" })),
  name: Schema.optionalKey(Schema.String),
  _meta: Meta
})

/**
 * @since 0.1.0
 * @category models
 */
export type Root = typeof Root.Type

/**
 * The result of `roots/list`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Result = Schema.Struct({ roots: Schema.Array(Root), _meta: Meta })

/**
 * @since 0.1.0
 * @category models
 */
export type Result = typeof Result.Type

/**
 * The capabilities that a client must have declared to be asked.
 *
 * @since 0.1.0
 * @category capabilities
 */
export const needs: Capabilities.Client = { roots: {} }
