/**
 * The resources of a server, as a client uses them: listed, read by URI, and read by a template and its variables.
 *
 * Source: `server/resources` of the specification.
 *
 * @since 0.1.0
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as UriTemplate from "@mcp-effect/protocol/UriTemplate"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import type * as Stream from "effect/Stream"
import * as Listing from "./internal/listing.ts"
import type { RequestOptions, Send } from "./Requests.ts"

/**
 * What a resource holds: text, or bytes. `meta` is the `_meta` that came with it.
 *
 * @since 0.1.0
 * @category models
 */
export type Contents = Text | Bytes

/**
 * @since 0.1.0
 * @category models
 */
export interface Text extends Described {
  readonly _tag: "Text"
  readonly text: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Bytes extends Described {
  readonly _tag: "Bytes"
  readonly bytes: Uint8Array
}

interface Described {
  readonly uri: string
  readonly mimeType: string | undefined
  readonly meta: Params | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Resources {
  /** All pages of the list, up to 100 pages. */
  readonly listResources: (
    options?: RequestOptions
  ) => Effect.Effect<ReadonlyArray<Resource.Listed>, McpError.McpError>
  /** The same as they come, page by page, each page asked for when it is needed. */
  readonly resources: (options?: RequestOptions) => Stream.Stream<Resource.Listed, McpError.McpError>
  /** All pages of the list of templates, up to 100 pages. {@link expand} makes a URI of one. */
  readonly listResourceTemplates: (
    options?: RequestOptions
  ) => Effect.Effect<ReadonlyArray<Resource.ListedTemplate>, McpError.McpError>
  /** The same as they come. */
  readonly resourceTemplates: (options?: RequestOptions) => Stream.Stream<Resource.ListedTemplate, McpError.McpError>
  /** What is at a URI: one piece, or several, as of a directory. */
  readonly readResource: (
    uri: string,
    options?: RequestOptions
  ) => Effect.Effect<ReadonlyArray<Contents>, McpError.McpError>
  /** What is at the URI that a template, by its definition, gives for these variables. */
  readonly readTemplate: <T extends Resource.ResourceTemplate>(
    template: T,
    variables: Resource.Variables<T>,
    options?: RequestOptions
  ) => Effect.Effect<ReadonlyArray<Contents>, McpError.McpError>
}

const readListed = Listing.reader("resource", Resource.Listed)

const readTemplates = Listing.reader("resource template", Resource.ListedTemplate)

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (send: Send): Resources => {
  const capability = "resources"
  const listed = Listing.make(send, { method: "resources/list", member: "resources", capability, read: readListed })
  const templates = Listing.make(send, {
    method: "resources/templates/list",
    member: "resourceTemplates",
    capability,
    read: readTemplates
  })
  const readResource: Resources["readResource"] = (uri, options) =>
    Effect.flatMap(send("resources/read", { uri }, { ...options, capability, cached: true }), contentsOf)
  return {
    listResources: listed.all,
    resources: listed.stream,
    listResourceTemplates: templates.all,
    resourceTemplates: templates.stream,
    readResource,
    readTemplate: (template, variables, options) =>
      Effect.suspend(() => Resource.uriOf(template, variables)).pipe(
        Effect.mapError((message) => new McpError.InvalidParams({ message })),
        Effect.flatMap((uri) => readResource(uri, options))
      )
  }
}

/**
 * The URI that a template, as it is listed, gives for these values. Fails for a template that is malformed, and for values
 * that it cannot take.
 *
 * @since 0.1.0
 * @category templates
 */
export const expand = (
  template: string | Resource.ListedTemplate,
  values: UriTemplate.Values
): Effect.Effect<string, McpError.InvalidParams> =>
  Effect.suspend(() => {
    const parsed = UriTemplate.parse(typeof template === "string" ? template : template.uriTemplate)
    if (Result.isFailure(parsed)) return Effect.fail(new McpError.InvalidParams({ message: parsed.failure }))
    try {
      return Effect.succeed(UriTemplate.expand(parsed.success, values))
    } catch (error) {
      // The template is the server's, so what does not fit it is no mistake of the program.
      return Effect.fail(
        new McpError.InvalidParams({ message: error instanceof Error ? error.message : String(error) })
      )
    }
  })

const decode = SchemaParser.decodeUnknownEffect(Resource.ReadResult)

const contentsOf = (result: Params): Effect.Effect<ReadonlyArray<Contents>, McpError.InvalidResult> =>
  Effect.flatMap(
    Effect.mapError(decode(result, Problem.thoroughly(result)), (issue) => malformed(Problem.describe(issue))),
    ({ contents }) => Effect.forEach(contents, decoded)
  )

const decoded = (contents: Resource.Contents): Effect.Effect<Contents, McpError.InvalidResult> => {
  const described = { uri: contents.uri, mimeType: contents.mimeType, meta: contents._meta }
  if ("text" in contents) return Effect.succeed({ _tag: "Text", ...described, text: contents.text })
  const bytes = Base64.decode(contents.blob)
  return Result.isSuccess(bytes)
    ? Effect.succeed({ _tag: "Bytes", ...described, bytes: bytes.success })
    : Effect.fail(malformed(`the blob of ${Problem.cut(contents.uri, 200)} is no base64`))
}

const malformed = (what: string): McpError.InvalidResult =>
  new McpError.InvalidResult({ method: "resources/read", message: `The result is malformed: ${what}` })
