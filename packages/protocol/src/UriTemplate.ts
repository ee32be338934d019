/**
 * URI templates (RFC 6570, all four levels), in both directions: values become a URI, and a URI becomes values.
 *
 * Matching ends within a time that template and URI bound, and never throws. Knows nothing of resources.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type * as Types from "effect/Types"
import * as Expand from "./internal/uriTemplateExpand.ts"
import * as Match from "./internal/uriTemplateMatch.ts"
import * as Parse from "./internal/uriTemplateParse.ts"
import * as Problem from "./Problem.ts"

/**
 * A parsed template.
 *
 * - `template`: the text that it was parsed from.
 * - `variables`: the names of its variables, in the order in which they first appear.
 * - `lists`: those that are exploded (`{tags*}`), which a match gives as lists.
 * - `required`: those that every match has: all but lists and variables after one of `# . / ; ? &`.
 *
 * @since 0.1.0
 * @category models
 */
export interface UriTemplate {
  readonly template: string
  readonly variables: ReadonlyArray<string>
  readonly lists: ReadonlySet<string>
  readonly required: ReadonlySet<string>
  /** @internal */
  readonly parts: ReadonlyArray<Parse.Part>
}

/**
 * What a variable can be expanded from: a text, a list, or a map. An empty list or map is as good as none.
 *
 * @since 0.1.0
 * @category models
 */
export type Value = Expand.Value

/**
 * Values by the names of variables; those that are missing expand to nothing.
 *
 * @since 0.1.0
 * @category models
 */
export type Values = Expand.Values

/**
 * What a match found: texts, and lists for exploded variables. A variable that is not in the URI is not in the record.
 *
 * @since 0.1.0
 * @category models
 */
export type Matched = Match.Matched

type Split<S extends string> = S extends `${infer Head},${infer Tail}` ? Head | Split<Tail> : S

type NameOf<S extends string> = S extends `${infer Name}*` ? Name : S extends `${infer Name}:${string}` ? Name : S

type Lists<S extends string> = Extract<S, `${string}*`>

type Specs<S extends string, Optional extends boolean> =
  & { readonly [K in Lists<S> as NameOf<K>]: ReadonlyArray<string> }
  & (Optional extends true ? { readonly [K in Exclude<S, Lists<S>> as NameOf<K>]?: string }
    : { readonly [K in Exclude<S, Lists<S>> as NameOf<K>]: string })

type Expression<E extends string> = E extends `+${infer S}` ? Specs<Split<S>, false>
  : E extends `${"#" | "." | "/" | ";" | "?" | "&"}${infer S}` ? Specs<Split<S>, true>
  : Specs<Split<E>, false>

type Walk<Text extends string, Found> = Text extends `${string}{${infer E}}${infer Rest}`
  ? Walk<Rest, Found & Expression<E>>
  : Found

/**
 * The variables of a template whose text the compiler knows: lists for exploded ones, optional after `# . / ; ? &`.
 *
 * @since 0.1.0
 * @category models
 */
export type Variables<Text extends string> = string extends Text
  ? { readonly [x: string]: string | ReadonlyArray<string> }
  : Types.Simplify<Walk<Text, {}>>

/**
 * The longest template that is read, in code units.
 *
 * @since 0.1.0
 * @category constants
 */
export const MAX_LENGTH = Parse.maxLength

/**
 * The most variables that a template may have, each counted where it appears.
 *
 * @since 0.1.0
 * @category constants
 */
export const MAX_VARIABLES = Parse.maxVariables

/**
 * The longest URI that is matched, in code units, percent-encoded; a longer one matches nothing.
 *
 * @since 0.1.0
 * @category constants
 */
export const MAX_URI = Match.maxUri

/**
 * Parses a template; a failure is a sentence that says what is wrong with it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = (template: string): Result.Result<UriTemplate, string> =>
  Result.mapBoth(Parse.parse(template), {
    onFailure: (problem) => `The URI template ${JSON.stringify(Problem.cut(template, 200))} is malformed: ${problem}`,
    onSuccess: (parts) => fromParts(template, parts)
  })

const fromParts = (template: string, parts: ReadonlyArray<Parse.Part>): UriTemplate => {
  const all = parts.flatMap((part) =>
    typeof part === "string" ? [] : part.specs.map((spec) => ({ ...spec, operator: part.operator }))
  )
  const names = (some: typeof all): ReadonlySet<string> => new Set(some.map(({ name }) => name))
  return {
    template,
    variables: [...names(all)],
    lists: names(all.filter(({ explode }) => explode)),
    required: names(all.filter(({ explode, operator }) => !explode && (operator === "" || operator === "+"))),
    parts
  }
}

/**
 * Parses a template, or throws a `TypeError` that says what is wrong with it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (template: string): UriTemplate =>
  Result.getOrThrowWith(parse(template), (problem) => new TypeError(problem))

/**
 * The URI that a template gives with these values. A prefix of a list or a map is a programming error: a `TypeError`.
 *
 * @since 0.1.0
 * @category expanding
 */
export const expand = (template: UriTemplate, values: Values): string => Expand.expand(template.parts, values)

// Made when it is first needed: a client only expands.
const compiled = new WeakMap<UriTemplate, ReadonlyArray<Match.Node>>()

/**
 * The values that a template gives a URI with; `undefined` if it gives none like it.
 *
 * - Values are percent-decoded, so what may not be in the URI may be in a value: check paths before they are used. A URI
 *   with a "%" that is none of an encoded character matches nothing.
 * - Literals are compared after percent-encoding is made uniform; letters of schemes and hosts are not folded.
 * - `{name}` has at least one character, and none of "/", "?", "#"; `{+name}` may have any.
 * - Parameters of `{?a,b}`, `{&a,b}` and `{;a,b}` are optional, in any order, and among others; of one that is there
 *   twice, the first counts. "+" is no space.
 * - Where several values are possible, what comes first in the template is there rather than not, and as short as can be.
 * - A variable that appears several times must be the same each time. Maps are not found again.
 *
 * @since 0.1.0
 * @category matching
 */
export const match = (template: UriTemplate, uri: string): Matched | undefined => {
  let nodes = compiled.get(template)
  if (nodes === undefined) compiled.set(template, nodes = Match.compile(template.parts))
  return Match.match(nodes, uri)
}
