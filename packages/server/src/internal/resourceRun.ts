/**
 * What the handler of a resource yields, as the contents of a result: text, bytes, contents, or a stream of which no more
 * is read than a message holds. Knows nothing of how the call came.
 */
import * as Content from "@mcp-effect/protocol/Content"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Bytes from "effect/Bytes"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Binary from "./binary.ts"

export const notFound = (uri: string): McpError.ResourceNotFound =>
  new McpError.ResourceNotFound({ uri, message: `Resource not found: ${uri}` })

/** What was returned, as a result. What cannot be one is a defect. */
export const result = (
  uri: string,
  mimeType: string | undefined,
  returned: unknown
): Effect.Effect<Params, McpError.ResourceNotFound> =>
  Effect.suspend(() => {
    if (returned === undefined) return Effect.fail(notFound(uri))
    return Effect.succeed({ contents: contents(uri, mimeType, returned) })
  })

const contents = (uri: string, mimeType: string | undefined, returned: unknown): ReadonlyArray<Resource.Contents> => {
  const type = mimeType === undefined ? {} : { mimeType }
  if (Predicate.isString(returned)) return [Resource.text(uri, returned, type)]
  if (returned instanceof Uint8Array) return [Resource.blob(uri, returned, type)]
  const items: ReadonlyArray<unknown> = Array.isArray(returned) ? returned : [returned]
  if (!items.every(isContents)) {
    throw new TypeError(`The handler of the resource ${uri} must return text, bytes, contents, or undefined`)
  }
  for (const item of items) {
    const problem = Binary.problemOf(item)
    if (problem !== undefined) throw new TypeError(`The resource ${uri} cannot be written: ${problem}`)
  }
  // Of several contents, only those of the resource itself are known to be of its type.
  return items.map((item) => written(!Array.isArray(returned) || item.uri === uri ? { ...type, ...item } : item))
}

const isContents = Schema.is(Content.ResourceContents)

// Written here once more, so that what JSON cannot hold is a defect of the handler.
const written = (contents: Resource.Contents): Resource.Contents =>
  contents._meta === undefined ? contents : { ...contents, _meta: JSON.parse(JSON.stringify(contents._meta)) }

/** The whole of a stream: its text, or its bytes. One that is larger than a message is stopped there. */
export const collect = <E, R>(
  uri: string,
  stream: Stream.Stream<string | Uint8Array, E, R>
): Effect.Effect<string | Uint8Array, E | McpError.InternalError, R> =>
  Effect.flatMap(Limits.Limits, ({ messageBytes: limit }) => {
    let text: string | undefined
    let bytes: Array<Uint8Array> | undefined
    let size = 0
    const each = (chunk: string | Uint8Array): Effect.Effect<void, McpError.InternalError> => {
      if (typeof chunk === "string") {
        text = (text ?? "") + chunk
      } else if (chunk instanceof Uint8Array) {
        bytes ??= []
        if (chunk.length > 0) bytes.push(chunk)
      } else {
        return Effect.die(unlike(uri))
      }
      size += chunk.length
      if (text !== undefined && bytes !== undefined) return Effect.die(unlike(uri))
      return (bytes === undefined ? size : base64Length(size)) > limit
        ? Effect.fail(new McpError.InternalError({ message: tooLarge(uri, limit) }))
        : Effect.void
    }
    return Effect.map(Stream.runForEach(stream, each), () => bytes === undefined ? text ?? "" : Bytes.concat(bytes))
  })

const unlike = (uri: string): TypeError =>
  new TypeError(`The stream of the resource ${uri} must be all of text, or all of bytes`)

const tooLarge = (uri: string, limit: number): string =>
  `The resource ${uri} was not read to its end: it is larger than ${limit} characters`

const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3)
