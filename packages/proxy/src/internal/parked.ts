/**
 * A call to the server behind the proxy that may ask on its way: it goes on while its questions travel to the client and
 * back, be it in another round of the client's call, and it is made once.
 */
import type { Notification, Params } from "@mcp-effect/protocol/JsonRpc"
import type * as McpError from "@mcp-effect/protocol/McpError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"

/** `key` is the same in every round. */
export interface Question {
  readonly key: string
  readonly method: string
  readonly params: Params
  readonly answer: Deferred.Deferred<Params, McpError.ProtocolError>
}

export type Outcome = Exit.Exit<Params, McpError.McpError>

export class Parked {
  /** Whoever the client's call is by. */
  readonly subject: string | undefined
  /** Takes what the server says on the way, while there is somebody to tell. */
  told: ((notification: Notification) => Effect.Effect<void>) | undefined
  fiber: Fiber.Fiber<Params, McpError.McpError> | undefined
  private readonly open = new Map<string, Question>()
  private asked = 0
  private outcome: Outcome | undefined
  private wake: (() => void) | undefined

  constructor(subject: string | undefined) {
    this.subject = subject
  }

  get questions(): ReadonlyArray<Question> {
    return [...this.open.values()]
  }

  get isAsking(): boolean {
    return this.open.size > 0
  }

  /** Waits until there is an answer. */
  readonly ask = (method: string, params: Params): Effect.Effect<Params, McpError.ProtocolError> =>
    Effect.suspend(() => {
      const key = `question-${++this.asked}`
      const answer = Deferred.makeUnsafe<Params, McpError.ProtocolError>()
      this.open.set(key, { key, method, params, answer })
      this.wake?.()
      return Effect.ensuring(Deferred.await(answer), Effect.sync(() => this.open.delete(key)))
    })

  settle(outcome: Outcome): void {
    this.outcome = outcome
    this.wake?.()
  }

  answered({ answer, key }: Question, exit: Exit.Exit<Params, McpError.ProtocolError>): void {
    this.open.delete(key)
    Deferred.doneUnsafe(answer, exit)
  }

  /** Waits for questions that are open, or the outcome. */
  readonly next: Effect.Effect<Outcome | undefined> = Effect.callback((resume) => {
    const look = (): boolean => {
      if (this.outcome === undefined && !this.isAsking) return false
      this.wake = undefined
      resume(Effect.succeed(this.outcome))
      return true
    }
    if (look()) return
    this.wake = look
    return Effect.sync(() => {
      this.wake = undefined
    })
  })
}
