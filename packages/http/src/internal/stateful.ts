/** The stateful era over HTTP: `initialize` opens a session, and a header of every later request names it. */
import { Principal } from "@mcp-effect/protocol/Principal"
import type { Revision } from "@mcp-effect/protocol/Revision"
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Headers } from "effect/http/Headers"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Decoded, Era, Responds } from "./era.ts"
import * as Reply from "./reply.ts"
import { type Route, Session } from "./session.ts"
import { HEADER, type Sessions } from "./sessions.ts"

export const make = (sessions: Sessions): Era => {
  const within = (headers: Headers, f: (session: Session, route: Route) => Responds): Responds =>
    Effect.withFiber((route) => {
      const id = headers[HEADER]
      if (id === undefined) return Effect.succeed(unnamed)
      const found = sessions.find(id, subjectOf(route.getRef(Principal)), route.getRef(Clock))
      // Most are here: no more than this for each message.
      return found instanceof Session
        ? f(found, route)
        : Effect.matchEffect(found, { onFailure: Effect.succeed, onSuccess: (session) => f(session, route) })
    })
  const spoken = (headers: Headers, f: (session: Session) => Responds): Responds => {
    const problem = problemOfVersion(sessions.revisions, headers)
    return problem === undefined ? within(headers, f) : Effect.succeed(problem)
  }
  return {
    post: (headers, message) => {
      if (headers[HEADER] === undefined) {
        if (message._tag === "Invalid") return Effect.succeed(Reply.invalid(message))
        if (message._tag === "Request" && message.method === "initialize") {
          return Effect.withFiber((fiber) => sessions.open(message, subjectOf(fiber.getRef(Principal))))
        }
      }
      return within(headers, (session, route) => posted(session, message, route))
    },
    listen: (headers) => spoken(headers, (session) => session.listen(headers["last-event-id"])),
    end: (headers) => spoken(headers, (session) => Effect.as(sessions.remove(session), Reply.ended))
  }
}

const subjectOf = (principal: Principal | undefined): string | null => principal?.subject ?? null

const posted = (session: Session, message: Decoded, route: Route): Responds => {
  if (message._tag === "Invalid") return Effect.as(session.malformed(message), Reply.invalid(message))
  if (message._tag !== "Batch") return session.post([message], false, route)
  if (!session.server.batches()) return Effect.succeed(Reply.noBatch)
  return message.messages.length > session.maxBatch
    ? Effect.succeed(Reply.batchTooLarge(session.maxBatch))
    : session.post(message.messages, true, route)
}

const unnamed = Reply.refused(400, `The header Mcp-Session-Id must name a session; "initialize" opens one`)

/** What is wrong with the revision that a request names outside of its body. */
export const problemOfVersion = (
  revisions: ReadonlyArray<Revision>,
  headers: Headers,
  message?: Decoded
): HttpServerResponse | undefined => {
  const version = headers["mcp-protocol-version"]
  // The handshake says in its body which revisions it could be.
  if (version === undefined || (message?._tag === "Request" && message.method === "initialize")) return undefined
  if (revisions.some(({ name }) => name === version)) return undefined
  return Reply.refused(
    400,
    `The header MCP-Protocol-Version must be one of ${revisions.map(({ name }) => name).join(", ")}`,
    message?._tag === "Request" ? { id: message.id } : {}
  )
}
