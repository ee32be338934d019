/**
 * Prompts: their definition, which a server and its typed clients share, and the messages that one is made of.
 *
 * A definition knows texts and the schemas of its arguments, which are texts on the wire; not who fills it in.
 *
 * Source: `server/prompts` of the specification.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type * as Capabilities from "./Capabilities.ts"
import * as Content from "./Content.ts"
import { Icon } from "./Implementation.ts"
import * as Lazily from "./internal/lazily.ts"
import * as ListedCheck from "./internal/listedCheck.ts"
import * as PromptArguments from "./internal/promptArguments.ts"
import type { Params } from "./JsonRpc.ts"
import * as McpError from "./McpError.ts"
import * as Problem from "./Problem.ts"
import { type Wire, written } from "./Revision.ts"
import type { AnySchema } from "./Tool.ts"

const Meta = Schema.Record(Schema.String, Schema.Unknown)

/**
 * An argument as it is listed.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Argument = Schema.Struct({
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  required: Schema.optionalKey(Schema.Boolean)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Argument = typeof Argument.Type

/**
 * The definition of a prompt.
 *
 * - `schema`: what the arguments decode to, from a record of texts.
 * - `arguments`: the arguments as listed.
 * - `needs`: capabilities without which a client cannot get the prompt.
 *
 * @since 0.1.0
 * @category models
 */
export interface Prompt<out Name extends string = string, out Args extends AnySchema = AnySchema> {
  readonly name: Name
  readonly title: string | undefined
  readonly description: string | undefined
  readonly icons: ReadonlyArray<Icon> | undefined
  readonly meta: Params | undefined
  readonly needs: Capabilities.Client | undefined
  readonly schema: Args
  readonly arguments: ReadonlyArray<Argument>
}

/**
 * What the handler of a prompt is given.
 *
 * @since 0.1.0
 * @category models
 */
export type Arguments<P extends Prompt> = P["schema"]["Type"]

/**
 * The schema of one argument: its encoded side is text.
 *
 * @since 0.1.0
 * @category models
 */
export type ArgumentSchema = Schema.ConstraintCodec<unknown, string | undefined>

interface Texts {
  readonly title?: string
  readonly description?: string
  readonly icons?: ReadonlyArray<Icon>
  readonly meta?: Params
  readonly needs?: Capabilities.Client
}

/**
 * Defines a prompt from the Effect schemas of its arguments: `Schema.String`, `Schema.NumberFromString`,
 * `Schema.Literals`, and whatever else is text when encoded. One that may be left out is a `Schema.optionalKey`. Titles and
 * descriptions are the annotations of the schemas.
 *
 * A schema that is no text is a programming error: it fails the layer that registers the prompt.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <const Name extends string, const Args extends { readonly [name: string]: ArgumentSchema } = {}>(
  name: Name,
  options: Texts & { readonly arguments?: Args } = {}
): Prompt<Name, Schema.Struct<Args>> => {
  // Sound: absent arguments are `{}` in the type too.
  const schema = Schema.Struct(options.arguments ?? {} as Args)
  return {
    ...texts(name, options),
    schema,
    get arguments() {
      // Listed when first asked for: a client that only gets never needs them.
      return Lazily.keep(this, "arguments", PromptArguments.list(name, schema.ast))
    }
  }
}

/**
 * Arguments of a prompt that are not known to the compiler.
 *
 * @since 0.1.0
 * @category schemas
 */
export const DynamicArguments = Schema.Record(Schema.String, Schema.String)

/**
 * Defines a prompt whose arguments are only known while running. Its handler is given a record of texts, in which the
 * required ones are there.
 *
 * @since 0.1.0
 * @category constructors
 */
export const dynamic = <const Name extends string>(
  name: Name,
  options: Texts & { readonly arguments?: ReadonlyArray<Argument> } = {}
): Prompt<Name, typeof DynamicArguments> => {
  const given = options.arguments ?? []
  const fields = Object.fromEntries(
    given.map(({ name, required }) => [name, required === true ? Schema.String : Schema.optionalKey(Schema.String)])
  )
  return {
    ...texts(name, options),
    // Sound: the fields are texts, as the rest of the record is.
    schema: Schema.StructWithRest(Schema.Struct(fields), [DynamicArguments]) as AnySchema as typeof DynamicArguments,
    arguments: given
  }
}

const texts = <Name extends string>(name: Name, options: Texts) => ({
  name,
  title: options.title,
  description: options.description,
  icons: options.icons,
  meta: options.meta,
  needs: options.needs
})

/**
 * Finds out whether a prompt can be listed, and its arguments be texts; throws a `TypeError` that says why not.
 *
 * @since 0.1.0
 * @category wire
 */
export const check = (prompt: Prompt): void => {
  const what = `The prompt ${JSON.stringify(prompt.name)}`
  const names = prompt.arguments.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new TypeError(`${what} has two arguments named ${JSON.stringify(twice)}`)
  checkListed(what, describedToWire(prompt, prompt.arguments))
}

/**
 * The arguments as the handler is given them. Fails with all that is wrong, by the names of the arguments.
 *
 * @since 0.1.0
 * @category wire
 */
export const decodeArguments = <P extends Prompt>(
  prompt: P,
  args: unknown
): Effect.Effect<Arguments<P>, McpError.InvalidParams> => {
  const given = args ?? {}
  const names = Predicate.isObject(given) ? Object.keys(given) : []
  if (names.length > MAX_ARGUMENTS) {
    const message = `Invalid arguments for prompt ${prompt.name}: they are ${names.length}, ` +
      `and ${MAX_ARGUMENTS} at most are read`
    return Effect.fail(new McpError.InvalidParams({ message }))
  }
  return Effect.mapErrorEager(
    SchemaParser.decodeUnknownEffect(prompt.schema, { errors: "all" })(present(given, names)),
    invalid(prompt)
  )
}

/**
 * How many arguments of a prompt are read.
 *
 * @since 0.1.0
 * @category constants
 */
export const MAX_ARGUMENTS = 1000

// Arguments are texts: some clients write `null` for those that they leave out.
const present = (args: unknown, names: ReadonlyArray<string>): unknown =>
  Predicate.isObject(args) && names.some((name) => args[name] === null)
    ? Object.fromEntries(names.flatMap((name) => args[name] === null ? [] : [[name, args[name]]]))
    : args

/**
 * The arguments as a client sends them.
 *
 * @since 0.1.0
 * @category wire
 */
export const encodeArguments = <P extends Prompt>(
  prompt: P,
  args: Arguments<P>
): Effect.Effect<Readonly<Record<string, string>>, McpError.InvalidParams> =>
  Effect.mapErrorEager(
    SchemaParser.encodeUnknownEffect(prompt.schema, { errors: "all" })(args),
    invalid(prompt)
    // Sound: `check` refuses a prompt with an argument that is no text.
  ) as Effect.Effect<Readonly<Record<string, string>>, McpError.InvalidParams>

const invalid = (prompt: Prompt) => (issue: SchemaIssue.Issue): McpError.InvalidParams =>
  new McpError.InvalidParams({ message: `Invalid arguments for prompt ${prompt.name}: ${Problem.describe(issue)}` })

/**
 * Who speaks.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Role = Schema.Literals(["user", "assistant"])

/**
 * @since 0.1.0
 * @category models
 */
export type Role = typeof Role.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const Message = Schema.Struct({ role: Role, content: Content.Content })

/**
 * @since 0.1.0
 * @category models
 */
export type Message = typeof Message.Type

/**
 * A message of the user; a string is text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const user = (content: Content.Content | string): Message => message("user", content)

/**
 * A message of the assistant; a string is text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const assistant = (content: Content.Content | string): Message => message("assistant", content)

const message = (role: Role, content: Content.Content | string): Message => ({
  role,
  content: typeof content === "string" ? Content.text(content) : content
})

/**
 * The result of `prompts/get`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Result = Schema.Struct({
  description: Schema.optionalKey(Schema.String),
  messages: Schema.Array(Message),
  _meta: Schema.optionalKey(Meta)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Result = typeof Result.Type

/**
 * A prompt as a server lists it: what a client knows of one that it has no definition of.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Listed = Schema.Struct({
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  arguments: Schema.optionalKey(Schema.Array(Argument)),
  icons: Schema.optionalKey(Schema.Array(Icon)),
  _meta: Schema.optionalKey(Meta)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Listed = typeof Listed.Type

const checkListed = ListedCheck.make(Listed)

/**
 * A prompt as `prompts/list` writes it in a revision.
 *
 * @since 0.1.0
 * @category wire
 */
export const toWire = (prompt: Prompt, wire: Wire): Params => {
  const args = prompt.arguments.map((argument) => written({ ...argument }, wire.fields.promptArgument))
  return written(describedToWire(prompt, args), wire.fields.prompt)
}

const describedToWire = (prompt: Prompt, args: ReadonlyArray<unknown>): Params => ({
  name: prompt.name,
  title: prompt.title,
  description: prompt.description,
  arguments: args.length === 0 ? undefined : args,
  icons: prompt.icons,
  _meta: prompt.meta
})

/**
 * The result of `prompts/get` as a revision writes it.
 *
 * @since 0.1.0
 * @category wire
 */
export const resultToWire = ({ messages, ...rest }: Result, wire: Wire): Params => ({
  ...rest,
  messages: messages.map(({ content, role }) => ({ role, content: Content.toWire(content, wire) }))
})
