/**
 * The session state machine, as a pure function, and the cell that holds one session's state.
 *
 * Both sides use it. It knows that handshakes begin, succeed and fail; not what is said in them.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Revision } from "./Revision.ts"

/**
 * Where a session is.
 *
 * - `created`: a transport is there, nothing was said; no business messages yet.
 * - `initializing`: the handshake is under way; only it, ping and logging.
 * - `ready`: all declared capabilities are open, in this `revision`.
 * - `disconnected`: the transport is lost; everything in flight has failed.
 * - `failed`: the handshake cannot succeed; never recovers by itself.
 *
 * @since 0.1.0
 * @category models
 */
export type State =
  | { readonly _tag: "created" }
  | { readonly _tag: "initializing" }
  | { readonly _tag: "ready"; readonly revision: Revision }
  | { readonly _tag: "disconnected"; readonly reason: string }
  | { readonly _tag: "failed"; readonly reason: string }

/**
 * What can happen to a session.
 *
 * @since 0.1.0
 * @category models
 */
export type Event =
  | { readonly _tag: "HandshakeStarted" }
  | { readonly _tag: "HandshakeCompleted"; readonly revision: Revision }
  | { readonly _tag: "HandshakeFailed"; readonly reason: string }
  | { readonly _tag: "TransportLost"; readonly reason: string }
  | { readonly _tag: "Reconnected" }

/**
 * An event that has no place in a state. The state stays.
 *
 * @since 0.1.0
 * @category errors
 */
export class IllegalEvent extends Data.TaggedError("IllegalEvent")<{
  readonly state: State["_tag"]
  readonly event: Event["_tag"]
}> {
  override get message(): string {
    return `${this.event} cannot happen in a session that is ${this.state}`
  }
}

/**
 * The state of a session at its start.
 *
 * @since 0.1.0
 * @category state machine
 */
export const created: State = { _tag: "created" }

/**
 * The whole machine: the state after an event, or why there is none.
 *
 * @since 0.1.0
 * @category state machine
 */
export const transition = (state: State, event: Event): Result.Result<State, IllegalEvent> => {
  const next = after(state, event)
  return next === undefined
    ? Result.fail(new IllegalEvent({ state: state._tag, event: event._tag }))
    : Result.succeed(next)
}

const after = (state: State, event: Event): State | undefined => {
  switch (event._tag) {
    case "HandshakeStarted":
      return state._tag === "created" ? { _tag: "initializing" } : undefined
    case "HandshakeCompleted":
      return state._tag === "initializing" ? { _tag: "ready", revision: event.revision } : undefined
    case "HandshakeFailed":
      return state._tag === "failed" ? undefined : { _tag: "failed", reason: event.reason }
    case "TransportLost":
      return state._tag === "failed" || state._tag === "disconnected"
        ? undefined
        : { _tag: "disconnected", reason: event.reason }
    case "Reconnected":
      return state._tag === "disconnected" ? created : undefined
  }
}

/**
 * A session to observe: its `state` now, its `revision` once it is ready, and its `changes`: the state at the time of
 * subscription, then each state it enters, of which a slow subscriber keeps the last 16.
 *
 * @since 0.1.0
 * @category models
 */
export interface Session {
  readonly state: Effect.Effect<State>
  readonly revision: Effect.Effect<Revision | undefined>
  readonly changes: Stream.Stream<State>
}

/**
 * A session and the right to move it. A plain record: there is one for each session of a server.
 *
 * @since 0.1.0
 * @category models
 */
export interface Cell extends Session {
  readonly current: () => State
  readonly dispatch: (event: Event) => Result.Result<State, IllegalEvent>
}

/**
 * A session that was just created.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Cell => new Machine()

// What is seldom asked for is made when it is: a server may hold thousands of sessions that say nothing.
class Machine implements Cell {
  private now: State = created
  private observers: Set<(state: State) => void> | undefined

  current(): State {
    return this.now
  }

  dispatch(event: Event): Result.Result<State, IllegalEvent> {
    const next = transition(this.now, event)
    if (Result.isSuccess(next)) {
      this.now = next.success
      if (this.observers !== undefined) { for (const observe of this.observers) observe(this.now) }
    }
    return next
  }

  get state(): Effect.Effect<State> {
    return Effect.sync(() => this.now)
  }

  get revision(): Effect.Effect<Revision | undefined> {
    return Effect.sync(() => this.now._tag === "ready" ? this.now.revision : undefined)
  }

  get changes(): Stream.Stream<State> {
    return Stream.callback<State>((queue) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const observe = (state: State): void => void Queue.offerUnsafe(queue, state)
          observe(this.now)
          this.observers ??= new Set()
          this.observers.add(observe)
          return observe
        }),
        (observe) => Effect.sync(() => this.observers?.delete(observe))
      ), { bufferSize: 16, strategy: "sliding" })
  }
}
