/**
 * One tool, from its arguments to its result: decode, run, encode. What fails on the way is written for the model.
 * Knows nothing of how the call came.
 */
import * as Content from "@mcp-effect/protocol/Content"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as JsonSchemaValidator from "@mcp-effect/protocol/JsonSchemaValidator"
import * as Problem from "@mcp-effect/protocol/Problem"
import type { Wire } from "@mcp-effect/protocol/Revision"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ToolResult from "@mcp-effect/protocol/ToolResult"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import * as Forward from "./forward.ts"

/** What the codec of a tool says no to, in a sentence. */
export interface Invalid {
  readonly _tag: "Invalid"
  readonly message: string
}

const invalid = (message: string): Invalid => ({ _tag: "Invalid", message })

export interface Codec {
  readonly decode: (args: unknown) => Effect.Effect<unknown, Invalid>
  /** The output as JSON. */
  readonly encode: (output: unknown) => Effect.Effect<unknown, Invalid>
  readonly encodeFailure: (failure: unknown) => Effect.Effect<unknown, Invalid>
}

export const codec = (tool: Tool.Tool): Effect.Effect<Codec> =>
  tool.dynamic ? dynamicCodec(tool) : Effect.succeed({
    decode: check(() => SchemaParser.decodeUnknownEffect(Schema.toCodecJson(tool.input))),
    encode: tool.output === undefined ? Effect.succeed : encoder(tool.output),
    encodeFailure: tool.failure === undefined ? () => Effect.fail(invalid("")) : encoder(tool.failure)
  })

const encoder = (schema: Tool.AnySchema): Codec["encode"] =>
  check(() => SchemaParser.encodeUnknownEffect(Schema.toCodecJson(schema)))

// Compiled with the first value: a server starts without what it may never be asked for.
type Run<A> = (input: unknown, options: SchemaAST.ParseOptions) => Effect.Effect<A, SchemaIssue.Issue>

const check = <A>(compile: () => Run<A>) => {
  let run: Run<A> | undefined
  return (input: unknown): Effect.Effect<A, Invalid> =>
    Effect.mapErrorEager(
      (run ??= compile())(input, Problem.thoroughly(input)),
      (issue) => invalid(Problem.describe(issue))
    )
}

const dynamicCodec = Effect.fnUntraced(function*(tool: Tool.Tool): Effect.fn.Return<Codec> {
  const validator = yield* JsonSchemaValidator.JsonSchemaValidator
  const compile = (what: string, schema: Params | undefined): Effect.Effect<Codec["decode"]> => {
    if (schema === undefined) return Effect.succeed(Effect.succeed)
    if (validator === undefined) {
      return Effect.as(
        Forward.outside(Effect.logWarning(
          `The ${what} of tool ${tool.name} is not checked: no JsonSchemaValidator is provided (see AjvValidator.layer)`
        )),
        Effect.succeed
      )
    }
    return Effect.match(validator.compile(schema), {
      onFailure: (reason) => () => Effect.fail(invalid(`its JSON Schema cannot be used: ${reason}`)),
      onSuccess: (check) => (value: unknown) => {
        const problem = check(value)
        return problem === undefined ? Effect.succeed(value) : Effect.fail(invalid(problem))
      }
    })
  }
  return {
    decode: yield* compile("input", tool.inputSchema),
    encode: yield* compile("output", tool.outputSchema),
    encodeFailure: () => Effect.fail(invalid(""))
  }
})

/** A failure of the tool, as a result. */
export const errorResult = (text: string, meta?: Params): Params => ({
  content: [Content.text(text)],
  isError: true,
  ...(meta === undefined ? {} : { _meta: meta })
})

/** A typed failure: its message for the model, itself for a typed client. */
export const failed = (codec: Codec, failure: unknown): Effect.Effect<Params> =>
  Effect.match(codec.encodeFailure(failure), {
    onFailure: () => errorResult(sentence(failure, failure)),
    onSuccess: (encoded) => errorResult(sentence(failure, encoded), { [ToolResult.FAILURE]: encoded })
  })

const sentence = (failure: unknown, encoded: unknown): string => {
  if (typeof failure === "string") return failure
  if (Predicate.hasProperty(failure, "message") && Predicate.isString(failure.message) && failure.message !== "") {
    return failure.message
  }
  if (failure instanceof Error && encoded === failure) return failure.name
  if (!Predicate.isObject(encoded)) return JSON.stringify(encoded) ?? String(encoded)
  // A tagged error without a message: its tag says what happened, and its fields to what.
  const { _tag, ...fields } = encoded
  return Predicate.isString(_tag) ? `${_tag}: ${JSON.stringify(fields)}` : JSON.stringify(encoded)
}

/** What the handler returned, as a result of the revision. `parts` are what it streamed before. */
export const succeeded = (
  tool: Tool.Tool,
  codec: Codec,
  wire: Wire,
  returned: unknown,
  parts: ReadonlyArray<Content.Content>
): Effect.Effect<Params, Invalid> => {
  const reply = returned instanceof Tool.Reply ? returned : undefined
  const value: unknown = reply === undefined ? returned : reply.output
  const before = reply === undefined ? parts : [...parts, ...reply.content]
  if (tool.output === undefined) {
    return Effect.mapEager(contents(value), (content) => written([...before, ...content], wire, undefined, reply?.meta))
  }
  return Effect.mapEager(codec.encode(value), (json) => {
    const content = [...before, Content.text(JSON.stringify(json) ?? "null")]
    const structured = tool.outputSchema !== undefined && Tool.writes(wire, tool.outputSchema)
    return written(content, wire, structured ? { json } : undefined, reply?.meta)
  })
}

const written = (
  content: ReadonlyArray<Content.Content>,
  wire: Wire,
  structured: { readonly json: unknown } | undefined,
  meta: Params | undefined
): Params => ({
  content: content.map((item) => Content.toWire(item, wire)),
  ...(structured === undefined ? {} : { structuredContent: structured.json }),
  // Written here once more, so that what JSON cannot hold is a failure of the tool.
  ...(meta === undefined ? {} : { _meta: JSON.parse(JSON.stringify(meta)) })
})

const isContent = Schema.is(Content.Content)

const contents = (value: unknown): Effect.Effect<ReadonlyArray<Content.Content>, Invalid> => {
  if (value === undefined || value === null) return Effect.succeed([])
  if (typeof value === "string") return Effect.succeed([Content.text(value)])
  const items = (Array.isArray(value) ? value : [value]).map((item: unknown) =>
    typeof item === "string" ? Content.text(item) : item
  )
  return items.every(isContent)
    ? Effect.succeed(items)
    : Effect.fail(invalid("a tool without an output schema returns content, or text"))
}
