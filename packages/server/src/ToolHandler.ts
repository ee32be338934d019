/**
 * What handles a tool: a function from its input to an effect of its output, or to a stream of progress, parts and one
 * output.
 *
 * @since 0.1.0
 */
import type * as Content from "@mcp-effect/protocol/Content"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as McpError from "@mcp-effect/protocol/McpError"
import type * as Tool from "@mcp-effect/protocol/Tool"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Call, type Method, type Result, result } from "./Call.ts"
import { InputFailed } from "./Input.ts"
import * as Invocation from "./internal/invocation.ts"
import * as Needs from "./internal/needs.ts"
import * as Reporter from "./internal/reporter.ts"
import * as ToolRun from "./internal/toolRun.ts"

/**
 * What a handler of the tool may return: the output, alone or in a `Tool.reply`; for a tool without an output schema,
 * content, text, or nothing.
 *
 * @since 0.1.0
 * @category models
 */
export type Returned<T extends Tool.Tool> = T["output"] extends Tool.AnySchema
  ? Tool.Output<T> | Tool.Reply<Tool.Output<T>>
  : Content.Content | string | ReadonlyArray<Content.Content | string> | void | Tool.Reply<undefined>

/**
 * What a streaming handler of the tool emits: exactly one output if the tool has an output schema; without one, the
 * parts are the result.
 *
 * @since 0.1.0
 * @category models
 */
export type Emitted<T extends Tool.Tool> = T["output"] extends Tool.AnySchema
  ? Tool.Event<Tool.Output<T> | Tool.Reply<Tool.Output<T>>>
  : Tool.Event<never>

/**
 * What a handler may fail with: the declared failure, or anything if none is declared. The message is for the model. What
 * `ClientInput` fails with needs no declaration: a missing capability is the reply, anything else is for the model.
 *
 * @since 0.1.0
 * @category models
 */
export type Failed<T extends Tool.Tool> = T["failure"] extends Tool.AnySchema
  ? Tool.Failure<T> | InputFailed | McpError.MissingRequiredClientCapability
  : unknown

/**
 * A handler of a tool. `Scope` is each call's own.
 *
 * @since 0.1.0
 * @category models
 */
export type ToolHandler<T extends Tool.Tool, R> = (
  input: Tool.Input<T>
) => Effect.Effect<Returned<T>, Failed<T>, R> | Stream.Stream<Emitted<T>, Failed<T>, R>

type AnyHandler<R> = (
  input: unknown
) => Effect.Effect<unknown, unknown, R> | Stream.Stream<Tool.Event<unknown>, unknown, R>

/**
 * The method that calls a tool with its handler, in the context of the layer that registers it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const method = <T extends Tool.Tool, R>(
  tool: T,
  handler: ToolHandler<T, R>
): Effect.Effect<Method, never, Exclude<R, Scope.Scope>> =>
  Effect.gen(function*() {
    const codec = yield* ToolRun.codec(tool)
    const limits = yield* Limits.Limits
    const invocation = yield* Invocation.make<R>()
    // Sound: the codec of the tool decodes to its input, and its results are encoded by the tool's own schemas.
    const run = handler as AnyHandler<R>
    const invoke = (call: Call, input: unknown): Effect.Effect<JsonRpc.Params, unknown> => {
      try {
        const running = run(input)
        // A value that is there already needs nothing of what follows.
        if (Exit.isExit(running) && Exit.isSuccess(running)) return finish(tool, codec, call, running.value, [])
        const reporter = Reporter.make(call)
        const body = Effect.isEffect(running)
          ? Effect.flatMap(running, (value) => finish(tool, codec, call, value, []))
          : runStream(tool, codec, call, reporter, running, limits.messageBytes)
        return invocation.run(call, reporter, body)
      } catch (defect) {
        return Effect.die(defect)
      }
    }
    return (call) => {
      const args = call.request.params?.arguments ?? {}
      if (!Predicate.isObject(args)) {
        return Effect.fail(new McpError.InvalidParams({ message: "Invalid params: \"arguments\" must be an object" }))
      }
      const missing = Needs.missing(call, tool.needs, `The tool ${tool.name}`)
      if (missing !== undefined) return Effect.fail(missing)
      return Effect.matchCauseEffectEager(codec.decode(args), {
        onSuccess: (input) =>
          Effect.matchCauseEffectEager(invoke(call, input), {
            onSuccess: (value) => Effect.succeed(result(value)),
            onFailure: (cause) => failed(tool, codec, cause)
          }),
        onFailure: (cause) => {
          const invalid = Cause.findErrorOption(cause)
          return invalid._tag === "Some" ? refuse(call, tool, invalid.value.message) : failed(tool, codec, cause)
        }
      })
    }
  })

const refuse = (call: Call, tool: Tool.Tool, problem: string): Effect.Effect<Result, McpError.ProtocolError> => {
  const message = `Invalid arguments for tool ${tool.name}: ${problem}`
  return call.revision.wire.invalidArguments === "result"
    ? Effect.succeed(result(ToolRun.errorResult(message)))
    : Effect.fail(new McpError.InvalidParams({ message }))
}

const finish = (
  tool: Tool.Tool,
  codec: ToolRun.Codec,
  call: Call,
  value: unknown,
  parts: ReadonlyArray<Content.Content>
): Effect.Effect<JsonRpc.Params> =>
  Effect.catchEager(
    ToolRun.succeeded(tool, codec, call.revision.wire, value, parts),
    ({ message }) => Effect.die(new TypeError(`The output of tool ${tool.name} does not fit its schema: ${message}`))
  )

// A typed failure and a defect both become a result for the model; only the log gets to know what a defect was. What the
// client cannot do is told to the client itself.
const failed = (
  tool: Tool.Tool,
  codec: ToolRun.Codec,
  cause: Cause.Cause<unknown>
): Effect.Effect<Result, McpError.MissingRequiredClientCapability> => {
  const failure = Cause.findErrorOption(cause)
  const unexpected = (cause: Cause.Cause<unknown>): Effect.Effect<Result> =>
    Effect.as(
      Effect.logError(`Tool ${tool.name} failed with a defect`, cause),
      result(ToolRun.errorResult(`The tool ${tool.name} failed unexpectedly.`))
    )
  if (failure._tag === "None") return unexpected(cause)
  const error = failure.value
  if (error instanceof McpError.MissingRequiredClientCapability) return Effect.fail(error)
  if (error instanceof InputFailed) return Effect.succeed(result(ToolRun.errorResult(error.message)))
  // A failure that cannot even be told is no better than a defect.
  return Effect.catchCause(Effect.suspend(() => Effect.map(ToolRun.failed(codec, error), result)), unexpected)
}

const runStream = <R>(
  tool: Tool.Tool,
  codec: ToolRun.Codec,
  call: Call,
  reporter: Reporter.Reporter,
  stream: Stream.Stream<Tool.Event<unknown>, unknown, R>,
  limit: number
): Effect.Effect<JsonRpc.Params, unknown, R> => {
  const parts: Array<Content.Content> = []
  const outputs: Array<unknown> = []
  const expected = expectedOutputs(tool)
  let size = 0
  const each = (event: Tool.Event<unknown>): Effect.Effect<void, Error> => {
    switch (event._tag) {
      case "Progress":
        return reporter.progress(event)
      case "Output":
        return outputs.push(event.value) <= expected ? Effect.void : Effect.die(wrongOutputs(tool, "more"))
      case "Part":
        parts.push(event.content)
        size += JSON.stringify(event.content).length
        return size > limit
          ? Effect.fail(new Error(`The tool ${tool.name} was stopped: its content is larger than ${limit} characters`))
          : reporter.part(event.content)
    }
  }
  return Effect.flatMap(Stream.runForEach(stream, each), () =>
    outputs.length === expected
      ? finish(tool, codec, call, outputs[0], parts)
      : Effect.die(wrongOutputs(tool, "fewer")))
}

const expectedOutputs = (tool: Tool.Tool): number => tool.output === undefined ? 0 : 1

const wrongOutputs = (tool: Tool.Tool, than: "more" | "fewer"): TypeError =>
  new TypeError(`Tool ${tool.name} emitted ${than} outputs than it may: it must emit ${expectedOutputs(tool)}`)
