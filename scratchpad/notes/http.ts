/**
 * The notes over HTTP, at http://127.0.0.1:3000/mcp; `PORT` sets another port. Whoever brings the token of `NOTES_TOKEN`
 * is the editor, others are nobody in particular, and a wrong token is refused.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { StreamableHttpServer } from "@mcp-effect/http"
import { Principal } from "@mcp-effect/protocol"
import { McpServer } from "@mcp-effect/server"
import { Config, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import { NotesServer } from "./Server.ts"

const editor = Principal.make({ subject: "editor", scopes: ["notes:edit"] })

const authenticated = HttpRouter.middleware(Effect.gen(function*() {
  const token = yield* Config.Redacted("NOTES_TOKEN")
  return (handler) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { authorization } }) => {
      if (authorization === undefined) return handler
      return authorization === `Bearer ${Redacted.value(token)}`
        ? Effect.provideService(handler, Principal.Principal, editor)
        : Effect.succeed(HttpServerResponse.text("Unknown token", { status: 401 }))
    })
})).layer

const port = Config.Port("PORT").pipe(Config.withDefault(3000))

HttpRouter.serve(StreamableHttpServer.layer({ path: "/mcp" }).pipe(Layer.provide(authenticated))).pipe(
  Layer.provide(NotesServer),
  Layer.provide(NodeHttpServer.layerConfig(createServer, { port, host: Config.succeed("127.0.0.1") })),
  McpServer.launch,
  NodeRuntime.runMain
)
