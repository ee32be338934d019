/**
 * A transport that answers from a recording: no server is there, and what one has said is said again.
 *
 * Requests are found by their method and parameters, in the order in which they were recorded, so that those that were sent
 * at the same time may come in another. What the server said on a request, before its response, comes before it again.
 *
 * @since 0.1.0
 */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import { type Connection, type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as SchemaParser from "effect/SchemaParser"
import * as Recorder from "./Recorder.ts"

/**
 * A recording that cannot be played: which of its lines, from 1, is none.
 *
 * @since 0.1.0
 * @category errors
 */
export class RecordingError extends Data.TaggedError("RecordingError")<{ readonly line: number }> {
  override get message(): string {
    return `Line ${this.line} of the recording is none`
  }
}

/**
 * The server of a recording: the text of all its lines. Connections are played in their order, and after the last of them
 * there is no other. A request that was not recorded is answered with an error that says so, and what is still there.
 *
 * Nothing waits: what was said is said at once. A request that had no response has none, until the connection ends.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (recording: string): Layer.Layer<ClientTransport, RecordingError> =>
  Layer.effect(
    ClientTransport,
    Effect.gen(function*() {
      const lines = yield* parse(recording)
      let next = 0
      return {
        connect: (local) =>
          Effect.suspend(() => {
            const connection = next++
            const own = lines.filter((line) => line.connection === connection)
            return own.length === 0
              ? Effect.fail(
                new TransportError({
                  reason: "refused",
                  processed: "no",
                  message: `The recording has ${connection} connections, and no other`
                })
              )
              : Effect.succeed(new Played(own, local))
          })
      }
    })
  )

const decodeLine = SchemaParser.decodeUnknownEffect(Recorder.Line)

const parse = (recording: string): Effect.Effect<ReadonlyArray<Recorder.Line>, RecordingError> =>
  Effect.forEach(
    recording.split("\n").map((text, index) => ({ text, line: index + 1 })).filter(({ text }) => text.trim() !== ""),
    ({ line, text }) =>
      Effect.mapError(
        Effect.flatMap(Effect.try(() => JSON.parse(text) as unknown), decodeLine),
        () => new RecordingError({ line })
      )
  )

/** A request of the client, with what the server has said to it. */
interface Exchange {
  readonly key: string
  readonly method: string
  readonly token: unknown
  readonly said: ReadonlyArray<Recorder.Line>
  readonly outcome: Recorder.Line | undefined
}

class Played implements Connection {
  private readonly exchanges: Array<Exchange>
  private readonly local: Peer
  private readonly end: Recorder.Line | undefined
  private untied: ReadonlyArray<Recorder.Line>

  constructor(lines: ReadonlyArray<Recorder.Line>, local: Peer) {
    this.exchanges = exchangesOf(lines)
    this.local = local
    this.untied = lines.filter((line) => line.from === "server" && line.on === undefined && isSaid(line))
    this.end = lines.find((line) => line.on === undefined && line.ended !== undefined)
  }

  // When all that was recorded has been played, so has the end.
  get closed(): Effect.Effect<TransportError> {
    return Effect.suspend(() => {
      const ended = this.end?.ended
      return ended === undefined ? Effect.never : Effect.andThen(this.played, Effect.succeed(lost(ended)))
    })
  }

  readonly notify: Peer["notify"] = () => this.sayUntied

  readonly request: Peer["request"] = (request, back) =>
    Effect.suspend(() => {
      const key = keyOf(request)
      const index = this.exchanges.findIndex((exchange) => exchange.key === key)
      const [exchange] = index === -1 ? [] : this.exchanges.splice(index, 1)
      if (exchange === undefined) return Effect.succeed(this.unknown(request))
      const token = Meta.progressToken(request.params)
      const said = Effect.forEach(exchange.said, (line) => say(line, back, exchange.token, token), { discard: true })
      return said.pipe(
        Effect.andThen(this.sayUntied),
        Effect.andThen(outcome(exchange.outcome, request.id)),
        Effect.ensuring(Effect.sync(() => this.exchanges.length === 0 && this.whenPlayed?.()))
      )
    })

  private whenPlayed: (() => void) | undefined

  private readonly played = Effect.callback<void>((resume) => {
    if (this.exchanges.length === 0) return resume(Effect.void)
    this.whenPlayed = () => resume(Effect.void)
  })

  // What is tied to no request comes with whatever the client says next.
  private readonly sayUntied = Effect.suspend(() => {
    const lines = this.untied
    this.untied = []
    return Effect.forEach(lines, (line) => say(line, this.local, undefined, undefined), { discard: true })
  })

  private unknown(request: JsonRpc.Request): JsonRpc.Response {
    const left = [...new Set(this.exchanges.map(({ method }) => method))]
    return JsonRpc.failure(request.id, {
      code: JsonRpc.INTERNAL_ERROR,
      message: `The recording has no ${request.method} with these parameters that was not played. ${
        left.length === 0 ? "Nothing is left in it" : `What is left: ${left.join(", ")}`
      }`
    })
  }
}

const messageOf = (line: Recorder.Line): JsonRpc.Message | undefined => {
  const message = line.message === undefined ? undefined : JsonRpc.fromJson(line.message)
  return message === undefined || message._tag === "Invalid" ? undefined : message
}

const isSaid = (line: Recorder.Line): boolean => {
  const tag = messageOf(line)?._tag
  return tag === "Request" || tag === "Notification"
}

const exchangesOf = (lines: ReadonlyArray<Recorder.Line>): Array<Exchange> =>
  lines.flatMap((line, index) => {
    const message = messageOf(line)
    if (line.from !== "client" || line.on !== undefined || message?._tag !== "Request") return []
    const later = lines.slice(index + 1)
    const end = later.findIndex((line) => settles(line, message.id))
    const during = end === -1 ? later : later.slice(0, end)
    return [{
      key: keyOf(message),
      method: message.method,
      token: Meta.progressToken(message.params),
      said: during.filter((line) => line.from === "server" && line.on === message.id && isSaid(line)),
      outcome: later[end]
    }]
  })

const settles = (line: Recorder.Line, id: JsonRpc.Id): boolean => {
  if (line.ended !== undefined) return line.on === id
  const message = messageOf(line)
  return line.from === "server" && line.on === undefined &&
    (message?._tag === "Success" || message?._tag === "Failure") && message.id === id
}

// What a request asks, without what belongs to how it was sent.
const keyOf = ({ method, params = {} }: JsonRpc.Request): string => {
  const { _meta, ...rest } = params
  return `${method} ${JSON.stringify(sorted(rest))}`
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1).map(([key, member]) => [key, sorted(member)])
  )
}

// With the token that the request has now, in place of the one that it had.
const say = (line: Recorder.Line, to: Peer, before: unknown, now: unknown): Effect.Effect<void> => {
  const message = messageOf(line)
  switch (message?._tag) {
    case "Notification": {
      const { method, params } = message
      const restored = params !== undefined && before !== undefined && params.progressToken === before
        ? { ...params, progressToken: now }
        : params
      return Effect.ignore(to.notify(JsonRpc.notification(method, restored)))
    }
    case "Request":
      return Effect.ignore(to.request(message, to))
    default:
      return Effect.void
  }
}

const outcome = (line: Recorder.Line | undefined, id: JsonRpc.Id): Effect.Effect<JsonRpc.Response, TransportError> => {
  if (line?.ended !== undefined) return line.ended.reason === "abandoned" ? Effect.never : Effect.fail(lost(line.ended))
  const message = line === undefined ? undefined : messageOf(line)
  return message?._tag === "Success" || message?._tag === "Failure"
    ? Effect.succeed(JsonRpc.withId(message, id))
    : Effect.never
}

const lost = ({ message, processed, reason }: NonNullable<Recorder.Line["ended"]>): TransportError =>
  new TransportError({ reason: reason === "abandoned" ? "closed" : reason, processed, message })
