/** The sessions of HTTP+SSE that are open, by the ids that their clients were told. */
import { Principal } from "@mcp-effect/protocol/Principal"
import * as Context from "effect/Context"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Responds } from "./era.ts"
import * as Reply from "./reply.ts"
import * as SseSession from "./sseSession.ts"

export interface Parts extends SseSession.Parts {
  readonly random: SecureRandom["Service"]
  /** What is around the endpoint; what is around a request goes over it. */
  readonly context: Context.Context<never>
  readonly max: number
  readonly messagePath: string
}

interface Live {
  readonly session: SseSession.SseSession
  readonly subject: string | undefined
}

export class SseSessions {
  private readonly live = new Map<string, Live>()
  private readonly parts: Parts
  private streams = 0
  private ended = false

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** How many event streams are open. */
  get size(): number {
    return this.streams
  }

  /** The event stream of a new session, which ends with it. */
  open(request: HttpServerRequest): Responds {
    const { context, max, messagePath, random } = this.parts
    return Effect.withFiber((route) => {
      if (this.ended) return Effect.succeed(ending)
      if (this.streams >= max) return Effect.as(full(max), tooMany)
      this.streams++
      const opened = Effect.gen({ self: this }, function*() {
        const id = yield* random.uuidV4()
        const endpoint = `${prefixOf(request)}${messagePath}?${PARAMETER}=${id}`
        const session = yield* Effect.updateContext(
          SseSession.open(this.parts, endpoint),
          (_: Context.Context<never>) => Context.merge(context, route.context)
        )
        this.live.set(id, { session, subject: route.getRef(Principal)?.subject })
        return { id, session }
      })
      return Effect.map(
        Effect.acquireRelease(opened, ({ id, session }) => {
          this.live.delete(id)
          return Effect.ensuring(session.left, Effect.sync(() => this.streams--))
        }),
        ({ session }) => session.response
      )
    })
  }

  /** Takes a message for a session, if that is the caller's. */
  post(
    id: string | ReadonlyArray<string> | undefined,
    body: Effect.Effect<string, HttpServerResponse>
  ): Effect.Effect<HttpServerResponse> {
    return Effect.withFiber((route) => {
      if (typeof id !== "string") return Effect.succeed(unnamed)
      const found = this.live.get(id)
      if (found === undefined) return Effect.succeed(SseSession.unknown)
      return found.subject === route.getRef(Principal)?.subject ? found.session.post(body) : stranger
    })
  }

  /** No more sessions; those that are open end with their `within`. */
  end(): void {
    this.ended = true
  }
}

const PARAMETER = "sessionId"

/** The part of the path that the router has taken off: the client is to send it again. */
export const prefixOf = ({ originalUrl, url }: Pick<HttpServerRequest, "originalUrl" | "url">): string => {
  const whole = pathOf(originalUrl)
  const rest = pathOf(url)
  // Two slashes would make a host of what follows.
  return whole.endsWith(rest) ? whole.slice(0, whole.length - rest.length).replace(/^\/+/u, "/") : ""
}

const pathOf = (url: string): string => /^(?:[a-z][\w+.-]*:\/\/[^/?#]*)?([^?#]*)/iu.exec(url)?.[1] ?? ""

const full = (max: number): Effect.Effect<void> =>
  Effect.logWarning(`Refused an event stream: ${max} are open, which is the limit`)

const stranger = Effect.as(
  Effect.logWarning("Refused a message: somebody else has opened the session"),
  SseSession.unknown
)

const unnamed = Reply.refused(
  400,
  `The query must have one "${PARAMETER}", as the event "endpoint" of an event stream tells it`
)

const retry = { headers: { "retry-after": "10" } }

const tooMany = Reply.refused(503, "Too many event streams are open; try again later", retry)

const ending = Reply.refused(503, "The server is ending; try again later", retry)
