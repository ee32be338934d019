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
  readonly ended: (stream: MessageStream | undefined) => void
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
    const sender: Outgoing.Sender = {
      offer: (text, taken) => Effect.map(this.say(text), () => taken?.()),
      push: (text) => void this.host.wire.run(Effect.ignore(this.say(text)))
    }
    this.back = {
      notify: (notification) =>
        Effect.flatMap(Text.ofNotification(notification), (text) => this.say(text, notification.stale)),
      request: (request, back) => host.outgoing().over(sender)(request, back)
    }
  }

  /** One request has its reply, or, if it was cancelled, will have none. */
  readonly reply = (response: JsonRpc.Response | undefined): void => {
    const { host } = this
    if (response !== undefined) this.replies.push(Text.ofResponse(host.wire.run, response))
    this.waiting--
    if (this.stream !== undefined) return this.sayReplies(this.stream)
    if (this.waiting > 0) return
    host.ended(undefined)
    if (this.replies.length === 0) this.exchange.reply(Reply.noEvents)
    else this.exchange.reply(Reply.json(this.batch ? `[${this.replies.join(",")}]` : this.replies.join("")))
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

  private say(text: string, stale?: () => boolean): Effect.Effect<void, TransportError> {
    return Effect.suspend(() => {
      if (this.stream === undefined) this.exchange.open()
      if (this.stream === undefined) return Effect.fail(gone)
      return this.stream.send(text, stale === undefined ? {} : { stale })
    })
  }

  private sayReplies(stream: MessageStream): void {
    const over = this.waiting === 0
    const texts = this.replies.splice(0)
    const said = Effect.forEach(
      texts,
      (text, i) => stream.send(text, { last: over && i === texts.length - 1 }),
      { discard: true }
    )
    this.host.wire.run(over ? Effect.map(said, () => stream.finish()) : said)
    if (over) this.host.ended(stream)
  }

  private opened(reader: EventStream.EventStream): void {
    const stream = this.stream = this.host.stream()
    this.reader = reader
    if (this.host.primes()) reader.push(EventStream.frame({ id: stream.position(), data: "" }))
    this.host.wire.run(stream.attach(reader))
  }
}

const gone = new TransportError({ reason: "closed", processed: "unknown", message: "The client has gone" })
