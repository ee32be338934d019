/**
 * Elicitation: what a server asks the user through the client, and what the user answers.
 *
 * A form is made from a flat struct of Effect schemas, which also check the answer; sensitive input is asked for at a URL,
 * which the client opens without seeing what is entered there. Knows neither how a question travels nor who asks.
 *
 * Source: `client/elicitation` of the specification; forms exist since 2025-06-18, URLs since 2025-11-25.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type * as Capabilities from "./Capabilities.ts"
import * as Field from "./internal/elicitationField.ts"
import * as Format from "./internal/elicitationFormat.ts"
import * as Theirs from "./internal/elicitationReceived.ts"
import * as Written from "./internal/elicitationWire.ts"
import type { Params } from "./JsonRpc.ts"
import * as Problem from "./Problem.ts"
import type { Wire } from "./Revision.ts"
import type { AnySchema } from "./Tool.ts"

/**
 * An e-mail address.
 *
 * @since 0.1.0
 * @category fields
 */
export const email = Format.email

/**
 * A URI with its scheme.
 *
 * @since 0.1.0
 * @category fields
 */
export const uri = Format.uri

/**
 * A date of the calendar, such as `2026-07-28`.
 *
 * @since 0.1.0
 * @category fields
 */
export const date = Format.date

/**
 * A date and time with its offset, such as `2026-07-28T12:00:00Z`. `Schema.DateTimeUtcFromString` asks for the same and
 * yields a `DateTime`.
 *
 * @since 0.1.0
 * @category fields
 */
export const dateTime = Format.dateTime

/**
 * A choice of one value, each with the title that the user sees. `Schema.Array` of it is a choice of several. Choices
 * without titles are `Schema.Literals`. `legacy` writes one choice as 2025-06-18 did (`enum` and `enumNames`), for clients that
 * know no other way.
 *
 * @example
 * ```ts
 * Elicitation.choices({ "#FF0000": "Red", "#00FF00": "Green" })
 * ```
 *
 * @since 0.1.0
 * @category fields
 */
export const choices = <const Titles extends { readonly [value: string]: string }>(
  titles: Titles,
  options: { readonly legacy?: boolean } = {}
): Schema.Codec<keyof Titles & string> =>
  // Sound: the members are the literals of the record's own keys.
  Schema.Union(
    Object.entries(titles).map(([value, title]) => Schema.Literal(value).annotate({ title }))
  ).annotate({ [Field.LEGACY]: options.legacy === true }) as Schema.Codec<string> as Schema.Codec<keyof Titles & string>

/**
 * A form.
 *
 * @since 0.1.0
 * @category models
 */
export interface Form<out S extends AnySchema = AnySchema> {
  readonly mode: "form"
  readonly message: string
  /** What an accepted answer decodes to. */
  readonly schema: S
  /** What is asked for, in terms of no revision. */
  readonly fields: Readonly<Record<string, Field.Field>>
}

/**
 * A URL that the user is sent to. `elicitationId` tells one visit from another in 2025-11-25, which requires it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Url {
  readonly mode: "url"
  readonly message: string
  readonly url: string
  readonly elicitationId: string | undefined
}

/**
 * What the user is asked.
 *
 * @since 0.1.0
 * @category models
 */
export type Request = Form | Url

/**
 * What an accepted answer holds: the values of a form; nothing of a URL.
 *
 * @since 0.1.0
 * @category models
 */
export type Content<R extends Request> = R extends Form<infer S> ? S["Type"] : undefined

type Fields = { readonly [name: string]: AnySchema }

type FromFields<S> = S extends AnySchema ? S : S extends Fields ? Schema.Struct<S> : never

type WithFields = AnySchema & { readonly fields: Fields }

// What cannot be asked for does not compile, as far as types tell; of what is declared, the JSON is seen only when it runs.
type Askable<F> = F extends WithFields ? { readonly fields: Askable<F["fields"]> }
  : F extends Fields ? { readonly [K in keyof F]: AskableField<F[K]["Encoded"]> }
  : unknown

type AskableField<E> = unknown extends E ? unknown : [Wrong<E>] extends [never] ? unknown
: "A field of a form is a text, a number, a boolean, a choice of texts, or an array of such choices"

type Wrong<E> = E extends null | bigint | symbol ? E
  : E extends ReadonlyArray<infer Item> ? Item extends string ? never : E
  : E extends { readonly [x: string]: unknown } ? E
  : never

/**
 * Asks for the values of fields, given as a record of schemas, or as a struct or class of them. A field is a text, a
 * number, a boolean, a choice (`Schema.Literals`, {@link choices}) or an array of such choices; titles, descriptions and
 * defaults are annotations. A field whose key may be missing is optional, and one with a default gets it.
 *
 * Must not ask for passwords, keys or other secrets: those are for a {@link url}.
 *
 * A field of another kind does not compile, or is a programming error: a `TypeError` names it.
 *
 * @example
 * ```ts
 * Elicitation.form({
 *   message: "Where to?",
 *   fields: {
 *     city: Schema.String.check(Schema.isMinLength(2)).annotate({ title: "City" }),
 *     seats: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })).annotate({ default: 1 }),
 *     receipt: Schema.optionalKey(Elicitation.email)
 *   }
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const form = <const F extends Fields | WithFields>(
  options: { readonly message: string; readonly fields: F & Askable<F> }
): Form<FromFields<F>> => {
  const given: Fields | WithFields = options.fields
  const fields = isSchema(given) ? given.fields : given
  if (fields === undefined) throw new TypeError("A form takes a record of fields, or a struct of them")
  return {
    mode: "form",
    message: options.message,
    // Sound: the cases are those of the type.
    schema: (isSchema(given) ? given : Schema.Struct(given)) as AnySchema as FromFields<F>,
    fields: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Field.make(name, field)]))
  }
}

const isSchema = (given: Fields | WithFields): given is WithFields => Schema.isSchema(given)

/**
 * Sends the user to a URL. It must not hold secrets, nor be a way in for whoever has it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const url = (
  options: { readonly message: string; readonly url: string; readonly elicitationId?: string }
): Url => {
  if (!Format.isUrl(options.url)) {
    throw new TypeError(`${JSON.stringify(options.url)} must be a URL with its scheme, such as https://example.com/`)
  }
  return { mode: "url", message: options.message, url: options.url, elicitationId: options.elicitationId }
}

/**
 * The capabilities that a client must have declared to be asked.
 *
 * @since 0.1.0
 * @category capabilities
 */
export const needs = ({ mode }: Request): Capabilities.Client => ({ elicitation: { [mode]: {} } })

/**
 * The parameters of `elicitation/create`, or a sentence that says what the revision cannot ask for.
 *
 * @since 0.1.0
 * @category wire
 */
export const toWire = (request: Request, wire: Wire): Result.Result<Params, string> => {
  if (wire.elicitation === "none") return Result.fail("This revision of the protocol has no elicitation")
  const { message } = request
  if (request.mode === "form") {
    const mode = wire.elicitation === "full" ? { mode: "form" } : undefined
    return Result.map(
      Written.requestedSchema(request.fields, wire),
      (requestedSchema) => ({ ...mode, message, requestedSchema })
    )
  }
  if (wire.elicitation !== "full") {
    return Result.fail("This revision of the protocol cannot send the user to a URL")
  }
  const { elicitationId, url } = request
  if (!wire.elicitationIds) return Result.succeed({ mode: "url", message, url })
  return elicitationId === undefined
    ? Result.fail("This revision of the protocol needs an elicitationId to send the user to a URL")
    : Result.succeed({ mode: "url", message, url, elicitationId })
}

/**
 * The user agreed: to send `content`, or to open the URL.
 *
 * @since 0.1.0
 * @category answers
 */
export interface Accept<out A> {
  readonly _tag: "Accept"
  readonly content: A
}

/**
 * The user said no.
 *
 * @since 0.1.0
 * @category answers
 */
export interface Decline {
  readonly _tag: "Decline"
}

/**
 * The user left without a choice.
 *
 * @since 0.1.0
 * @category answers
 */
export interface Cancel {
  readonly _tag: "Cancel"
}

/**
 * @since 0.1.0
 * @category answers
 */
export type Answer<A> = Accept<A> | Decline | Cancel

/**
 * @since 0.1.0
 * @category answers
 */
export const accept = <A>(content: A): Accept<A> => ({ _tag: "Accept", content })

/**
 * @since 0.1.0
 * @category answers
 */
export const decline: Decline = { _tag: "Decline" }

/**
 * @since 0.1.0
 * @category answers
 */
export const cancel: Cancel = { _tag: "Cancel" }

/**
 * The answer in a result of `elicitation/create`, where missing fields have their defaults. Fails with a sentence that
 * names the fields that do not fit.
 *
 * @since 0.1.0
 * @category wire
 */
export const answer = <R extends Request>(request: R, result: unknown): Effect.Effect<Answer<Content<R>>, string> => {
  const { action, content }: Params = Predicate.isObject(result) ? result : {}
  switch (action) {
    case "accept":
      // Sound: a form decodes to the type of its schema, and the content of a URL is `undefined`.
      return (request.mode === "form"
        ? accepted(request, content)
        : Effect.succeed(accept(undefined))) as Effect.Effect<
          Accept<Content<R>>,
          string
        >
    case "decline":
      return Effect.succeed(decline)
    case "cancel":
      return Effect.succeed(cancel)
    default:
      return Effect.fail(
        `The action of the answer must be "accept", "decline" or "cancel", and is ${shown(action)}`
      )
  }
}

// A text as it is, unless nobody would read it all.
const shown = (action: unknown): string => {
  if (typeof action !== "string") return action === undefined ? "missing" : "no text"
  return action.length <= 100 ? JSON.stringify(action) : "none of them"
}

const accepted = (form: Form, content: unknown): Effect.Effect<Accept<unknown>, string> => {
  // Where every field is optional, an answer without any may come without content.
  const given = content ?? {}
  const complete = Predicate.isObject(given) ? withDefaults(given, form.fields) : given
  const text = Predicate.isObject(given) ? textual(form, given) : undefined
  if (text !== undefined) return Effect.fail(unfit(`Expected a number\n  at [${JSON.stringify(text)}]`))
  const decode = SchemaParser.decodeUnknownEffect(Schema.toCodecJson(form.schema), Problem.thoroughly(given))
  return Effect.mapBothEager(decode(complete), {
    onSuccess: accept,
    onFailure: (issue) => unfit(Problem.describe(issue))
  })
}

const unfit = (problem: string): string => `The content of the answer does not fit the form: ${problem}`

// Numbers that JSON lacks are texts in Effect's JSON, such as "NaN"; in a form, a number is asked for.
const textual = (form: Form, given: Params): string | undefined =>
  Object.entries(form.fields).find(([name, { kind }]) =>
    Field.isNumeric(kind) && Object.hasOwn(given, name) && typeof given[name] === "string"
  )?.[0]

/**
 * A field as a client receives it: of every kind, and every way to write a choice, of all revisions.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Property = Theirs.Property

/**
 * @since 0.1.0
 * @category models
 */
export type Property = typeof Property.Type

/**
 * The form that a client receives.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RequestedSchema = Theirs.RequestedSchema

/**
 * @since 0.1.0
 * @category models
 */
export type RequestedSchema = typeof RequestedSchema.Type

/**
 * The parameters of `elicitation/create` as a client receives them. Without a mode it is a form.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Received = Theirs.Received

/**
 * @since 0.1.0
 * @category models
 */
export type Received = typeof Received.Type

/**
 * The choices of a received field with their titles, or nothing for a field that is no choice.
 *
 * @since 0.1.0
 * @category accessors
 */
export const optionsOf: (
  property: Property
) => ReadonlyArray<{ readonly value: string; readonly title: string }> | undefined = Theirs.optionsOf

/**
 * The content with the defaults of the fields that it lacks, of a form or of the properties of a received
 * {@link RequestedSchema}.
 *
 * @since 0.1.0
 * @category wire
 */
export const withDefaults = (
  content: Params,
  fields: { readonly [name: string]: { readonly default?: unknown } }
): Params => {
  const defaults = Object.entries(fields).flatMap(([name, field]) =>
    field.default === undefined || Object.hasOwn(content, name) ? [] : [[name, field.default]]
  )
  return defaults.length === 0 ? content : { ...content, ...Object.fromEntries(defaults) }
}
