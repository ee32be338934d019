/**
 * Who a client or a server says it is. Self-reported: for display and logs, never for decisions.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * An icon: `src` is an `https:` or `data:` URI; `sizes` are such as `48x48` or `any`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Icon = Schema.Struct({
  src: Schema.String,
  mimeType: Schema.optionalKey(Schema.String),
  sizes: Schema.optionalKey(Schema.Array(Schema.String)),
  theme: Schema.optionalKey(Schema.Literals(["light", "dark"]))
})

/**
 * @since 0.1.0
 * @category models
 */
export type Icon = typeof Icon.Type

/**
 * A name and version, and what a person may be shown.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Implementation = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  websiteUrl: Schema.optionalKey(Schema.String),
  icons: Schema.optionalKey(Schema.Array(Icon))
})

/**
 * @since 0.1.0
 * @category models
 */
export type Implementation = typeof Implementation.Type
