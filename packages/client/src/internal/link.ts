/**
 * The connection to the server: the one that is there, and the next when it is lost. Keeps the session's state true.
 *
 * Knows no request; how a connection is opened and how hands are shaken is given.
 */
import * as McpError from "@mcp-effect/protocol/McpError"
import type { TransportError } from "@mcp-effect/protocol/Peer"
import * as Session from "@mcp-effect/protocol/Session"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Reconnect from "../Reconnect.ts"
import type { Ready } from "../Requests.ts"

export interface Link {
  readonly session: Session.Session
  /** What is there now. */
  readonly current: () => Ready | undefined
  /** What is there now, or next. Fails when the client has given up, or never will have another. */
  readonly ready: Effect.Effect<Ready, McpError.McpError>
  /** As `ready`, but fails at once where calls do not wait for another connection. */
  readonly forCalls: Effect.Effect<Ready, McpError.McpError>
  /** What comes after this one; `undefined` when it is not lost, or nothing comes after it. */
  readonly after: (ready: Ready) => Effect.Effect<Ready | undefined, McpError.McpError>
  /** The server has said something. */
  readonly heard: () => void
}

/** How a connection is opened, `opened` being run when it is, and hands are shaken. */
export type Attempt = (opened: Effect.Effect<void>) => Effect.Effect<Ready, McpError.McpError, Scope.Scope>

/** Connects in the background, for as long as the scope is open; `connected` runs after each handshake. */
export const make = (
  attempt: Attempt,
  reconnect: Reconnect.Options | false,
  connected: (ready: Ready) => void
): Effect.Effect<Link, never, Scope.Scope> =>
  Effect.gen(function*() {
    const link = new Supervised(reconnect, connected)
    yield* Effect.forkScoped(link.run(attempt))
    yield* Effect.addFinalizer(() => Effect.sync(() => link.end()))
    return link
  })

// Where it is: `pending` while there is another attempt to come, `resting` until somebody asks for one.
type Status =
  | { readonly _tag: "open"; readonly ready: Ready }
  | {
    readonly _tag: "pending"
    readonly next: Deferred.Deferred<Ready, McpError.McpError>
    readonly lost: McpError.McpError | undefined
  }
  | { readonly _tag: "resting"; readonly error: McpError.McpError; readonly wake: Deferred.Deferred<void> }
  | { readonly _tag: "over"; readonly error: McpError.McpError }

class Supervised implements Link {
  readonly session = Session.make()
  private status: Status = pending(undefined)
  private talks = false
  private readonly policy: Reconnect.Options | false
  private readonly connected: (ready: Ready) => void

  constructor(policy: Reconnect.Options | false, connected: (ready: Ready) => void) {
    this.policy = policy
    this.connected = connected
  }

  readonly current = (): Ready | undefined => this.status._tag === "open" ? this.status.ready : undefined

  readonly heard = (): void => {
    this.talks = true
  }

  readonly ready = Effect.suspend(() => this.next(false))

  readonly forCalls = Effect.suspend(() => this.next(this.policy !== false && this.policy.calls === "fail"))

  readonly after = (ready: Ready): Effect.Effect<Ready | undefined, McpError.McpError> =>
    Effect.suspend(() => {
      if (this.policy === false) return Effect.undefined
      const { closed } = ready.connection
      return Effect.flatMap(
        Effect.raceFirst(Effect.as(closed, true), Effect.as(Effect.yieldNow, false)),
        (lost) => lost ? this.afterLost(ready) : Effect.undefined
      )
    })

  // Whoever waits for the end of a connection may hear of it before `run` does.
  private afterLost(ready: Ready): Effect.Effect<Ready, McpError.McpError> {
    return this.current() === ready
      ? Effect.andThen(Effect.yieldNow, Effect.suspend(() => this.afterLost(ready)))
      : this.forCalls
  }

  private next(atOnce: boolean): Effect.Effect<Ready, McpError.McpError> {
    const { status } = this
    switch (status._tag) {
      case "open":
        return Effect.succeed(status.ready)
      case "pending":
        return atOnce && status.lost !== undefined ? Effect.fail(status.lost) : Deferred.await(status.next)
      case "over":
        return Effect.fail(status.error)
      case "resting": {
        const next = pending(status.error)
        this.status = next
        Deferred.doneUnsafe(status.wake, Effect.void)
        return atOnce ? Effect.fail(status.error) : Deferred.await(next.next)
      }
    }
  }

  readonly run = (attempt: Attempt): Effect.Effect<void, never, Scope.Scope> =>
    Effect.gen({ self: this }, function*() {
      // A turn for whoever watches the session to see it `created`.
      yield* Effect.yieldNow
      this.session.dispatch({ _tag: "HandshakeStarted" })
      const pause = yield* pauses(this.policy)
      // The first connection is not tried again by itself: what is wrong with it is mostly wrong for good.
      let mayPause = false
      for (;;) {
        const scope = yield* Scope.fork(yield* Effect.scope)
        const exit = yield* Effect.exit(Scope.provide(attempt(this.opened), scope))
        const error = Exit.isSuccess(exit) ? yield* this.stand(exit.value) : this.failed(exit.cause)
        yield* Scope.close(scope, Exit.void)
        if (Exit.isFailure(exit)) yield* Effect.logDebug("The handshake failed", exit.cause)
        if (error === undefined) return
        if (Exit.isSuccess(exit)) mayPause = true
        if (this.talks) yield* pause.reset
        this.talks = false
        if (!(mayPause && (yield* pause.next(error)))) {
          yield* this.rest(error)
          yield* pause.reset
          mayPause = false
        }
      }
    })

  readonly end = (): void => {
    const message = "The client was closed"
    this.session.dispatch({ _tag: "TransportLost", reason: message })
    this.finish(new McpError.ConnectionClosed({ processed: "no", message }))
  }

  private readonly opened = Effect.sync(() => {
    if (this.session.current()._tag !== "disconnected") return
    this.session.dispatch({ _tag: "Reconnected" })
    this.session.dispatch({ _tag: "HandshakeStarted" })
  })

  // Until it is lost.
  private stand(ready: Ready): Effect.Effect<McpError.McpError | undefined> {
    return Effect.suspend(() => {
      this.session.dispatch({ _tag: "HandshakeCompleted", revision: ready.era.server.revision })
      this.talks = false
      this.connected(ready)
      this.become({ _tag: "open", ready }, Effect.succeed(ready))
      const lost = Effect.map(ready.connection.closed, (lost) => this.lose(closedBy(lost)))
      // A turn for what is in flight to hear of it from the connection, and not from the end of its scope.
      return Effect.tap(lost, () => Effect.yieldNow)
    })
  }

  private failed(cause: Cause.Cause<McpError.McpError>): McpError.McpError | undefined {
    // A transport that dies breaks its contract; whoever waits is told all the same.
    const error = Option.getOrElse(
      Cause.findErrorOption(cause),
      () => new McpError.ConnectionClosed({ processed: "no", message: "The transport failed unexpectedly", cause })
    )
    if (isPassing(error)) return this.lose(error)
    this.session.dispatch({ _tag: "HandshakeFailed", reason: error.message })
    this.finish(error)
    return undefined
  }

  // Why there is to be another attempt; `undefined` when there is not.
  private lose(error: McpError.McpError): McpError.McpError | undefined {
    this.session.dispatch({ _tag: "TransportLost", reason: error.message })
    if (this.policy === false) {
      this.finish(error)
      return undefined
    }
    const { status } = this
    this.status = status._tag === "pending" ? { ...status, lost: error } : pending(error)
    return error
  }

  private rest(error: McpError.McpError): Effect.Effect<void> {
    const wake = Deferred.makeUnsafe<void>()
    this.become({ _tag: "resting", error, wake }, Effect.fail(error))
    return Deferred.await(wake)
  }

  private finish(error: McpError.McpError): void {
    this.become({ _tag: "over", error }, Effect.fail(error))
  }

  private become(status: Status, outcome: Effect.Effect<Ready, McpError.McpError>): void {
    const before = this.status
    this.status = status
    if (before._tag === "pending") Deferred.doneUnsafe(before.next, outcome)
  }
}

const pending = (lost: McpError.McpError | undefined): Extract<Status, { _tag: "pending" }> => ({
  _tag: "pending",
  next: Deferred.makeUnsafe(),
  lost
})

const closedBy = ({ cause, message }: TransportError): McpError.McpError =>
  new McpError.ConnectionClosed({ processed: "no", message, cause })

// What another attempt may do better.
const isPassing = ({ _tag }: McpError.McpError): boolean => _tag === "ConnectionClosed" || _tag === "RequestTimeout"

/** The pauses of a schedule, one after the other, which can begin anew. */
export const pauses = (policy: Reconnect.Options | false) =>
  Effect.gen(function*() {
    const schedule = (policy === false ? undefined : policy.schedule) ?? Reconnect.schedule
    const steps = Schedule.toStepWithSleep(schedule)
    let step = yield* steps
    return {
      reset: Effect.map(steps, (fresh) => void (step = fresh)),
      next: (error: McpError.McpError): Effect.Effect<boolean> =>
        Pull.matchEffect(Effect.suspend(() => step(error)), {
          onSuccess: () => Effect.succeed(true),
          onDone: () => Effect.succeed(false),
          onFailure: (cause) => Effect.as(Effect.logError("The schedule of reconnections failed", cause), false)
        })
    }
  })
