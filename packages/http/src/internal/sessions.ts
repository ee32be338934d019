/**
 * The sessions of an endpoint that live in this process: opened by `initialize`, taken up again from the store, and ended
 * when their clients say so, or have said nothing for too long.
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { closed } from "@mcp-effect/protocol/Peer"
import type { McpServer } from "@mcp-effect/server/McpServer"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Semaphore from "effect/Semaphore"
import type { Session as Stored, SessionStore } from "../SessionStore.ts"
import * as Reply from "./reply.ts"
import { Session, type Shared } from "./session.ts"
import * as Text from "./text.ts"

/** The header that names a session. */
export const HEADER = "mcp-session-id"

export interface Parts {
  readonly server: McpServer["Service"]
  readonly shared: Shared
  readonly store: SessionStore["Service"]
  readonly random: SecureRandom["Service"]
  /** What is around the endpoint, and not around any request. */
  readonly context: Context.Context<never>
  readonly idle: Duration.Duration
  readonly max: number
}

interface Live {
  readonly session: Session
  lastUsed: number
  touched: number
}

export class Sessions {
  private readonly live = new Map<string, Live>()
  private readonly parts: Parts
  private readonly reviving = Semaphore.makeUnsafe(1)
  private opening = 0

  constructor(parts: Parts) {
    this.parts = parts
  }

  get size(): number {
    return this.live.size
  }

  /** Opens a session for an `initialize`. One that fails leaves none. */
  open(request: JsonRpc.Request, subject: string | null): Effect.Effect<HttpServerResponse> {
    const { idle, max, random, shared, store } = this.parts
    return Effect.suspend(() => {
      if (this.live.size + this.opening >= max) return Effect.as(full(max), tooMany)
      this.opening++
      return Effect.gen({ self: this }, function*() {
        const id = yield* random.uuidV4()
        const { response, session } = yield* this.connect(id, subject, request)
        const text = Text.ofResponse(shared.wire.run, response)
        if (response._tag === "Failure") return Reply.json(text)
        yield* store.put({ id, subject, initialize: request.params ?? {} }, keep(idle))
        yield* this.add(session)
        return Reply.json(text, 200, { [HEADER]: id })
      }).pipe(Effect.ensuring(Effect.sync(() => this.opening--)))
    })
  }

  /** The session with this id, if it is the caller's. */
  find(id: string, subject: string | null): Effect.Effect<Session | undefined> {
    return Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const entry = this.live.get(id)
      if (entry === undefined) return this.revive(id, subject)
      if (entry.session.subject !== subject) return stranger
      entry.lastUsed = now
      // The store need not hear of every request.
      if (now - entry.touched < Duration.toMillis(this.parts.idle) / 8) return Effect.succeed(entry.session)
      entry.touched = now
      return Effect.as(this.parts.store.touch(id, keep(this.parts.idle)), entry.session)
    })
  }

  /** Ends a session because its client says so. */
  remove(session: Session): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.live.delete(session.id)
      return Effect.andThen(session.close("The client has ended the session"), this.parts.store.remove(session.id))
    })
  }

  /** Ends sessions that are idle for too long, for ever. */
  get sweep(): Effect.Effect<never> {
    const { idle, store } = this.parts
    const round = Effect.gen({ self: this }, function*() {
      const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(idle)
      for (const [id, entry] of this.live) {
        if (!entry.session.idle) entry.lastUsed = yield* Clock.currentTimeMillis
        if (entry.lastUsed > before) continue
        this.live.delete(id)
        yield* Effect.logDebug(`A session has ended: nothing was heard of its client for ${Duration.format(idle)}`)
        yield* entry.session.close("The session has expired")
        yield* store.release(id)
      }
    })
    return Effect.forever(Effect.andThen(Effect.sleep(Duration.divideUnsafe(idle, 8)), round))
  }

  /** Ends what would keep HTTP connections open although nobody waits for a reply on them. */
  get ending(): Effect.Effect<void> {
    return Effect.sync(() => {
      for (const { session } of this.live.values()) session.endOutside()
    })
  }

  /** Lets go of all sessions; another process may take them up. */
  get close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const all = [...this.live.values()]
      this.live.clear()
      return Effect.forEach(
        all,
        ({ session }) => Effect.andThen(session.close("The server has ended"), this.parts.store.release(session.id)),
        {
          concurrency: "unbounded",
          discard: true
        }
      )
    })
  }

  // A session that is not opened is closed.
  private connect(
    id: string,
    subject: string | null,
    initialize: JsonRpc.Request
  ): Effect.Effect<{ readonly session: Session; readonly response: JsonRpc.Response }> {
    const { context, server, shared } = this.parts
    return Effect.gen(function*() {
      const session = yield* Session.connect({ id, subject, shared, server, context })
      const response = yield* Effect.onExit(
        // Sound: a server fails no request.
        Effect.orDie(session.server.request(initialize, closed)),
        (exit) =>
          exit._tag === "Success" && exit.value._tag === "Success" ? Effect.void : session.close("It was not opened")
      )
      return { session, response }
    })
  }

  private add(session: Session): Effect.Effect<void> {
    return Effect.map(Clock.currentTimeMillis, (now) => {
      this.live.set(session.id, { session, lastUsed: now, touched: now })
    })
  }

  private revive(id: string, subject: string | null): Effect.Effect<Session | undefined> {
    return Effect.flatMap(this.parts.store.find(id), (found) => {
      if (found._tag === "None") return Effect.succeed(undefined)
      if (found.value.subject !== subject) return stranger
      return this.reviving.withPermit(Effect.suspend(() => {
        const entry = this.live.get(id)
        return entry === undefined ? this.reopen(found.value) : Effect.succeed(entry.session)
      }))
    })
  }

  // As its client has opened it, which it need not know of.
  private reopen({ id, initialize, subject }: Stored): Effect.Effect<Session | undefined> {
    return Effect.gen({ self: this }, function*() {
      if (this.live.size >= this.parts.max) {
        yield* full(this.parts.max)
        return undefined
      }
      const { response, session } = yield* this.connect(id, subject, JsonRpc.request(0, "initialize", initialize))
      if (response._tag === "Failure") {
        yield* Effect.logWarning(`A stored session could not be opened again: ${response.error.message}`)
        return undefined
      }
      yield* Effect.orDie(session.server.notify(JsonRpc.notification("notifications/initialized")))
      yield* this.add(session)
      return session
    })
  }
}

// The store is told of use in steps of an eighth.
const keep = (idle: Duration.Duration): Duration.Duration => Duration.times(idle, 1.25)

const full = (max: number): Effect.Effect<void> =>
  Effect.logWarning(`Refused a session: there are ${max}, which is the limit`)

const stranger = Effect.as(
  Effect.logWarning("Refused a session: somebody else has opened it"),
  undefined
)

const tooMany = Reply.refused(503, "Too many sessions are open; try again later", { headers: { "retry-after": "10" } })
