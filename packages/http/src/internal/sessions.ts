/**
 * The sessions of an endpoint that live in this process: opened by `initialize`, taken up again from the store, and ended
 * when their clients say so, or have said nothing for too long.
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { closed } from "@mcp-effect/protocol/Peer"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import type { McpServer } from "@mcp-effect/server/McpServer"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Session as Stored, SessionStore } from "../SessionStore.ts"
import * as Reply from "./reply.ts"
import { Session, type Shared, unknown } from "./session.ts"
import * as Text from "./text.ts"

/** The header that names a session. */
export const HEADER = "mcp-session-id"

export interface Parts {
  readonly server: McpServer["Service"]
  readonly shared: Shared
  readonly store: SessionStore["Service"]
  /** The id of the next session. */
  readonly nextId: Effect.Effect<string>
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
  // Closed, but not done with it: the store may still know them.
  private readonly leaving = new Map<string, Session>()
  private readonly reviving = new Map<string, Fiber.Fiber<Session, HttpServerResponse>>()
  private readonly parts: Parts
  readonly revisions: ReadonlyArray<Revision>
  private readonly touching: number
  private readonly kept: Duration.Duration
  private opening = 0
  private revived = 0
  private ended = false

  constructor(parts: Parts) {
    this.parts = parts
    this.revisions = Revisions.ofEra(parts.server.revisions, "stateful")
    this.touching = Duration.toMillis(parts.idle) / 8
    // The store is told of use in steps of an eighth.
    this.kept = Duration.times(parts.idle, 1.25)
  }

  /** Opens a session for an `initialize`. One that fails leaves none. */
  open(request: JsonRpc.Request, subject: string | null): Effect.Effect<HttpServerResponse> {
    const { nextId, shared, store } = this.parts
    const opened = Effect.flatMap(
      nextId,
      (id) =>
        Effect.flatMap(this.connect({ id, subject, prefix: shared.instance }, request), ({ response, session }) => {
          const text = Text.ofResponse(shared.wire.run, response)
          if (session === undefined) return Effect.succeed(Reply.json(text))
          const put = store.put({ id, subject, initialize: request.params ?? {} }, this.kept)
          return Effect.as(
            Effect.onInterrupt(put, () => this.remove(session)),
            Reply.json(text, 200, { [HEADER]: id })
          )
        })
    )
    return Effect.catch(this.counted(opened), Effect.succeed)
  }

  /** The session with this id, if it is the caller's: at once where it is in this process. */
  find(id: string, subject: string | null, clock: Clock.Clock): Session | Effect.Effect<Session, HttpServerResponse> {
    const entry = this.live.get(id)
    if (entry === undefined) return this.leaving.has(id) ? Effect.fail(unknown) : this.revive(id, subject)
    if (entry.session.subject !== subject) return stranger
    const now = entry.lastUsed = clock.currentTimeMillisUnsafe()
    // The store need not hear of every request.
    if (now - entry.touched >= this.touching) this.touch(id, entry, now)
    return entry.session
  }

  /** Ends a session because its client says so. */
  remove(session: Session): Effect.Effect<void> {
    const { shared, store } = this.parts
    return this.end(session, "The client has ended the session", store.remove, shared.events.remove)
  }

  /** Ends sessions that are idle for too long, for ever. */
  get sweep(): Effect.Effect<never> {
    const { idle, shared: { wire } } = this.parts
    const round = Effect.map(Clock.currentTimeMillis, (now) => {
      for (const [id, entry] of this.live) {
        if (!entry.session.idle) {
          entry.lastUsed = now
          this.touch(id, entry, now)
        } else if (entry.lastUsed <= now - Duration.toMillis(idle)) {
          wire.run(
            Effect.logDebug(`A session has ended: nothing was heard of its client for ${Duration.format(idle)}`)
          )
          wire.run(this.release(entry.session, "The session has expired"))
        }
      }
    })
    return Effect.forever(Effect.andThen(Effect.sleep(Duration.divideUnsafe(idle, 8)), round))
  }

  /** Ends what would keep HTTP connections open although nobody waits for a reply on them. */
  get ending(): Effect.Effect<void> {
    return Effect.suspend(() => {
      for (const { session } of this.live.values()) session.endOutside()
      // Turns for their ends to be sent: a platform may wait for connections that become idle only after it has begun to close.
      return Effect.repeat(Effect.yieldNow, { times: 4 })
    })
  }

  /** Lets go of all sessions; another process may take them up. */
  get close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.ended = true
      const leaving = [...this.leaving.values()].map((session) => session.close(ENDED))
      const live = [...this.live.values()].map(({ session }) => this.release(session, ENDED))
      return Effect.all([...leaving, ...live], { concurrency: "unbounded", discard: true })
    })
  }

  private release(session: Session, reason: string): Effect.Effect<void> {
    const { shared, store } = this.parts
    return this.end(session, reason, store.release, shared.events.release)
  }

  // Whoever waits for it may be interrupted, and the store may be slow.
  private end(session: Session, reason: string, ...forget: ReadonlyArray<Forget>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { id } = session
      this.live.delete(id)
      this.leaving.set(id, session)
      const [sessions, events] = forget.map((forget) => forget(id))
      const all = Effect.all([session.close(reason), sessions ?? Effect.void], { concurrency: "unbounded" }).pipe(
        Effect.andThen(events ?? Effect.void),
        Effect.ensuring(Effect.sync(() => this.leaving.delete(id)))
      )
      return Effect.asVoid(Fiber.await(this.parts.shared.wire.run(all)))
    })
  }

  private touch(id: string, entry: Live, now: number): void {
    const { shared, store } = this.parts
    entry.touched = now
    shared.wire.run(store.touch(id, this.kept))
  }

  private counted<A>(effect: Effect.Effect<A>): Effect.Effect<A, HttpServerResponse> {
    const { max } = this.parts
    return Effect.suspend(() => {
      if (this.live.size + this.opening >= max) return Effect.andThen(full(max), Effect.fail(tooMany))
      this.opening++
      return Effect.ensuring(effect, Effect.sync(() => this.opening--))
    })
  }

  // A session is either kept, or closed.
  private connect(
    options: { readonly id: string; readonly subject: string | null; readonly prefix: string },
    initialize: JsonRpc.Request
  ): Effect.Effect<Connected> {
    const initialized = (session: Session, response: JsonRpc.Response): Effect.Effect<Connected> =>
      response._tag === "Success" && !this.ended
        ? Effect.map(Clock.currentTimeMillis, (now) => {
          this.live.set(session.id, { session, lastUsed: now, touched: now })
          return { session, response }
        })
        : Effect.as(session.close("It was not opened"), { session: undefined, response })
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Session.connect({ ...options, ...this.parts }), (session) =>
        // Sound: a server fails no request.
        Effect.onError(restore(Effect.orDie(session.server.request(initialize, closed))), () =>
          session.close("It was not opened")).pipe(
            Effect.flatMap((response) =>
              initialized(session, response)
            )
          ))
    )
  }

  // Once for all who ask for it meanwhile.
  private revive(id: string, subject: string | null): Effect.Effect<Session, HttpServerResponse> {
    return Effect.withFiber((route) => {
      const key = JSON.stringify([id, subject])
      const begun = this.reviving.get(key)
      if (begun !== undefined) return Fiber.join(begun)
      const fiber = Effect.runForkWith(route.context)(Effect.flatMap(this.parts.store.find(id), (found) => {
        if (found._tag === "None") return Effect.fail(unknown)
        return found.value.subject === subject ? this.reopen(found.value) : stranger
      }))
      if (fiber.pollUnsafe() === undefined) {
        this.reviving.set(key, fiber)
        fiber.addObserver(() => void this.reviving.delete(key))
      }
      return Fiber.join(fiber)
    })
  }

  // As its client has opened it, which it need not know of.
  private reopen({ id, initialize, subject }: Stored): Effect.Effect<Session, HttpServerResponse> {
    // Its streams are not those that it had here before.
    const prefix = `${this.parts.shared.instance}.${++this.revived}`
    const request = JsonRpc.request(0, "initialize", initialize)
    return Effect.flatMap(this.counted(this.connect({ id, subject, prefix }, request)), ({ response, session }) => {
      if (session !== undefined) {
        return Effect.as(
          Effect.orDie(session.server.notify(JsonRpc.notification("notifications/initialized"))),
          session
        )
      }
      const why = response._tag === "Failure" ? response.error.message : ENDED
      return Effect.andThen(
        Effect.logWarning(`A stored session could not be opened again: ${why}`),
        Effect.fail(unknown)
      )
    })
  }
}

interface Connected {
  readonly session: Session | undefined
  readonly response: JsonRpc.Response
}

type Forget = (id: string) => Effect.Effect<void>

const ENDED = "The server has ended"

const full = (max: number): Effect.Effect<void> =>
  Effect.logWarning(`Refused a session: there are ${max}, which is the limit`)

const stranger = Effect.andThen(
  Effect.logWarning("Refused a session: somebody else has opened it"),
  Effect.fail(unknown)
)

const tooMany = Reply.refused(503, "Too many sessions are open; try again later", { headers: { "retry-after": "10" } })
