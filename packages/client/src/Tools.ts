/**
 * The tools of a server, as a client uses them: listed, called by name, and called by their typed definition.
 *
 * Source: `server/tools` of the specification.
 *
 * @since 0.1.0
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type * as McpError from "@mcp-effect/protocol/McpError"
import type * as Tool from "@mcp-effect/protocol/Tool"
import type * as ToolResult from "@mcp-effect/protocol/ToolResult"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as Listing from "./internal/listing.ts"
import * as OutputCheck from "./internal/outputCheck.ts"
import * as ToolCodec from "./internal/toolCodec.ts"
import * as ToolStream from "./internal/toolStream.ts"
import * as ListedTool from "./ListedTool.ts"
import type * as Requests from "./Requests.ts"
import type { ToolFailure } from "./ToolFailure.ts"

/**
 * What a typed call can fail with: what the tool declares, a failure that it does not, or an error of the protocol.
 *
 * @since 0.1.0
 * @category models
 */
export type CallError<T extends Tool.Tool> = Tool.Failure<T> | ToolFailure | McpError.McpError

/**
 * @since 0.1.0
 * @category models
 */
export interface Tools {
  /** All pages of the list, up to 100 pages. */
  readonly listTools: (
    options?: Requests.RequestOptions
  ) => Effect.Effect<ReadonlyArray<ListedTool.ListedTool>, McpError.McpError>
  /** The same as they come, page by page, each page asked for when it is needed. */
  readonly tools: (options?: Requests.RequestOptions) => Stream.Stream<ListedTool.ListedTool, McpError.McpError>
  /** Calls a tool by name. A failure of the tool is a result with `isError`, as a model should see it. */
  readonly callTool: (
    name: string,
    args?: Params,
    options?: Requests.RequestOptions
  ) => Effect.Effect<ToolResult.ToolResult, McpError.McpError>
  /** Calls a tool by its definition: typed input, output and failures. */
  readonly call: <T extends Tool.Tool>(
    tool: T,
    input: Tool.Input<T>,
    options?: Requests.RequestOptions
  ) => Effect.Effect<Tool.Output<T>, CallError<T>>
  /** Calls a tool by its definition: progress and parts as they come, then the output. Ending the stream cancels. */
  readonly stream: <T extends Tool.Tool>(
    tool: T,
    input: Tool.Input<T>,
    options?: Omit<Requests.RequestOptions, "onProgress">
  ) => Stream.Stream<Tool.Event<Tool.Output<T>>, CallError<T>>
  /** The server's list has changed. */
  readonly changed: () => void
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (send: Requests.Send): Effect.Effect<Tools> =>
  Effect.gen(function*() {
    const check = yield* OutputCheck.make((options) => listTools(options))
    // Whatever the server declares: some that have tools do not say so.
    const listing = Listing.make(send, { method: "tools/list", member: "tools", read: ListedTool.readAll })
    // Those of the last list that may be called twice.
    let idempotent: ReadonlySet<string> = new Set()

    const listTools: Tools["listTools"] = (options) =>
      Effect.suspend(() => {
        const listed = check.listing()
        return Effect.tap(listing.all(options), (all) => {
          listed(all)
          idempotent = new Set(all.filter(({ annotations }) => isIdempotent(annotations)).map(({ name }) => name))
          return Effect.void
        })
      })

    const callRaw = (
      name: string,
      args: unknown,
      options: Requests.TiedOptions | undefined
    ): Effect.Effect<ToolResult.ToolResult, McpError.McpError> =>
      Effect.flatMap(send("tools/call", { name, arguments: args }, options), ToolCodec.readResult)

    const call = <T extends Tool.Tool>(
      tool: T,
      input: Tool.Input<T>,
      options?: Requests.TiedOptions
    ): Effect.Effect<Tool.Output<T>, CallError<T>> =>
      Effect.suspend(() => {
        const codec = ToolCodec.of(tool)
        return codec.encode(input).pipe(
          Effect.flatMap((args) =>
            callRaw(tool.name, args, { ...options, idempotent: isIdempotent(tool.annotations) })
          ),
          Effect.flatMap((result): Effect.Effect<Tool.Output<T>, CallError<T>> =>
            result.isError === true ? codec.failure(result) : codec.output(result)
          )
        )
      })

    return {
      listTools,
      tools: listing.stream,
      call,
      changed: () => {
        check.forget()
        idempotent = new Set()
      },
      callTool: (name, args = {}, options) =>
        Effect.tap(
          callRaw(name, args, { ...options, idempotent: idempotent.has(name) }),
          (result) => result.isError === true ? Effect.void : check.run(name, result, timesOf(options))
        ),
      stream: (tool, input, options) =>
        ToolStream.make((onNotification) => call(tool, input, { ...options, onNotification }))
    }
  })

const isIdempotent = (annotations: Tool.Annotations | undefined): boolean =>
  annotations?.readOnlyHint === true || annotations?.idempotentHint === true

// A list that is asked for on behalf of a call takes no longer than the call may.
const timesOf = (options: Requests.RequestOptions | undefined): Requests.RequestOptions => ({
  ...(options?.timeout === undefined ? {} : { timeout: options.timeout }),
  ...(options?.maxTimeout === undefined ? {} : { maxTimeout: options.maxTimeout })
})
