/**
 * Resources: what a server lets be read under a URI, templates of such URIs with typed variables, and what a reading yields.
 *
 * A definition knows a URI and texts; not who reads it, nor how it is asked for.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type * as Types from "effect/Types"
import type * as Capabilities from "./Capabilities.ts"
import * as Content from "./Content.ts"
import { Icon } from "./Implementation.ts"
import * as Lazily from "./internal/lazily.ts"
import * as ListedCheck from "./internal/listedCheck.ts"
import * as ResourceCheck from "./internal/resourceCheck.ts"
import * as UriText from "./internal/uriTemplateText.ts"
import type { Params } from "./JsonRpc.ts"
import * as Problem from "./Problem.ts"
import { type Wire, written } from "./Revision.ts"
import * as UriTemplate from "./UriTemplate.ts"

interface Described {
  readonly name: string
  readonly title: string | undefined
  readonly description: string | undefined
  readonly mimeType: string | undefined
  readonly annotations: Content.Annotations | undefined
  readonly icons: ReadonlyArray<Icon> | undefined
  readonly meta: Params | undefined
  /** What its handler asks of the client: one that lacks it is refused before the handler runs. Not on the wire. */
  readonly needs: Capabilities.Client | undefined
}

/**
 * The definition of a resource. `size` is in bytes, before base64.
 *
 * @since 0.1.0
 * @category models
 */
export interface Resource extends Described {
  readonly uri: string
  readonly size: number | undefined
}

/**
 * The definition of resources whose URIs a template gives.
 *
 * - `parsed`: the template; throws a `TypeError` if it is malformed.
 * - `variables`: what the variables of a URI decode to, as a record of texts and lists.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResourceTemplate<out Variables = unknown> extends Described {
  readonly uriTemplate: string
  readonly parsed: UriTemplate.UriTemplate
  readonly variables: Schema.ConstraintCodec<Variables, unknown>
}

/**
 * What a handler of the template is given.
 *
 * @since 0.1.0
 * @category models
 */
export type Variables<T extends ResourceTemplate> = T["variables"]["Type"]

/**
 * Schemas of variables. Each is written as text, or as a list of texts if the variable is exploded.
 *
 * @since 0.1.0
 * @category models
 */
export type VariableSchemas = {
  readonly [x: string]: Schema.ConstraintCodec<unknown, string | ReadonlyArray<string> | undefined>
}

/**
 * The variables of a template with these schemas: those without one are text, or lists of texts.
 *
 * @since 0.1.0
 * @category models
 */
export type VariablesOf<Text extends string, Schemas extends VariableSchemas> = string extends Text
  ? keyof Schemas extends never ? UriTemplate.Variables<Text>
  : Schema.Struct.Type<Schemas> & { readonly [x: string]: unknown }
  : Types.Simplify<Omit<UriTemplate.Variables<Text>, keyof Schemas> & Schema.Struct.Type<Schemas>>

interface Texts {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly annotations?: Content.Annotations
  readonly icons?: ReadonlyArray<Icon>
  readonly meta?: Params
  readonly needs?: Capabilities.Client
}

/**
 * Defines a resource. Its URI is absolute: it begins with a scheme.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Texts & { readonly uri: string; readonly size?: number }): Resource => ({
  uri: options.uri,
  size: options.size,
  ...described(options)
})

/**
 * Defines resources by a URI template (RFC 6570). Variables without a schema are text; exploded ones (`{tags*}`) are
 * lists, empty if they are not there. Variables after one of `# . / ; ? &` may be missing: their schema is a
 * `Schema.optionalKey`, or has a default, unless they must be there.
 *
 * Text is percent-decoded, so that a variable may hold "/" or "..": check what becomes a path before it is used.
 *
 * @since 0.1.0
 * @category constructors
 */
export const template = <const Text extends string, const Schemas extends VariableSchemas = {}>(
  uriTemplate: Text,
  options: Texts & { readonly variables?: Schemas }
): ResourceTemplate<VariablesOf<Text, Schemas>> => ({
  uriTemplate,
  ...described(options),
  // Parsed when it is first asked for, so that what is wrong with it is told by `check`, and not where it is defined.
  get parsed() {
    return Lazily.keep(this, "parsed", UriTemplate.make(uriTemplate))
  },
  get variables() {
    // Sound: the type is made of the same text and schemas, in the same way.
    const codec = struct(this.parsed, options.variables ?? {}) as Schema.ConstraintCodec<
      VariablesOf<Text, Schemas>,
      unknown
    >
    return Lazily.keep(this, "variables", codec)
  }
})

const described = (options: Texts): Described => ({
  name: options.name,
  title: options.title,
  description: options.description,
  mimeType: options.mimeType,
  annotations: options.annotations,
  icons: options.icons,
  meta: options.meta,
  needs: options.needs
})

const struct = (parsed: UriTemplate.UriTemplate, schemas: VariableSchemas): Schema.Constraint => {
  const plain = (name: string): Schema.Constraint => {
    if (parsed.lists.has(name)) return Schema.Array(Schema.String)
    return parsed.required.has(name) ? Schema.String : Schema.optionalKey(Schema.String)
  }
  const all = parsed.variables.map((name) => [name, Object.hasOwn(schemas, name) ? schemas[name] : plain(name)])
  // Schemas of variables that do not exist are kept, for `check` to find.
  return Schema.Struct({ ...schemas, ...Object.fromEntries(all) })
}

/**
 * Finds out whether a resource or a template can be served; throws a `TypeError` that says why not.
 *
 * @since 0.1.0
 * @category wire
 */
export const check = (resource: Resource | ResourceTemplate): void => {
  const problem = isTemplate(resource)
    ? ResourceCheck.templateProblem(resource.parsed, resource.variables)
    : ResourceCheck.problem(resource)
  if (problem !== undefined) throw new TypeError(problem)
  const listed = describedToWire(resource)
  if (isTemplate(resource)) {
    checkTemplate(`The resource template ${resource.uriTemplate}`, { ...listed, uriTemplate: resource.uriTemplate })
  } else {
    checkListed(`The resource ${resource.uri}`, { ...listed, uri: resource.uri, size: resource.size })
  }
}

/**
 * @since 0.1.0
 * @category guards
 */
export const isTemplate = (resource: Resource | ResourceTemplate): resource is ResourceTemplate =>
  "uriTemplate" in resource

/**
 * The one spelling of a URI: percent-encoded where it must be, and nowhere else. What is no URI, or longer than
 * `UriTemplate.MAX_URI`, stays as it is.
 *
 * @since 0.1.0
 * @category accessors
 */
export const normalize = (uri: string): string =>
  // A longer one is no URI of a resource, and would only take time.
  uri.length <= UriTemplate.MAX_URI && UriText.isWellFormed(uri) ? UriText.normalize(uri) : uri

interface Codec {
  readonly decode: (matched: unknown) => Effect.Effect<unknown, string>
  readonly encode: (variables: unknown) => Effect.Effect<UriTemplate.Values, string>
}

const codecs = new WeakMap<ResourceTemplate, Codec>()

const codecOf = (template: ResourceTemplate): Codec => {
  let codec = codecs.get(template)
  if (codec === undefined) {
    const decode = SchemaParser.decodeUnknownEffect(template.variables, { errors: "all" })
    const encode = SchemaParser.encodeUnknownEffect(template.variables, { errors: "all" })
    codecs.set(
      template,
      codec = {
        decode: (matched) => Effect.mapErrorEager(decode(matched), Problem.describe),
        // Sound: `check` lets only schemas of texts and lists pass.
        encode: (variables) =>
          Effect.mapErrorEager(encode(variables), Problem.describe) as Effect.Effect<UriTemplate.Values, string>
      }
    )
  }
  return codec
}

/**
 * The variables of a URI that a template gives: `undefined` if it gives none like it, and a failure, which says why, if
 * the variables do not fit their schemas.
 *
 * @since 0.1.0
 * @category variables
 */
export const variablesOf = <V>(
  template: ResourceTemplate<V>,
  uri: string
): Effect.Effect<V, string> | undefined => {
  const matched = UriTemplate.match(template.parsed, uri)
  if (matched === undefined) return undefined
  const noLists = [...template.parsed.lists].flatMap((name) => Object.hasOwn(matched, name) ? [] : [[name, []]])
  const all = noLists.length === 0 ? matched : { ...matched, ...Object.fromEntries(noLists) }
  // Sound: decoded by the template's own schemas.
  return codecOf(template).decode(all) as Effect.Effect<V, string>
}

/**
 * The URI that a template gives for these variables; a failure says which do not fit their schemas, or are empty and must
 * not be.
 *
 * @since 0.1.0
 * @category variables
 */
export const uriOf = <V>(template: ResourceTemplate<V>, variables: V): Effect.Effect<string, string> =>
  Effect.flatMapEager(codecOf(template).encode(variables), (values) => {
    for (const name of template.parsed.required) {
      if (Object.hasOwn(values, name) && values[name] !== "") continue
      return Effect.fail(`The variable ${JSON.stringify(name)} of ${template.uriTemplate} must not be empty`)
    }
    return Effect.succeed(UriTemplate.expand(template.parsed, values))
  })

/**
 * {@link uriOf} at once: throws a `TypeError` where that fails. For schemas that need no time.
 *
 * @since 0.1.0
 * @category variables
 */
export const expand = <V>(template: ResourceTemplate<V>, variables: V): string =>
  Effect.runSync(Effect.match(uriOf(template, variables), {
    onFailure: (problem) => () => {
      throw new TypeError(problem)
    },
    onSuccess: (uri) => () => uri
  }))()

/**
 * What a resource holds: text, or bytes in base64.
 *
 * @since 0.1.0
 * @category models
 */
export type Contents = typeof Content.ResourceContents.Type

interface ContentsOptions {
  readonly mimeType?: string
  readonly meta?: Params
}

const around = (uri: string, { meta, mimeType }: ContentsOptions) => ({
  uri,
  ...(mimeType === undefined ? {} : { mimeType }),
  ...(meta === undefined ? {} : { _meta: meta })
})

/**
 * @since 0.1.0
 * @category contents
 */
export const text = (uri: string, text: string, options: ContentsOptions = {}): Contents => ({
  ...around(uri, options),
  text
})

/**
 * Binary contents; `data` is bytes, or base64 text.
 *
 * @since 0.1.0
 * @category contents
 */
export const blob = (uri: string, data: string | Uint8Array, options: ContentsOptions = {}): Contents => ({
  ...around(uri, options),
  blob: typeof data === "string" ? data : Base64.encode(data)
})

const Meta = Schema.Record(Schema.String, Schema.Unknown)

const listed = {
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  mimeType: Schema.optionalKey(Schema.String),
  annotations: Schema.optionalKey(Content.Annotations),
  icons: Schema.optionalKey(Schema.Array(Icon)),
  _meta: Schema.optionalKey(Meta)
}

/**
 * A resource as a server lists it: what a client knows of it. Its URI is taken as it is.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Listed = Schema.Struct({ uri: Schema.String, size: Schema.optionalKey(Schema.Finite), ...listed })

/**
 * @since 0.1.0
 * @category models
 */
export type Listed = typeof Listed.Type

/**
 * A template as a server lists it. It need not be one that `UriTemplate` can parse.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListedTemplate = Schema.Struct({ uriTemplate: Schema.String, ...listed })

/**
 * @since 0.1.0
 * @category models
 */
export type ListedTemplate = typeof ListedTemplate.Type

const checkListed = ListedCheck.make(Listed)

const checkTemplate = ListedCheck.make(ListedTemplate)

/**
 * The result of `resources/read`, as a client reads it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReadResult = Schema.Struct({
  contents: Schema.Array(Content.ResourceContents),
  _meta: Schema.optionalKey(Meta)
})

/**
 * @since 0.1.0
 * @category models
 */
export type ReadResult = typeof ReadResult.Type

const describedToWire = (described: Described): Params => ({
  name: described.name,
  title: described.title,
  description: described.description,
  mimeType: described.mimeType,
  annotations: described.annotations,
  icons: described.icons,
  _meta: described.meta
})

/**
 * A resource as `resources/list` writes it in a revision.
 *
 * @since 0.1.0
 * @category wire
 */
export const toWire = (resource: Resource, wire: Wire): Params =>
  written({ uri: resource.uri, ...describedToWire(resource), size: resource.size }, wire.fields.resource)

/**
 * A template as `resources/templates/list` writes it in a revision.
 *
 * @since 0.1.0
 * @category wire
 */
export const templateToWire = (template: ResourceTemplate, wire: Wire): Params =>
  written({ uriTemplate: template.uriTemplate, ...describedToWire(template) }, wire.fields.resourceTemplate)
