/**
 * What handles a resource or a template: a function to an effect of what the resource holds, or to a stream of it.
 *
 * Knows nothing of which resources there are.
 *
 * @since 0.1.0
 */
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { CachingHints, Call, Method, Result } from "./Call.ts"
import * as Invocation from "./internal/invocation.ts"
import * as Needs from "./internal/needs.ts"
import * as ProtocolError from "./internal/protocolError.ts"
import * as Reporter from "./internal/reporter.ts"
import * as ResourceRun from "./internal/resourceRun.ts"

/**
 * What a resource holds: text, bytes, or contents, of which there may be several; `undefined` if there is no such resource.
 * The mime type is that of the definition where the contents do not say otherwise; of several, only those with the URI
 * of the resource are of its type.
 *
 * @since 0.1.0
 * @category models
 */
export type Returned = string | Uint8Array | Resource.Contents | ReadonlyArray<Resource.Contents> | undefined

/**
 * How a resource is read. `Scope` is each reading's own.
 *
 * A stream is of text, or of bytes, and is joined as it is; an empty one is empty text. It is stopped, and the reading
 * fails, when what it would take on the wire is larger than `Limits.messageBytes`.
 *
 * What it fails with is the reply: an error of the protocol, such as `McpError.ResourceNotFound`, as it is, anything else
 * as an internal error with its message, which is thus written for the client. Of a defect the client learns nothing.
 *
 * @since 0.1.0
 * @category models
 */
export type Reading<R> =
  | Effect.Effect<Returned, unknown, R>
  | Stream.Stream<string, unknown, R>
  | Stream.Stream<Uint8Array, unknown, R>

/**
 * - `uri`: that of the definition, or, for a template, the one that is read, as its client has spelled it.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResourceContext {
  readonly uri: string
}

/**
 * @since 0.1.0
 * @category models
 */
export type ResourceHandler<R> = (context: ResourceContext) => Reading<R>

/**
 * A handler of a template. Variables are percent-decoded: one that becomes a path is checked first.
 *
 * @since 0.1.0
 * @category models
 */
export type TemplateHandler<T extends Resource.ResourceTemplate, R> = (
  variables: Resource.Variables<T>,
  context: ResourceContext
) => Reading<R>

/**
 * The method that reads a URI, if it is one of the template.
 *
 * @since 0.1.0
 * @category models
 */
export type Match = (uri: string) => Method | undefined

/**
 * The method that reads a resource with its handler, in the context of the layer that registers it. `caching`: hints for
 * all that it yields.
 *
 * @since 0.1.0
 * @category constructors
 */
export const method = <R>(
  resource: Resource.Resource,
  handler: ResourceHandler<R>,
  caching?: Partial<CachingHints>
): Effect.Effect<Method, never, Exclude<R, Scope.Scope>> =>
  Effect.map(
    reader(resource, (_, context) => handler(context), caching),
    (read): Method => (call) => read(call, resource.uri, Effect.void)
  )

/**
 * {@link method} for the URIs of a template.
 *
 * @since 0.1.0
 * @category constructors
 */
export const match = <T extends Resource.ResourceTemplate, R>(
  template: T,
  handler: TemplateHandler<T, R>,
  caching?: Partial<CachingHints>
): Effect.Effect<Match, never, Exclude<R, Scope.Scope>> =>
  Effect.map(
    reader<Resource.Variables<T>, R>(template, handler, caching),
    (read): Match => (uri) => {
      const variables = Resource.variablesOf<Resource.Variables<T>>(template, uri)
      if (variables === undefined) return undefined
      const decoded = Effect.mapErrorEager(variables, (problem) =>
        new McpError.InvalidParams({
          message: `Invalid params: the URI ${uri} does not fit ${template.uriTemplate}: ${problem}`
        }))
      return (call) => read(call, uri, decoded)
    }
  )

type Read<V> = (
  call: Call,
  uri: string,
  variables: Effect.Effect<V, McpError.InvalidParams>
) => Effect.Effect<Result, McpError.ProtocolError>

const reader = <V, R>(
  { mimeType, needs }: Resource.Resource | Resource.ResourceTemplate,
  handler: (variables: V, context: ResourceContext) => Reading<R>,
  caching: Partial<CachingHints> | undefined
): Effect.Effect<Read<V>, never, Exclude<R, Scope.Scope>> =>
  Effect.map(Invocation.make<R>(), (invocation) => {
    const run = (call: Call, uri: string, variables: V): Effect.Effect<unknown, unknown> =>
      Effect.suspend(() => {
        const reading = handler(variables, { uri })
        // A value that is there already needs nothing of what follows.
        if (Exit.isExit(reading) && Exit.isSuccess(reading)) return reading
        const body: Effect.Effect<unknown, unknown, R> = Effect.isEffect(reading)
          ? reading
          : ResourceRun.collect<unknown, R>(uri, reading)
        return invocation.run(call, Reporter.make(call), body)
      })
    return (call, uri, variables) => {
      const missing = Needs.missing(call, needs, `The resource ${uri}`)
      if (missing !== undefined) return Effect.fail(missing)
      return Effect.flatMapEager(variables, (variables) =>
        run(call, uri, variables).pipe(
          Effect.mapErrorEager((error) => ProtocolError.of(error, `The resource ${uri} could not be read`)),
          Effect.flatMapEager((returned) => ResourceRun.result(uri, mimeType, returned)),
          Effect.mapEager((value) => ({ value, caching, key: undefined }))
        ))
    }
  })
