/**
 * A `Toolkit` of `effect/ai` as tools of the server: what was written for a model within the program serves any client.
 *
 * A module of its own, which nothing else imports: `effect/ai` is loaded only where it is used.
 *
 * @since 0.1.0
 */
import * as Progress from "@mcp-effect/protocol/Progress"
import type * as Tool from "@mcp-effect/protocol/Tool"
import * as AiTool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as AiToolDefinition from "./internal/aiTool.ts"
import * as Captured from "./internal/captured.ts"
import * as McpServer from "./McpServer.ts"
import * as Registry from "./Registry.ts"
import * as ToolHandler from "./ToolHandler.ts"

/**
 * Serves the tools of a toolkit, with the handlers that `toolkit.toLayer` provides.
 *
 * - What a handler succeeds with is the structured output, unless its schema is text, `void` or unknown: then it is
 *   content. What `toModelOutput` makes of it is content in any case.
 * - What a handler fails with is a failure of the tool, in either `failureMode`.
 * - A preliminary result is progress, with the result as its message: the final one takes its place.
 * - Whether a user must approve is for the client to ask: `needsApproval` is not looked at.
 * - Tools that a provider of models defines are left out, which the log says.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <Tools extends Record<string, AiTool.Any>>(
  toolkit: Toolkit.Toolkit<Tools>,
  options: Registry.Visibility = {}
): Layer.Layer<
  never,
  Registry.RegistrationError,
  McpServer.McpServer | AiTool.HandlersFor<Tools> | Exclude<AiTool.HandlerServices<Tools[keyof Tools]>, Scope.Scope>
> =>
  Layer.effectDiscard(
    Effect.forEach(
      Object.values(toolkit.tools),
      (tool) =>
        AiTool.isProviderDefined(tool)
          ? Effect.logInfo(`The tool ${tool.name} is not served: a provider of models defines it`)
          : add(tool, options),
      { discard: true }
    )
  )

const add = (
  tool: AiTool.Any,
  options: Registry.Visibility
): Effect.Effect<void, Registry.RegistrationError, McpServer.McpServer | Scope.Scope> =>
  Effect.gen(function*() {
    const { tools } = yield* McpServer.McpServer
    const definition = yield* Registry.attempt("tool", tool.name, () => AiToolDefinition.make(tool))
    const { context, handler } = yield* handlerOf(tool)
    const captured = yield* Captured.make<never>()
    const method = yield* Effect.updateContext(
      ToolHandler.method(definition.tool, toHandler(definition, handler)),
      // What the handlers were built with is theirs; what is here goes before it, as in the toolkit itself.
      (here: Context.Context<never>) => Context.merge(context, here)
    )
    yield* tools.add({
      key: tool.name,
      tool: definition.tool,
      // The schemas may need services too.
      call: (call) => Effect.updateContext(method(call), captured),
      visibleTo: options.visibleTo
    })
  })

type Handler = AiTool.Handler<string>

const handlerOf = ({ id }: AiTool.Any): Effect.Effect<Handler> =>
  // Sound: `layer` requires the handlers of the toolkit, and they go by the ids of its tools.
  Context.Service<Handler>(id) as Effect.Effect<Handler, never, Handler> as Effect.Effect<Handler>

const toHandler = (
  definition: AiToolDefinition.Definition,
  handler: Handler["handler"]
): ToolHandler.ToolHandler<Tool.Tool, never> => {
  const { preliminary, returned } = definition
  const run = (input: unknown): Effect.Effect<unknown, unknown> => {
    let count = 0
    const context: Toolkit.HandlerContext<AiTool.Any> = {
      preliminary: (value) =>
        Effect.flatMap(preliminary(value), (message) => Progress.report({ progress: ++count, message }))
    }
    return Effect.flatMap(handler(input, context), returned)
  }
  // Sound: the input is what the tool's schema decodes to, and what is returned is what its output can be.
  return run as ToolHandler.ToolHandler<Tool.Tool, never>
}
