/**
 * What must outlive a process for a session of the stateful revisions to be taken up by another: who opened it, and with
 * what. Sessions themselves, with their scopes and fibers, live in one process.
 *
 * Source: `basic/transports#session-management` of revision 2025-11-25.
 *
 * @since 0.1.0
 */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/**
 * - `id`: unguessable, of visible ASCII characters.
 * - `subject`: the principal that opened it; nobody else may use it. `null`: nobody was authenticated.
 * - `initialize`: the parameters of the request that opened it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Session {
  readonly id: string
  readonly subject: string | null
  readonly initialize: Params
}

/**
 * - `put` keeps a session for `idle`, and `touch` for another `idle` from now.
 * - `find` yields a session that is kept still.
 * - `release`: this process has closed its side of it; a store that no other process reads forgets it.
 * - `remove`: the session is over, everywhere.
 *
 * Nothing here fails: a store that cannot be reached logs that, and knows of no session.
 *
 * @since 0.1.0
 * @category services
 */
export class SessionStore extends Context.Service<SessionStore, {
  readonly put: (session: Session, idle: Duration.Duration) => Effect.Effect<void>
  readonly touch: (id: string, idle: Duration.Duration) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<Option.Option<Session>>
  readonly release: (id: string) => Effect.Effect<void>
  readonly remove: (id: string) => Effect.Effect<void>
}>()("@mcp-effect/http/SessionStore") {
  /**
   * Sessions of this process only, in memory.
   *
   * @since 0.1.0
   */
  static readonly layerMemory: Layer.Layer<SessionStore> = Layer.sync(SessionStore, () => memory())
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const memory = (): SessionStore["Service"] => {
  // Those that were used last are at the end, so that what has expired is at the beginning.
  const kept = new Map<string, { readonly session: Session; readonly until: number }>()
  const keep = (session: Session, until: number): void => {
    kept.delete(session.id)
    kept.set(session.id, { session, until })
  }
  const remove = (id: string): Effect.Effect<void> => Effect.sync(() => void kept.delete(id))
  return {
    put: (session, idle) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [id, { until }] of kept) {
          if (until > now) break
          kept.delete(id)
        }
        keep(session, now + Duration.toMillis(idle))
      }),
    touch: (id, idle) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const entry = kept.get(id)
        if (entry !== undefined && entry.until > now) keep(entry.session, now + Duration.toMillis(idle))
      }),
    find: (id) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const entry = kept.get(id)
        if (entry !== undefined && entry.until > now) return Option.some(entry.session)
        kept.delete(id)
        return Option.none()
      }),
    release: remove,
    remove
  }
}
