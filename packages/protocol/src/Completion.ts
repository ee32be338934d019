/**
 * Completion: suggestions for an argument of a prompt or a variable of a resource template, while a person types it.
 *
 * Knows neither what is suggested nor how it is found.
 *
 * Source: `server/utilities/completion` of the specification.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * How many values a result may hold.
 *
 * @since 0.1.0
 * @category constants
 */
export const MAX_VALUES = 100

/**
 * @since 0.1.0
 * @category schemas
 */
export const PromptReference = Schema.Struct({
  type: Schema.Literal("ref/prompt"),
  name: Schema.String,
  title: Schema.optionalKey(Schema.String)
})

/**
 * A resource, or a template of resources, by its URI or URI template.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ResourceReference = Schema.Struct({ type: Schema.Literal("ref/resource"), uri: Schema.String })

/**
 * What has the argument that is completed.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Reference = Schema.Union([PromptReference, ResourceReference])

/**
 * @since 0.1.0
 * @category models
 */
export type Reference = typeof Reference.Type

/**
 * @since 0.1.0
 * @category constructors
 */
export const prompt = (name: string): Reference => ({ type: "ref/prompt", name })

/**
 * @since 0.1.0
 * @category constructors
 */
export const resource = (uri: string): Reference => ({ type: "ref/resource", uri })

/**
 * The parameters of `completion/complete`. `context` holds the arguments that have a value already; it exists since
 * 2025-06-18, and older servers ignore it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Params = Schema.Struct({
  ref: Reference,
  argument: Schema.Struct({ name: Schema.String, value: Schema.String }),
  context: Schema.optionalKey(Schema.Struct({
    arguments: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  })),
  _meta: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

/**
 * @since 0.1.0
 * @category models
 */
export type Params = typeof Params.Type

/**
 * Values, the best first. `total` counts all that there are, sent or not; `hasMore` says that some were not.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Values = Schema.Struct({
  values: Schema.Array(Schema.String),
  total: Schema.optionalKey(Schema.Finite),
  hasMore: Schema.optionalKey(Schema.Boolean)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Values = typeof Values.Type

/**
 * The result of `completion/complete`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Result = Schema.Struct({
  completion: Values,
  _meta: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

/**
 * @since 0.1.0
 * @category models
 */
export type Result = typeof Result.Type

/**
 * The result for all values that there are, or for some of them with what is known of the rest: of more than
 * {@link MAX_VALUES}, the first. `total` is left out only where there is more and nobody counted, or there is no end.
 *
 * @since 0.1.0
 * @category constructors
 */
export const result = (given: ReadonlyArray<string> | Values): Result => {
  const all: Values = isList(given) ? { values: given } : given
  const values = all.values.slice(0, MAX_VALUES)
  // Without an end there is more, and what is no number of values says nothing.
  const more = all.hasMore === true || all.total === Number.POSITIVE_INFINITY
  const counted = Number.isSafeInteger(all.total) ? all.total : undefined
  const uncounted = more && counted === undefined
  // A total that is less than what is at hand was counted before.
  const total = Math.max(counted ?? 0, all.values.length)
  const hasMore = more || total > values.length
  return { completion: uncounted ? { values, hasMore } : { values, total, hasMore } }
}

const isList = (given: ReadonlyArray<string> | Values): given is ReadonlyArray<string> => Array.isArray(given)
