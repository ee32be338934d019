/** This project: the server, without a transport. */
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ECHO, FILLER, fillers, INFO, PROGRESS, REPORTS } from "./tools.ts"

const Echo = Tool.make("echo", { description: ECHO, input: { text: Schema.String } })
const Counted = Tool.make("progress", { description: PROGRESS })

const Fillers = fillers.map((name) =>
  McpServer.tool(
    Tool.make(name, { description: FILLER, input: { text: Schema.String, count: Schema.Finite } }),
    () => Effect.succeed("")
  )
)

const Tools = Layer.mergeAll(
  McpServer.tool(Echo, ({ text }) => Effect.succeed(text)),
  McpServer.tool(Counted, () =>
    Effect.gen(function*() {
      for (let progress = 1; progress <= REPORTS; progress++) yield* Progress.report({ progress, total: REPORTS })
      return "done"
    })),
  ...Fillers
)

export const Server = Tools.pipe(Layer.provideMerge(McpServer.layer(INFO)))
