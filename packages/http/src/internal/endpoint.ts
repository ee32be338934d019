/**
 * The one URL that a server is reached at: from an HTTP request to its era.
 *
 * What is wrong with the request itself is refused here, before anybody looks at what it asks for.
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Guard } from "../Origin.ts"
import type { Read } from "./body.ts"
import type { Era, Responds } from "./era.ts"
import { problemOfGet, problemOfPost } from "./headers.ts"
import * as Reply from "./reply.ts"
import * as Stateful from "./stateful.ts"
import * as Stateless from "./stateless.ts"

/** `revisions` are those of the era. */
export interface Spoken {
  readonly era: Era
  readonly revisions: ReadonlyArray<Revision>
}

export interface Parts {
  /** What is wrong with where a request comes from. */
  readonly guard: Guard
  readonly read: Read
  readonly stateless: Spoken
  /** `undefined`: the server speaks no revision of that era. */
  readonly stateful: Spoken | undefined
}

export const make = (parts: Parts): (request: HttpServerRequest) => Responds => {
  const { end, listen } = parts.stateful?.era ?? {}
  const allow = listen === undefined ? "POST" : "GET, POST, DELETE"
  const other = Effect.succeed(Reply.refused(405, `The method must be one of ${allow}`, { headers: { allow } }))
  return (request) => {
    const { headers, method } = request
    const problem = parts.guard(headers, headers.host === undefined ? hostOf(request) : undefined)
    if (problem !== undefined) {
      return Effect.as(Effect.logWarning(`Refused a request: ${problem}`), Reply.refused(403, problem))
    }
    switch (method) {
      case "POST": {
        const refused = problemOfPost(headers)
        return refused === undefined ? posted(parts, request) : Effect.succeed(refused)
      }
      case "GET": {
        const refused = listen === undefined ? undefined : problemOfGet(headers)
        return refused === undefined ? listen?.(headers) ?? other : Effect.succeed(refused)
      }
      case "DELETE":
        return end?.(headers) ?? other
      default:
        return other
    }
  }
}

// A web request may have its host in its URL only.
const hostOf = ({ originalUrl }: HttpServerRequest): string | undefined =>
  URL.canParse(originalUrl) ? new URL(originalUrl).host : undefined

const posted = ({ read, stateful, stateless }: Parts, request: HttpServerRequest): Responds =>
  Effect.matchEffect(read(request), {
    onFailure: Effect.succeed,
    onSuccess: (text) => {
      const { headers } = request
      const message = JsonRpc.decode(text, { batches: true })
      if (stateful === undefined || Stateless.is(stateless.revisions, headers, message)) {
        return stateless.era.post(headers, message)
      }
      const wrong = Stateful.problemOfVersion(stateful.revisions, headers, message)
      return wrong === undefined ? stateful.era.post(headers, message) : Effect.succeed(wrong)
    }
  })
