/** The calls of one connection that wait for answers of their clients: no more than a number, and none for ever. */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type * as McpError from "@mcp-effect/protocol/McpError"
import type { SessionState } from "@mcp-effect/server/Call"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { Parked } from "./parked.ts"

export interface Limits {
  readonly most: number
  readonly expiry: Duration.Input
}

export class Lot {
  /** That of the client, where it has one: all calls are of it. */
  session: SessionState | undefined
  private readonly calls = new Map<string, Parked>()
  private readonly leaving = new Map<string, Fiber.Fiber<void>>()
  private readonly scope: Scope.Scope
  private readonly limits: Limits

  constructor(scope: Scope.Scope, limits: Limits) {
    this.scope = scope
    this.limits = limits
  }

  /** The only one that may ask now, if there is just one: a question that is tied to none can only be its. */
  get only(): Parked | undefined {
    const [first, second] = [...this.calls.values()].filter(({ isAsking }) => !isAsking)
    return second === undefined ? first : undefined
  }

  /** Starts a call; yields how it is known. */
  readonly start = (
    subject: string | undefined,
    send: (parked: Parked) => Effect.Effect<Params, McpError.McpError>
  ): Effect.Effect<string> =>
    Effect.gen({ self: this }, function*() {
      const id = globalThis.crypto.randomUUID()
      const parked = new Parked(subject)
      this.calls.set(id, parked)
      const fiber = yield* Effect.forkIn(send(parked), this.scope)
      parked.fiber = fiber
      fiber.addObserver((exit) => parked.settle(exit))
      return id
    })

  /** Takes it up again. `undefined`: it has expired, or is somebody else's. */
  readonly take = (id: unknown, subject: string | undefined): Effect.Effect<Parked | undefined> =>
    Effect.suspend(() => {
      const parked = typeof id === "string" ? this.calls.get(id) : undefined
      if (parked === undefined || parked.subject !== subject) return Effect.undefined
      const timer = this.leaving.get(String(id))
      this.leaving.delete(String(id))
      return Effect.as(timer === undefined ? Effect.void : Fiber.interrupt(timer), parked)
    })

  /** Leaves it for the next round. Where there are too many of these, the oldest is over. */
  readonly leave = (id: string, parked: Parked): Effect.Effect<void> =>
    Effect.gen({ self: this }, function*() {
      parked.told = undefined
      const late = Effect.andThen(
        Effect.sleep(this.limits.expiry),
        this.giveUp(id, parked, "its client did not come back")
      )
      const [oldest] = this.leaving.keys()
      const other = oldest === undefined ? undefined : this.calls.get(oldest)
      if (this.leaving.size >= this.limits.most && oldest !== undefined && other !== undefined) {
        const timer = this.leaving.get(oldest)
        yield* this.giveUp(oldest, other, `${this.limits.most} others wait for answers, which is the limit`)
        if (timer !== undefined) yield* Fiber.interrupt(timer)
      }
      this.leaving.set(id, yield* Effect.forkIn(late, this.scope))
    })

  private giveUp(id: string, parked: Parked, why: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.leaving.delete(id)
      return Effect.andThen(
        Effect.logWarning(`A call that waits for answers was given up: ${why}`),
        this.end(id, parked)
      )
    })
  }

  readonly end = (id: string, parked: Parked): Effect.Effect<void> =>
    Effect.suspend(() => {
      this.calls.delete(id)
      parked.fiber?.interruptUnsafe()
      return Effect.void
    })
}
