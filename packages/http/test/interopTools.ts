/** Tools for the clients of others, and a server of them. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as StreamableHttpServer from "@mcp-effect/http/StreamableHttpServer"
import { Elicitation, Sampling, Tool } from "@mcp-effect/protocol"
import { ClientInput, McpServer } from "@mcp-effect/server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServer } from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { createServer } from "node:http"
import { portOf } from "./sse.ts"

const Add = Tool.make("add", {
  input: { a: Schema.Finite, b: Schema.Finite },
  output: Schema.Struct({ sum: Schema.Finite })
})
const Count = Tool.make("count", { input: { to: Schema.Int }, output: Schema.Struct({ counted: Schema.Int }) })

const later = McpServer.addTool(Tool.make("later"), () => Effect.succeed("later"))

/** What the official clients are tried on; `interrupted` runs when a call of `wait` is. */
export const features = (interrupted: Effect.Effect<void>) =>
  Layer.mergeAll(
    McpServer.tool(Add, ({ a, b }) => Effect.succeed({ sum: a + b })),
    McpServer.tool(Count, ({ to }) =>
      Stream.concat(
        // The official client loses progress that arrives in one read with the result.
        Stream.range(1, to).pipe(
          Stream.map((progress) => Tool.progress({ progress, total: to })),
          Stream.concat(Stream.drain(Stream.fromEffect(Effect.sleep("50 millis"))))
        ),
        Stream.succeed(Tool.output({ counted: to }))
      )),
    McpServer.tool(Tool.make("poem"), () =>
      Effect.gen(function*() {
        const answer = yield* ClientInput.elicit(
          Elicitation.form({ message: "Who are you?", fields: { name: Schema.String } })
        )
        if (answer._tag !== "Accept") return answer._tag
        const messages = `A poem for ${answer.content.name}`
        return Sampling.textOf(yield* ClientInput.sample(Sampling.make({ messages, maxTokens: 100 })))
      })),
    McpServer.tool(Tool.make("wait"), () => Effect.onInterrupt(Effect.never, () => interrupted)),
    McpServer.tool(Tool.make("grow"), () =>
      Effect.as(Effect.forkDetach(Effect.scoped(Effect.andThen(later, Effect.never))), "grown"))
  )

/** Serves over Streamable HTTP for as long as the scope is open; yields the port. */
export const serve = (tools: Layer.Layer<never, unknown, McpServer.McpServer>) =>
  HttpRouter.serve(StreamableHttpServer.layer(), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(tools),
    Layer.provide(McpServer.layer({ name: "interop", version: "1.0.0", declare: ["tools"] })),
    Layer.provideMerge(
      NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 500 })
    ),
    Layer.build,
    Effect.map((context) => portOf(Context.get(context, HttpServer)))
  )
