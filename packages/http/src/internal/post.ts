/**
 * One POST of a session that has requests in it: the way back of all of them, and their replies.
 *
 * Its event stream, if it becomes one, belongs to the session: it goes on when the connection is lost.
 */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as Outgoing from "@mcp-effect/protocol/Outgoing"
import { type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as EventStream from "../EventStream.ts"
import type { CurrentStream } from "./currentStream.ts"
import type { Responds } from "./era.ts"
import { Exchange, type Wire } from "./exchange.ts"
import type { MessageStream } from "./messageStream.ts"
import * as Reply from "./reply.ts"
import * as Text from "./text.ts"

/** What it needs of its session. `primes`: whether clients know that an event without data is a place to come back to. */
export interface Host {
  readonly wire: Wire
  readonly stream: () => MessageStream
  readonly ended: (post: Post, stream: MessageStream | undefined) => void
  readonly primes: () => boolean
  readonly outgoing: () => Outgoing.Outgoing
}

export class Post implements CurrentStream {
  readonly back: Peer
  private readonly host: Host
  private readonly exchange: Exchange
  private readonly batch: boolean
  private readonly replies: Array<string> = []
  private waiting: number
  private asks = 0
  private stream: MessageStream | undefined
  private reader: EventStream.EventStream | undefined

  /** `requests`: how many replies there will be. */
  constructor(
    host: Host,
    route: Fiber.Fiber<unknown, unknown>,
    options: { readonly requests: number; readonly batch: boolean }
  ) {
    this.host = host
    this.waiting = options.requests
    this.batch = options.batch
    this.exchange = new Exchange(host.wire, route, (reader) => this.opened(reader))
    this.back = {
      notify: (notification) => Text.withNotification(notification, (text, stale) => this.say(text, stale)),
      request: (request, back) =>
        Effect.suspend(() => {
          this.asks++
          return Effect.ensuring(host.outgoing().over(this.sender)(request, back), Effect.sync(() => this.asks--))
        })
    }
  }

  /** One request has its reply, or, if it was cancelled, will have none. */
  readonly reply = (response: JsonRpc.Response | undefined): void => {
    if (this.waiting === 0) return
    this.waiting--
    const { stream } = this
    if (response !== undefined) {
      const text = Text.ofResponse(this.host.wire.run, response)
      if (stream === undefined) this.replies.push(text)
      else stream.push(text, this.waiting === 0)
    }
    if (this.waiting === 0) this.end()
  }

  /** There will be no more replies. */
  end(): void {
    const { replies, stream } = this
    this.waiting = 0
    this.host.ended(this, stream)
    if (stream !== undefined) stream.end()
    else if (replies.length === 0) this.exchange.reply(Reply.noEvents)
    else this.exchange.reply(Reply.json(this.batch ? `[${replies.join(",")}]` : replies.join("")))
  }

  /** Whether it only waits for answers of a client that is not there. */
  get waitsInVain(): boolean {
    return this.asks > 0 && this.asks >= this.waiting && this.stream?.isRead() === false
  }

  interrupt(retry: number): void {
    if (!this.host.primes()) return
    this.exchange.open()
    this.stream?.interrupt(retry)
  }

  get response(): Responds {
    return this.exchange.response(() => {
      if (this.reader !== undefined) this.stream?.detach(this.reader)
    })
  }

  private get sender(): Outgoing.Sender {
    return {
      offer: (text, taken) => Effect.map(Effect.suspend(() => this.say(text)), () => taken?.()),
      push: (text) => this.stream?.push(text)
    }
  }

  // Says it when it is called.
  private say(text: string, stale?: () => boolean): Effect.Effect<void, TransportError> {
    if (this.stream === undefined) this.exchange.open()
    return this.stream === undefined ? Effect.fail(gone) : this.stream.send(text, stale)
  }

  // Replies that are there already waited for the others.
  private opened(reader: EventStream.EventStream): void {
    const stream = this.stream = this.host.stream()
    this.reader = reader
    if (this.host.primes()) reader.push(EventStream.frame({ id: stream.position(), data: "" }))
    stream.attach(reader)
    for (const text of this.replies.splice(0)) stream.push(text)
  }
}

const gone = new TransportError({ reason: "closed", processed: "unknown", message: "The client has gone" })
