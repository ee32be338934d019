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
import * as Progress from "@mcp-effect/protocol/Progress"
import type * as Tool from "@mcp-effect/protocol/Tool"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { type Call, type Method, type Result, result } from "./Call.ts"
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
 * What a handler may fail with: the declared failure, or anything if none is declared. The message is for the model.
 *
 * @since 0.1.0
 * @category models
 */
export type Failed<T extends Tool.Tool> = T["failure"] extends Tool.AnySchema ? Tool.Failure<T> : unknown

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
    const captured = perCall(yield* Effect.context<Exclude<R, Scope.Scope>>())
    // Sound: the codec of the tool decodes to its input, and its results are encoded by the tool's own schemas.
    const run = handler as AnyHandler<R>
    const contexts = new WeakMap<object, Context.Context<never>>()
    const inContext = (fiberContext: Context.Context<never>): Context.Context<never> => {
      let context = contexts.get(fiberContext)
      if (context === undefined) {
        // What the layer captured wins, but what belongs to a request is not in it, and so is the request's own.
        contexts.set(fiberContext, context = Context.merge(fiberContext, captured))
      }
      return context
    }
    // One call, with what is only its own: a scope, and the way for its reports.
    const invoke = (call: Call, input: unknown): Effect.Effect<JsonRpc.Params, unknown> =>
      Effect.withFiber((fiber) => {
        const running = run(input)
        // A value that is there already needs nothing of what follows.
        if (Exit.isExit(running) && Exit.isSuccess(running)) return finish(tool, codec, call, running.value, [])
        const reporter = Reporter.make(call)
        const scope = Scope.makeUnsafe()
        // Sound: `captured` has everything in `R` but the scope.
        const context = Context.add(
          Context.add(inContext(fiber.context), Progress.Reporter, reporter.progress),
          Scope.Scope,
          scope
        ) as Context.Context<R>
        const body = Effect.isEffect(running)
          ? Effect.flatMap(running, (value) => finish(tool, codec, call, value, []))
          : runStream(tool, codec, call, reporter, running, limits.messageBytes)
        return Effect.onExitPrimitive(Effect.updateContext(body, () => context), (exit) => {
          reporter.close()
          return Scope.closeUnsafe(scope, exit)
        })
      })
    return (call) => {
      const args = call.request.params?.arguments ?? {}
      if (!Predicate.isObject(args)) {
        return Effect.fail(new McpError.InvalidParams({ message: "Invalid params: \"arguments\" must be an object" }))
      }
      return Effect.matchCauseEffectEager(codec.decode(args), {
        onSuccess: (input) =>
          Effect.matchCauseEffect(invoke(call, input), {
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

// The scope and the span that the layer was built in are not the call's.
const perCall = <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.omit(Scope.Scope, Tracer.ParentSpan)(
    context as Context.Context<R | Scope.Scope | Tracer.ParentSpan>
  ) as Context.Context<R>

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

// A typed failure and a defect both become a result for the model; only the log gets to know what a defect was.
const failed = (tool: Tool.Tool, codec: ToolRun.Codec, cause: Cause.Cause<unknown>): Effect.Effect<Result> => {
  const failure = Cause.findErrorOption(cause)
  const unexpected = (cause: Cause.Cause<unknown>): Effect.Effect<Result> =>
    Effect.as(
      Effect.logError(`Tool ${tool.name} failed with a defect`, cause),
      result(ToolRun.errorResult(`The tool ${tool.name} failed unexpectedly.`))
    )
  if (failure._tag === "None") return unexpected(cause)
  // A failure that cannot even be told is no better than a defect.
  return Effect.catchCause(Effect.suspend(() => Effect.map(ToolRun.failed(codec, failure.value), result)), unexpected)
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
