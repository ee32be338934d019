/**
 * The `JsonSchemaValidator` on ajv: JSON Schema 2020-12 by default, 2019-09 and draft-07 by `$schema`. ajv is loaded
 * with the first schema.
 *
 * Schemas are foreign, so their size is bounded and no document that they refer to is fetched. What a bound cannot
 * catch: ajv turns a schema into a function, which does not run where code may not be made from text (Workers); a
 * `pattern` runs on the engine's own RegExp, where a crafted one takes time exponential in the text (`regExp` is the
 * place for a linear engine); `uniqueItems` and references that branch can be slow on crafted values.
 *
 * @since 0.1.0
 */
import { JsonSchemaValidator } from "@mcp-effect/protocol/JsonSchemaValidator"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Bounds from "./internal/bounds.ts"
import * as Compiler from "./internal/compiler.ts"
import * as Dialect from "./internal/dialect.ts"

/**
 * - `maxDepth`: how deep the objects and arrays of a schema may nest (default 128: each property is two levels).
 * - `maxNodes`: how many objects and arrays a schema may hold (default 2000, which take ajv about a second to compile;
 *   the time grows with the square).
 * - `maxErrors`: how many of a value's faults are told (default 5).
 * - `regExp`: what runs `pattern` and `patternProperties`; throws for a pattern that it cannot read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly maxDepth?: number
  readonly maxNodes?: number
  readonly maxErrors?: number
  readonly regExp?: (pattern: string, flags: string) => { readonly test: (text: string) => boolean }
}

type Compiled = Effect.Effect<(value: unknown) => string | undefined, string>

/**
 * Makes a validator. A schema object is compiled once, and forgotten with the object; it must not change after.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options?: Options): JsonSchemaValidator => {
  const settings = { maxDepth: 128, maxNodes: 2000, maxErrors: 5, ...options }
  const cache = new WeakMap<object, Compiled>()
  return {
    compile: (schema) =>
      Effect.suspend(() => {
        const known = cache.get(schema)
        if (known !== undefined) return known
        const wrong = Bounds.check(schema, settings)
        const dialect = Dialect.of(schema)
        if (wrong !== undefined) return Effect.fail(wrong)
        if (dialect === undefined) return Effect.fail(Dialect.unsupported(schema))
        return Effect.flatMap(Dialect.load(dialect), (ajv) => {
          const compiled = cache.get(schema) ?? Effect.fromResult(Compiler.compile(ajv, schema, settings))
          cache.set(schema, compiled)
          return compiled
        })
      })
  }
}

/**
 * Sets the {@link JsonSchemaValidator} of a program to ajv, with the default options.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never> = Layer.sync(JsonSchemaValidator, () => make())
