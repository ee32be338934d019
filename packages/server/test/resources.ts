/** Servers of resources, and what is read from them. */
import type * as Content from "@mcp-effect/protocol/Content"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Resource from "@mcp-effect/protocol/Resource"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as McpServer from "@mcp-effect/server/McpServer"
import type * as ResourceHandler from "@mcp-effect/server/ResourceHandler"
import type * as Resources from "@mcp-effect/server/Resources"
import * as Effect from "effect/Effect"
import { type Client, serve, speak } from "./client.ts"

export const NOTE = "note:///a"

/** A resource that holds what its handler says. */
export const note = (
  handler: ResourceHandler.ResourceHandler<never>,
  options?: Resources.Options & { readonly mimeType?: string; readonly uri?: string }
) => McpServer.resource(Resource.make({ uri: NOTE, name: "a", ...options }), handler, options)

/** A client of a server with just these, in a revision. */
export const client = (
  layer: Parameters<typeof serve>[0],
  revision: Revision.Name = "2025-11-25",
  options?: Partial<McpServer.Options>
) => Effect.flatMap(serve(layer, options), (server) => speak(server, revision))

export const read = (client: Client, uri: string = NOTE) =>
  // Sound: what tests look at is compared anyway.
  Effect.map(client.result("resources/read", { uri }), ({ contents }) =>
    contents as ReadonlyArray<typeof Content.ResourceContents.Type>)

export const readError = (client: Client, uri: unknown = NOTE) => client.error("resources/read", { uri })

/** Who may see what is for "ada" alone. */
export const ada = Effect.provideService(Principal.Principal, Principal.make({ subject: "ada" }))

export const forAda: Resources.Options = { visibleTo: (principal) => principal?.subject === "ada" }

/** The code of a resource that does not exist. */
export const notFoundCode = (revision: Revision.Name): number =>
  revision === "2026-07-28" ? JsonRpc.INVALID_PARAMS : -32002
