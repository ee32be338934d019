/** The stateless era over HTTP: each POST is a request with all that it needs, and its response is all there is to it. */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import { Principal } from "@mcp-effect/protocol/Principal"
import type { Revision } from "@mcp-effect/protocol/Revision"
import type { ServerConnection } from "@mcp-effect/server/Dispatch"
import type { McpServer } from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import type { Headers } from "effect/http/Headers"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as RoutingHeaders from "../RoutingHeaders.ts"
import type { Decoded, Era } from "./era.ts"
import * as Reply from "./reply.ts"
import type { Answer } from "./single.ts"

/** Whether a message is of this era: it says so in its `_meta`, or, where it has none, in its header. */
export const is = (revisions: ReadonlyArray<Revision>, headers: Headers, message: Decoded): boolean => {
  if (revisions.length === 0 || (message._tag !== "Request" && message._tag !== "Notification")) return false
  const meta = Meta.of(message.params)
  if (meta !== undefined && (Meta.PROTOCOL_VERSION in meta || Meta.CLIENT_CAPABILITIES in meta)) return true
  const version = headers["mcp-protocol-version"]
  return revisions.some(({ name }) => name === version)
}

/** One connection to the server is for all traffic of this era. */
export const make = (parts: {
  readonly server: McpServer["Service"]
  readonly connection: ServerConnection
  readonly answer: Answer
  readonly revisions: ReadonlyArray<Revision>
}): Era => ({
  post: (headers, message) => {
    if (message._tag === "Notification") {
      return Effect.as(Effect.ignore(parts.connection.notify(message)), Reply.accepted)
    }
    if (message._tag === "Invalid") return Effect.succeed(Reply.invalid(message))
    if (message._tag !== "Request") return Effect.succeed(notRequest)
    const meta = Meta.of(message.params) ?? {}
    if (!(Meta.PROTOCOL_VERSION in meta) && !(Meta.CLIENT_CAPABILITIES in meta)) {
      return Effect.succeed(withoutMeta(parts.revisions, message.id))
    }
    const complete = Predicate.isString(meta[Meta.PROTOCOL_VERSION]) &&
      Predicate.isObject(meta[Meta.CLIENT_CAPABILITIES])
    // What lacks its version has nothing that a header could mirror.
    const answer = parts.answer(message, (back) => parts.connection.request(message, back), complete ? statusOf : bad)
    if (!complete) return answer
    return Effect.withFiber((fiber) => {
      const mirrored = parametersOf(parts.server, message, fiber.getRef(Principal))
      const problem = RoutingHeaders.check(headers, message, mirrored)
      return problem === undefined ? answer : Effect.succeed(mismatched(problem, message.id))
    })
  }
})

const none: ReadonlyArray<RoutingHeaders.Parameter> = []

// A tool with a wrong annotation is not offered by clients; whoever calls it all the same need mirror nothing.
const parametersOf = (
  { tools }: McpServer["Service"],
  { method, params }: JsonRpc.Request,
  principal: Principal | undefined
): ReadonlyArray<RoutingHeaders.Parameter> => {
  if (method !== "tools/call" || typeof params?.name !== "string") return none
  const entry = tools.get(params.name, principal)
  return entry === undefined
    ? none
    : Result.getOrElse(RoutingHeaders.parameters(entry.tool.inputSchema), () => none)
}

const mismatched = (problem: string, id: JsonRpc.Id) =>
  Reply.refused(400, problem, { id, code: RoutingHeaders.HEADER_MISMATCH })

const notRequest = Reply.refused(400, "In this revision a client sends requests and notifications, one at a time")

const withoutMeta = (revisions: ReadonlyArray<Revision>, id: JsonRpc.Id) =>
  Reply.refused(
    400,
    `Invalid params: "_meta" must have "${Meta.PROTOCOL_VERSION}" (one of ${
      revisions.map(({ name }) => name).join(", ")
    }) and "${Meta.CLIENT_CAPABILITIES}"`,
    { id, code: JsonRpc.INVALID_PARAMS }
  )

// What is wrong with a request as such has a status of its own; what its handler says is the reply, and none.
const statusOf = (response: JsonRpc.Response): number => {
  if (response._tag === "Success") return 200
  switch (response.error.code) {
    case JsonRpc.METHOD_NOT_FOUND:
      return 404
    case RoutingHeaders.HEADER_MISMATCH:
    case -32021:
    case -32022:
      return 400
    default:
      return 200
  }
}

const bad = (response: JsonRpc.Response): number => response._tag === "Success" ? 200 : 400
