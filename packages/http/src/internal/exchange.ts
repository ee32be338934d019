/**
 * One POST that waits for its reply: a JSON text, until something is to be said before it, or a heartbeat falls due. Then
 * it is an event stream.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as EventStream from "../EventStream.ts"
import type { Responds } from "./era.ts"

/** What all exchanges of an endpoint have in common. */
export interface Wire {
  readonly run: EventStream.Options["run"]
  readonly heartbeat: Duration.Duration
  readonly capacity: number
}

export class Exchange {
  private readonly wire: Wire
  private readonly route: Fiber.Fiber<unknown, unknown>
  private readonly opened: (stream: EventStream.EventStream) => void
  private answer: HttpServerResponse | undefined
  private resume: ((response: HttpServerResponse) => void) | undefined
  private stream: EventStream.EventStream | undefined
  private over = false
  private left: (() => void) | undefined

  /** `opened` is told of the event stream, if it becomes one, before anything is said on it. */
  constructor(
    wire: Wire,
    route: Fiber.Fiber<unknown, unknown>,
    opened: (stream: EventStream.EventStream) => void = () => {}
  ) {
    this.wire = wire
    this.route = route
    this.opened = opened
  }

  /** The event stream, opened now if it was not; `undefined`: it is too late. */
  open(): EventStream.EventStream | undefined {
    if (this.stream !== undefined) return this.stream
    if (this.over) return undefined
    const { wire } = this
    const stream = this.stream = EventStream.make({ ...wire, drop: () => this.route.interruptUnsafe() })
    this.opened(stream)
    this.respond(stream.response)
    return stream
  }

  /** Ends a response that is no event stream yet. `false`: it is one, or nobody waits for it. */
  reply(response: HttpServerResponse): boolean {
    if (this.over || this.stream !== undefined) return false
    this.over = true
    this.respond(response)
    return true
  }

  /** Ends it as an event stream, with a last frame if there is one. */
  finish(frame?: string): void {
    const stream = this.open()
    this.over = true
    if (frame !== undefined) stream?.push(frame)
    stream?.end()
  }

  /** Whether nobody waits for it any more. */
  isOver(): boolean {
    return this.over
  }

  /** Waits for the response, whichever it is. `left` is called if the client does not wait for the end of it. */
  response(left: () => void): Responds {
    if (this.over && this.answer !== undefined) return Effect.succeed(this.answer)
    this.left = left
    // The scope of a route closes when the response was sent, or cannot be.
    const closing = Effect.addFinalizer(() => Effect.sync(() => this.close()))
    return Effect.uninterruptible(Effect.andThen(closing, Effect.interruptible(this.waiting)))
  }

  private get waiting(): Effect.Effect<HttpServerResponse> {
    return Effect.callback((resume) => {
      if (this.answer !== undefined) return resume(Effect.succeed(this.answer))
      const beat = this.wire.run(
        Effect.andThen(Effect.sleep(this.wire.heartbeat), Effect.sync(() => this.open()?.push(EventStream.comment)))
      )
      this.resume = (response) => {
        beat.interruptUnsafe()
        resume(Effect.succeed(response))
      }
      return Effect.sync(() => beat.interruptUnsafe())
    })
  }

  private respond(response: HttpServerResponse): void {
    this.answer = response
    this.resume?.(response)
  }

  private close(): void {
    this.stream?.gone()
    if (this.over) return
    this.over = true
    this.left?.()
  }
}
