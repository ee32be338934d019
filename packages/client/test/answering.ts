/** Clients that answer what their server asks. */
import type { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as Elicitation from "@mcp-effect/client/Elicitation"
import * as McpClient from "@mcp-effect/client/McpClient"
import type * as Roots from "@mcp-effect/client/Roots"
import type * as Sampling from "@mcp-effect/client/Sampling"
import * as Answers from "@mcp-effect/protocol/Elicitation"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Script, type Server, stateful, transport } from "./wire.ts"

/** A client with handlers, once it is ready, and its server for the test to play. */
export const playing = (
  handlers: Layer.Layer<never> | Layer.Layer<Elicitation.Elicitation | Sampling.Sampling | Roots.Roots>,
  script: Script = stateful("2025-11-25"),
  options: Partial<McpClient.Options> = {}
) =>
  Effect.gen(function*() {
    const playing = yield* Deferred.make<Server>()
    const wire = transport((server, connection) =>
      Effect.andThen(script(server, connection), Deferred.succeed(playing, server))
    )
    const context = yield* Layer.build(
      McpClient.layer({ name: "client", version: "1.0.0", ...options }).pipe(
        Layer.provide(Layer.mergeAll(wire, handlers) as Layer.Layer<ClientTransport>)
      )
    )
    return { mcp: Context.get(context, McpClient.McpClient), server: yield* Deferred.await(playing) }
  })

export const form = (properties: Params, more: Params = {}): Params => ({
  mode: "form",
  message: "Who are you?",
  requestedSchema: { type: "object", properties, ...more }
})

export const accepting = (content: Params) => Elicitation.layer({ form: () => Effect.succeed(Answers.accept(content)) })
