/**
 * The MCP server that Effect itself ships. A toolkit's tools always return a value, which is encoded and written as JSON
 * text: there is no tool that returns content only.
 */
import * as McpProtocol from "effect/ai/McpProtocol"
import { McpRequestContext } from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ECHO, FILLER, fillers, INFO, PROGRESS, REPORTS } from "./tools.ts"

const Tools = Toolkit.make(
  Tool.make("echo", {
    description: ECHO,
    parameters: Schema.Struct({ text: Schema.String }),
    success: Schema.String
  }),
  Tool.make("progress", { description: PROGRESS, success: Schema.String, dependencies: [McpRequestContext] })
)

const Handlers = Tools.toLayer(Effect.gen(function*() {
  const { notifications } = yield* McpServer.McpServer
  return {
    echo: ({ text }) => Effect.succeed(text),
    progress: () =>
      Effect.gen(function*() {
        const { requestMetadata } = yield* McpRequestContext
        const progressToken = Number(requestMetadata?.progressToken ?? 0)
        for (let progress = 1; progress <= REPORTS; progress++) {
          yield* notifications["notifications/progress"]({ progressToken, progress, total: REPORTS })
        }
        return "done"
      })
  }
}))

const Fillers = Toolkit.make(...fillers.map((name) =>
  Tool.make(name, {
    description: FILLER,
    parameters: Schema.Struct({ text: Schema.String, count: Schema.Finite }),
    success: Schema.String
  })
))

const FillerHandlers = Fillers.toLayer(Object.fromEntries(fillers.map((name) => [name, () => Effect.succeed("")])))

/** What `layerStdio` and `layerHttp` are given. */
export const options = {
  ...INFO,
  protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25],
  registrations: Layer.mergeAll(
    McpServer.toolkit(Tools).pipe(Layer.provide(Handlers)),
    McpServer.toolkit(Fillers).pipe(Layer.provide(FillerHandlers))
  )
} as const
