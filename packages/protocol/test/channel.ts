/** Channels for tests: one whose far end is the test itself, and one that joins two ends. */
import * as Duplex from "@mcp-effect/protocol/Duplex"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Outbox from "@mcp-effect/protocol/Outbox"
import { closed, type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"

export type Json = { readonly [key: string]: unknown }

/** Lets everything run that can run without time passing. */
export const settle: Effect.Effect<void> = Effect.repeat(Effect.yieldNow, { times: 20 }).pipe(Effect.asVoid)

/** A peer of which only some is needed. */
export const peer = (parts: Partial<Peer>): Peer => ({ ...closed, ...parts })

/** A peer that keeps the notifications it is given. */
export const recorder = () => {
  const got: Array<JsonRpc.Notification> = []
  const notify = (notification: JsonRpc.Notification) => Effect.sync(() => void got.push(notification))
  return { got, ...peer({ notify }) }
}

/** Progress values that were delivered, in order. */
export const progressOf = (got: ReadonlyArray<JsonRpc.Notification>): ReadonlyArray<unknown> =>
  got.map(({ params }) => params?.progress)

export const lost = new TransportError({ reason: "closed", processed: "unknown", message: "the line was cut" })

interface Options {
  readonly local?: Partial<Peer>
  readonly batches?: boolean
  readonly answerInvalid?: boolean
  /** Bounds the outbox, and leaves it to the test to take from it. */
  readonly capacity?: number
}

/** One end of a channel. The test says what arrives, as JSON, and reads what was sent since it last asked. */
export const open = Effect.fnUntraced(function*(options: Options = {}) {
  const { answerInvalid = true, batches = false, capacity } = options
  const outbox = Outbox.make(capacity === undefined ? {} : { capacity })
  const duplex = yield* Duplex.make({
    outbox,
    local: () => Effect.succeed(peer(options.local ?? {})),
    batches: () => batches,
    answerInvalid
  })
  const texts: Array<string> = []
  const read = Effect.map(outbox.take, (batch) => void texts.push(...batch))
  if (capacity === undefined) yield* Effect.forkScoped(Effect.forever(read))
  return {
    duplex,
    outbox,
    read,
    receive: (...messages: ReadonlyArray<unknown>) =>
      Effect.andThen(
        Effect.sync(() => {
          for (const message of messages) duplex.receive(JSON.stringify(message))
        }),
        settle
      ),
    sent: Effect.andThen(settle, Effect.sync(() => texts.splice(0).map((text): Json => JSON.parse(text))))
  }
})

/** Two ends that are joined. `said` keeps what each has put on the wire. */
export const join = Effect.fnUntraced(function*(options: {
  readonly client?: Partial<Peer>
  readonly server: (remote: Peer) => Partial<Peer>
}) {
  const [toServer, toClient] = [Outbox.make(), Outbox.make()]
  const server = yield* Duplex.make({
    outbox: toClient,
    local: (remote) => Effect.succeed(peer(options.server(remote))),
    answerInvalid: true
  })
  const client = yield* Duplex.make({
    outbox: toServer,
    local: () => Effect.succeed(peer(options.client ?? {})),
    answerInvalid: false
  })
  const said = { client: new Array<Json>(), server: new Array<Json>() }
  yield* Effect.forkScoped(carry(toServer, server, said.client))
  yield* Effect.forkScoped(carry(toClient, client, said.server))
  return { client, server, said }
})

const carry = (from: Outbox.Outbox, to: Duplex.Duplex, said: Array<Json>) =>
  Effect.andThen(
    Effect.ignore(Effect.forever(Effect.map(from.take, (texts) => {
      for (const text of texts) {
        said.push(JSON.parse(text))
        to.receive(text)
      }
    }))),
    to.close(new TransportError({ reason: "closed", processed: "unknown", message: "The other side has closed" }))
  )

/** Keeps what is logged, from the level of information up. */
export const logs = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ cause, logLevel, message }) => {
    const why = cause.reasons.length === 0 ? [] : [Cause.pretty(cause)]
    lines.push(`${logLevel}: ${[message, why].flat().join(" ")}`)
  })
  return { lines, layer: Logger.layer([logger]) }
}

/** Whether a fiber has ended. */
export const hasEnded = (fiber: Fiber.Fiber<unknown, unknown>): boolean => fiber.pollUnsafe() !== undefined
