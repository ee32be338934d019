/**
 * A list of the server, page by page: as a stream, or all of it. What is malformed in it is dropped with a log line, and
 * the rest stays. Bounded: a server that pages forever, or in a circle, is an error.
 *
 * Knows no method.
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as Stream from "effect/Stream"
import type { RequestOptions, Send } from "../Requests.ts"

export interface Listing<A> {
  readonly all: (options?: RequestOptions) => Effect.Effect<ReadonlyArray<A>, McpError.McpError>
  readonly stream: (options?: RequestOptions) => Stream.Stream<A, McpError.McpError>
}

/**
 * - `member`: of the result, that holds the items.
 * - `capability`: what the server must have declared.
 * - `read`: see {@link reader}.
 */
export interface Kind<A> {
  readonly method: string
  readonly member: string
  readonly capability?: string
  readonly read: (items: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>>
}

const MAX_PAGES = 100

interface Place {
  readonly cursor: string | undefined
  readonly seen: ReadonlySet<string>
}

const first: Place = { cursor: undefined, seen: new Set() }

type Page<A> = readonly [ReadonlyArray<A>, Option.Option<Place>]

export const make = <A>(send: Send, kind: Kind<A>): Listing<A> => {
  const { member, method, read } = kind
  const needs = kind.capability === undefined ? {} : { capability: kind.capability }
  const invalid = (message: string): McpError.InvalidResult => new McpError.InvalidResult({ method, message })

  const page = Effect.fnUntraced(function*(
    { cursor, seen }: Place,
    options: RequestOptions | undefined
  ): Effect.fn.Return<Page<A>, McpError.McpError> {
    const params = cursor === undefined ? undefined : { cursor }
    const result: Params = yield* send(method, params, { ...options, ...needs, cached: true })
    const items = result[member]
    if (!Array.isArray(items)) return yield* invalid(`The result has no array of ${JSON.stringify(member)}`)
    const all = yield* read(items)
    const next = result.nextCursor
    if (typeof next !== "string") return [all, Option.none()]
    if (seen.has(next)) return yield* invalid("The server pages in a circle")
    if (seen.size + 1 >= MAX_PAGES) return yield* invalid(`The server lists more than ${MAX_PAGES} pages`)
    return [all, Option.some({ cursor: next, seen: new Set([...seen, next]) })]
  })

  return {
    all: Effect.fnUntraced(function*(options) {
      let all: Array<A> = []
      let place = first
      let again = false
      for (;;) {
        const { cursor } = place
        // A cursor that holds no more: the pages before it may be of another list, and all is read once more.
        const found: Page<A> | undefined = yield* Effect.catch(
          page(place, options),
          (error) =>
            error._tag === "InvalidParams" && cursor !== undefined && !again ? Effect.undefined : Effect.fail(error)
        )
        if (found === undefined) {
          again = true
          all = []
          place = first
          continue
        }
        all.push(...found[0])
        if (Option.isNone(found[1])) return all
        place = found[1].value
      }
    }),
    stream: (options) => Stream.paginate(first, (place) => page(place, options))
  }
}

/** Reads items one by one; `what` is one of them, as the log names it. */
export const reader = <A>(what: string, schema: Schema.ConstraintDecoder<A>) => {
  const decode = SchemaParser.decodeUnknownEffect(schema)
  return (items: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<A>> =>
    Effect.gen(function*() {
      const read: Array<A> = []
      for (const [index, item] of items.entries()) {
        yield* Effect.matchEffect(decode(item), {
          onFailure: (issue) =>
            Effect.logWarning(
              `Dropped ${what} ${index} of the server's list, which is malformed: ${Problem.describe(issue)}`
            ),
          onSuccess: (item) => Effect.sync(() => read.push(item))
        })
      }
      return read
    })
}
