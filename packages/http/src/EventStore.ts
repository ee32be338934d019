/**
 * What was said on the event streams of a session, for a client that lost its connection and asks for the rest.
 *
 * Source: `basic/transports#resumability-and-redelivery` of revision 2025-11-25.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * One message on a stream: its place there, from 1 without gaps, and its JSON text. `last`: the stream ends with it.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredEvent {
  readonly sequence: number
  readonly data: string
  readonly last: boolean
}

/**
 * - `append` is called in the order of `sequence`, stream by stream, and need not wait for the one before. A `read` that is
 *   begun later sees it.
 * - `read` yields what was said on a stream after `sequence`, in order: all of it, or, where the oldest are forgotten,
 *   the newest.
 * - `release`: this process has closed its side of a session; a store that no other process reads forgets it.
 * - `remove`: the session is over, everywhere.
 *
 * Nothing here fails: a store that cannot be reached logs that.
 *
 * @since 0.1.0
 * @category services
 */
export class EventStore extends Context.Service<EventStore, {
  readonly append: (session: string, stream: string, event: StoredEvent) => Effect.Effect<void>
  readonly read: (session: string, stream: string, sequence: number) => Effect.Effect<ReadonlyArray<StoredEvent>>
  readonly release: (session: string) => Effect.Effect<void>
  readonly remove: (session: string) => Effect.Effect<void>
}>()("@mcp-effect/http/EventStore") {
  /**
   * Events in the memory of this process. See {@link memory}.
   *
   * @since 0.1.0
   */
  static readonly layerMemory = (options?: MemoryOptions): Layer.Layer<EventStore> =>
    Layer.sync(EventStore, () => memory(options))
}

/**
 * How much is kept for each session: events (default 512), and code units of text (default 1 Mi).
 *
 * @since 0.1.0
 * @category models
 */
export interface MemoryOptions {
  readonly events?: number
  readonly size?: number
}

interface Entry {
  readonly stream: string
  readonly event: StoredEvent
}

/** \`undefined\`: it is forgotten. So are the first \`forgotten\`, whose places are given up now and then, many at once. */
interface Kept {
  readonly events: Array<Entry | undefined>
  forgotten: number
  size: number
}

/**
 * Keeps the newest events of each session in memory, within a bound.
 *
 * @since 0.1.0
 * @category constructors
 */
export const memory = ({ events: most = 512, size = 1024 * 1024 }: MemoryOptions = {}): EventStore["Service"] => {
  const sessions = new Map<string, Kept>()
  const append = (session: string, stream: string, event: StoredEvent): void => {
    let kept = sessions.get(session)
    if (kept === undefined) sessions.set(session, kept = { events: [], forgotten: 0, size: 0 })
    const { events } = kept
    events.push({ stream, event })
    kept.size += event.data.length
    while (events.length - kept.forgotten > most || (kept.size > size && events.length - kept.forgotten > 1)) {
      kept.size -= events[kept.forgotten]?.event.data.length ?? 0
      events[kept.forgotten++] = undefined
    }
    if (kept.forgotten > most) {
      events.splice(0, kept.forgotten)
      kept.forgotten = 0
    }
  }
  const remove = (session: string): Effect.Effect<void> => Effect.sync(() => void sessions.delete(session))
  return {
    append: (session, stream, event) => Effect.sync(() => append(session, stream, event)),
    read: (session, stream, sequence) =>
      Effect.sync(() =>
        (sessions.get(session)?.events ?? []).flatMap((kept) =>
          kept?.stream === stream && kept.event.sequence > sequence ? [kept.event] : []
        )
      ),
    release: remove,
    remove
  }
}
