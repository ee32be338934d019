/**
 * The resources of the suite: text, bytes, a template, and one to watch.
 */
import * as Resource from "@mcp-effect/protocol/Resource"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PNG } from "./media.ts"

export const resources = Layer.mergeAll(
  McpServer.resource(
    Resource.make({
      uri: "test://static-text",
      name: "static-text",
      description: "A text that does not change",
      mimeType: "text/plain"
    }),
    () => Effect.succeed("This is the content of the static text resource.")
  ),
  McpServer.resource(
    Resource.make({
      uri: "test://static-binary",
      name: "static-binary",
      description: "An image that does not change",
      mimeType: "image/png"
    }),
    ({ uri }) => Effect.succeed(Resource.blob(uri, PNG, { mimeType: "image/png" }))
  ),
  McpServer.resource(
    Resource.make({
      uri: "test://watched-resource",
      name: "watched-resource",
      description: "A text to subscribe to",
      mimeType: "text/plain"
    }),
    () => Effect.succeed("This is the content of the watched resource.")
  ),
  McpServer.resourceTemplate(
    Resource.template("test://template/{id}/data", {
      name: "template",
      description: "Data by id",
      mimeType: "application/json"
    }),
    ({ id }) => Effect.succeed(JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }))
  )
)
