/**
 * Tools: their definition, which a server and its typed clients share, and what a call of one yields.
 *
 * A definition knows schemas and texts; not who handles it, nor how it is called.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Capabilities from "./Capabilities.ts"
import type * as Content from "./Content.ts"
import type { Icon } from "./Implementation.ts"
import * as Lazily from "./internal/lazily.ts"
import * as ToolSchema from "./internal/toolSchema.ts"
import type { Params } from "./JsonRpc.ts"
import * as MirroredParameters from "./MirroredParameters.ts"
import type { Progress } from "./Progress.ts"
import { type Wire, written } from "./Revision.ts"

/**
 * A schema that needs no services, as both ends of a wire must run it.
 *
 * @since 0.1.0
 * @category models
 */
export type AnySchema = Schema.ConstraintCodec<unknown, unknown>

/**
 * Hints about a tool's behaviour. A client must not trust those of a server that it does not trust.
 *
 * @since 0.1.0
 * @category models
 */
export interface Annotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/**
 * The definition of a tool.
 *
 * - `input`: what arguments decode to. Its JSON form is advertised, and is what arguments are checked with.
 * - `output`: what the handler returns; without it, the tool returns content only.
 * - `failure`: what the handler may fail with, so that a typed client gets it back as a value.
 * - `inputSchema`, `outputSchema`: the JSON Schemas as advertised.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tool<
  out Name extends string = string,
  out Input extends AnySchema = AnySchema,
  out Output extends AnySchema | undefined = AnySchema | undefined,
  out Failure extends AnySchema | undefined = AnySchema | undefined
> {
  readonly name: Name
  readonly title: string | undefined
  readonly description: string | undefined
  readonly annotations: Annotations | undefined
  readonly icons: ReadonlyArray<Icon> | undefined
  readonly meta: Params | undefined
  /** The capabilities without which a client may not call it. They are not on the wire. */
  readonly needs: Capabilities.Client | undefined
  readonly input: Input
  readonly output: Output
  readonly failure: Failure
  readonly inputSchema: Params
  readonly outputSchema: Params | undefined
  /** Whether the schemas were given as raw JSON Schema: then a `JsonSchemaValidator` checks, not Effect's Schema. */
  readonly dynamic: boolean
}

/**
 * What a handler of the tool is given.
 *
 * @since 0.1.0
 * @category models
 */
export type Input<T extends Tool> = T["input"]["Type"]

/**
 * What a call of the tool yields: the output, or the content of a tool that declares none.
 *
 * @since 0.1.0
 * @category models
 */
export type Output<T extends Tool> = T["output"] extends AnySchema ? T["output"]["Type"]
  : ReadonlyArray<Content.Content>

/**
 * What the tool may fail with, if it declares that.
 *
 * @since 0.1.0
 * @category models
 */
export type Failure<T extends Tool> = T["failure"] extends AnySchema ? T["failure"]["Type"] : never

interface Texts {
  readonly title?: string
  readonly description?: string
  readonly annotations?: Annotations
  readonly icons?: ReadonlyArray<Icon>
  readonly meta?: Params
  readonly needs?: Capabilities.Client
}

type Fields = { readonly [x: string]: AnySchema }

type FromFields<S> = S extends AnySchema ? S : S extends Fields ? Schema.Struct<S> : undefined

type FromInput<I> = Exclude<FromFields<I>, undefined>

/**
 * Defines a tool from Effect schemas. `input` and `output` are schemas, or the fields of a struct; without `input`, the
 * tool takes no arguments. A field with the annotation `x-mcp-header` is a parameter that HTTP requests repeat as a header.
 *
 * An input that is not an object is a programming error: it fails the layer that registers the tool.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <
  const Name extends string,
  const I extends AnySchema | Fields = {},
  const O extends AnySchema | Fields | undefined = undefined,
  Failure extends AnySchema | undefined = undefined
>(
  name: Name,
  options: Texts & { readonly input?: I; readonly output?: O; readonly failure?: Failure } = {}
): Tool<Name, FromInput<I>, FromFields<O>, Failure> => {
  // Sound: `fromFields` distinguishes the cases of the types, and an absent option is `undefined` in the type too.
  const input = fromFields(options.input ?? {}) as FromInput<I>
  const output = (options.output && fromFields(options.output)) as FromFields<O>
  return {
    ...texts(name, options),
    input,
    output,
    failure: options.failure as Failure,
    // JSON Schemas are made when they are first asked for: a client that only calls never needs them.
    get inputSchema() {
      return Lazily.keep(this, "inputSchema", ToolSchema.input(name, input))
    },
    get outputSchema() {
      return Lazily.keep(this, "outputSchema", output && ToolSchema.output(name, output))
    },
    dynamic: false
  }
}

const fromFields = (given: AnySchema | Fields): AnySchema =>
  Schema.isSchema(given) ? given as AnySchema : Schema.Struct(given as Fields)

/**
 * Defines a tool from raw JSON Schema, for tools that are only known while running. Arguments are records, checked by
 * the `JsonSchemaValidator`, if one is provided.
 *
 * @since 0.1.0
 * @category constructors
 */
export const dynamic = <const Name extends string, const O extends Params | undefined = undefined>(
  name: Name,
  options: Texts & { readonly inputSchema: Params; readonly outputSchema?: O }
): Tool<Name, typeof Arguments, O extends Params ? typeof Schema.Unknown : undefined, undefined> => ({
  ...texts(name, options),
  input: Arguments,
  // Sound: `output` is there exactly if the JSON Schema is.
  output: (options.outputSchema && Schema.Unknown) as O extends Params ? typeof Schema.Unknown : undefined,
  failure: undefined,
  inputSchema: ToolSchema.objectRoot(name, options.inputSchema),
  outputSchema: options.outputSchema,
  dynamic: true
})

/**
 * Finds out whether the schemas of a tool can be advertised; throws a `TypeError` that says why not. Schemas that are
 * sure to be fine are left until they are asked for.
 *
 * @since 0.1.0
 * @category wire
 */
export const check = (tool: Tool): void => {
  const { input, output } = tool
  if (input.ast._tag !== "Objects" || !ToolSchema.isPlain(input.ast)) checkMirrored(tool)
  if (output !== undefined && !ToolSchema.isPlain(output.ast)) void tool.outputSchema
}

// A client excludes a tool whose parameters it cannot repeat as told, and nobody would know why.
const checkMirrored = ({ inputSchema, name }: Tool): void => {
  const parameters = MirroredParameters.of(inputSchema)
  if (Result.isFailure(parameters)) {
    throw new TypeError(`The input schema of tool ${JSON.stringify(name)} cannot be advertised: ${parameters.failure}`)
  }
}

/**
 * Arguments of a tool whose schema is not known to the compiler.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Arguments = Schema.Record(Schema.String, Schema.Unknown)

const texts = <Name extends string>(name: Name, options: Texts) => ({
  name,
  title: options.title,
  description: options.description,
  annotations: options.annotations,
  icons: options.icons,
  meta: options.meta,
  needs: options.needs
})

/**
 * Progress of a call, as {@link Progress.report} would send it.
 *
 * @since 0.1.0
 * @category events
 */
export interface ProgressEvent extends Progress {
  readonly _tag: "Progress"
}

/**
 * A piece of the result's content, ahead of the result. `missed` counts pieces before it that a slow consumer lost;
 * the result holds them.
 *
 * @since 0.1.0
 * @category events
 */
export interface PartEvent {
  readonly _tag: "Part"
  readonly content: Content.Content
  readonly missed: number
}

/**
 * The output of the call, which ends it.
 *
 * @since 0.1.0
 * @category events
 */
export interface OutputEvent<out A> {
  readonly _tag: "Output"
  readonly value: A
}

/**
 * What a streaming handler emits, and what a client's `stream` yields.
 *
 * @since 0.1.0
 * @category events
 */
export type Event<A> = ProgressEvent | PartEvent | OutputEvent<A>

/**
 * @since 0.1.0
 * @category events
 */
export const progress = (progress: Progress): ProgressEvent => ({ _tag: "Progress", ...progress })

/**
 * A piece of content; a string is text.
 *
 * @since 0.1.0
 * @category events
 */
export const part = (content: Content.Content | string): PartEvent => ({
  _tag: "Part",
  content: typeof content === "string" ? { type: "text", text: content } : content,
  missed: 0
})

/**
 * @since 0.1.0
 * @category events
 */
export const output = <A>(value: A): OutputEvent<A> => ({ _tag: "Output", value })

/**
 * An output with more around it: `content` that goes before its JSON text, and `_meta` of the result.
 *
 * @since 0.1.0
 * @category results
 */
export class Reply<out A> {
  readonly output: A
  readonly content: ReadonlyArray<Content.Content>
  readonly meta: Params | undefined
  constructor(output: A, content: ReadonlyArray<Content.Content>, meta: Params | undefined) {
    this.output = output
    this.content = content
    this.meta = meta
  }
}

/**
 * An output with content or `_meta` beside it. For a tool without an output schema, leave `output` out.
 *
 * @since 0.1.0
 * @category results
 */
export const reply = <A = undefined>(options: {
  readonly output?: A
  readonly content?: ReadonlyArray<Content.Content>
  readonly meta?: Params
}): Reply<A> =>
  // Sound: where `output` is left out, `A` is `undefined`.
  new Reply<A>(options.output as A, options.content ?? [], options.meta)

/**
 * A tool as `tools/list` writes it in a revision.
 *
 * @since 0.1.0
 * @category wire
 */
export const toWire = (tool: Tool, wire: Wire): Params => {
  const outputSchema = tool.outputSchema
  const all: Params = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    outputSchema: outputSchema !== undefined && writes(wire, outputSchema) ? outputSchema : undefined,
    annotations: tool.annotations,
    icons: tool.icons,
    _meta: tool.meta
  }
  return written(all, wire.fields.tool)
}

/**
 * Whether a revision can write structured output of this schema: objects since 2025-06-18, anything since 2026-07-28.
 *
 * @since 0.1.0
 * @category wire
 */
export const writes = (wire: Wire, outputSchema: Params): boolean =>
  wire.structured === "any" || (wire.structured === "object" && outputSchema.type === "object")
