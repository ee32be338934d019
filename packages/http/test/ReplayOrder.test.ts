/** The law of a stream that is read over many connections: a client that comes back hears everything, once and in order. */
import { assert, describe, it } from "@effect/vitest"
import { Peer } from "@mcp-effect/protocol"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { EventStore, StoredEvent } from "../src/EventStore.ts"
import type { EventStream } from "../src/EventStream.ts"
import { MessageStream, parse } from "../src/internal/messageStream.ts"

const turns = (times: number) => Effect.repeat(Effect.yieldNow, { times })

/** A store that takes its time, and is right all the same. */
const slow = (delay: number): EventStore["Service"] => {
  const events: Array<StoredEvent> = []
  return {
    append: (_session, _stream, event) =>
      Effect.suspend(() => {
        assert.strictEqual(event.sequence, events.length + 1, "what is said must be stored in order")
        events.push(event)
        return turns(delay)
      }),
    read: (_session, _stream, sequence) =>
      Effect.suspend(() => {
        const found = events.slice(sequence)
        return Effect.as(turns(delay), found)
      }),
    release: () => Effect.void,
    remove: () => Effect.void
  }
}

/** A connection with room for a few messages. */
class Reader implements Pick<EventStream, "tryOffer" | "push" | "room" | "end"> {
  frames: Array<string> = []
  ended = false
  private waiting: Array<() => void> = []

  readonly tryOffer = (frame: string): boolean => {
    if (this.ended || this.frames.length >= 3) return false
    this.push(frame)
    return true
  }

  readonly push = (frame: string): void => {
    if (!this.ended) this.frames.push(frame)
  }

  readonly room = Effect.callback<void, Peer.TransportError>((resume) => {
    if (this.ended) return resume(Effect.fail(lost))
    if (this.frames.length < 3) return resume(Effect.void)
    this.waiting.push(() => resume(this.ended ? Effect.fail(lost) : Effect.void))
  })

  readonly end = (): void => {
    this.ended = true
    this.wake()
  }

  take(count: number): ReadonlyArray<string> {
    const taken = this.frames.splice(0, count)
    this.wake()
    return taken
  }

  private wake(): void {
    for (const done of this.waiting.splice(0)) done()
  }
}

const lost = new Peer.TransportError({ reason: "closed", processed: "unknown", message: "lost" })

// Sound: a stream uses nothing else of a reader.
const asStream = (reader: Reader): EventStream => reader as unknown as EventStream

/** A client that reads what it likes, and comes back from where it was. */
const client = (stream: MessageStream) => {
  let reader: Reader | undefined
  let last = 0
  const heard: Array<number> = []
  return {
    heard,
    come: () => {
      reader = new Reader()
      stream.attach(asStream(reader), last)
    },
    lose: () => {
      if (reader !== undefined) stream.detach(asStream(reader))
      reader?.end()
      reader = undefined
    },
    take: (count: number) => {
      for (const frame of (reader?.take(count) ?? []).join("").split("\n\n").slice(0, -1)) {
        const [, id = "", data = ""] = /^event: message\nid: (.*)\ndata: (.*)$/.exec(frame) ?? []
        const place = parse(id)?.sequence
        assert.strictEqual(place, last + 1, "no place is left out or shown twice")
        last = place ?? -1
        heard.push(Number(data))
      }
    }
  }
}

const steps = ["say", "say", "push", "come", "come", "lose", "take one", "take all", "turn", "turns"] as const

describe("a message stream", () => {
  it.effect.prop(
    "MUST be heard whole, once and in order, however connections come and go, and however slow the store is",
    [Arbitrary.array(Arbitrary.schema(Schema.Literals(steps)), { maxLength: 60 }), Schema.Literals([0, 1, 3, 10])],
    ([does, delay]) =>
      Effect.gen(function*() {
        const run = Effect.runForkWith(yield* Effect.context<never>())
        const stream = new MessageStream("s.1", { session: "x", store: slow(delay), run })
        const { come, heard, lose, take } = client(stream)
        let said = 0
        for (const what of does) {
          switch (what) {
            case "say":
              run(stream.send(String(++said)))
              break
            case "push":
              stream.push(String(++said))
              break
            case "come":
              come()
              break
            case "lose":
              lose()
              break
            case "take one":
              take(1)
              break
            case "take all":
              take(Infinity)
              break
            case "turn":
              yield* Effect.yieldNow
              break
            default:
              yield* turns(30)
          }
        }
        come()
        for (let n = 0; n < 100; n++) {
          take(Infinity)
          yield* Effect.yieldNow
        }
        stream.push(String(++said), true)
        yield* turns(50)
        take(Infinity)
        // What waits for room is overtaken by what does not.
        assert.deepStrictEqual(heard.toSorted((a, b) => a - b), Array.from({ length: said }, (_, n) => n + 1))
      }),
    { arbitrary: { runs: 300 } }
  )
})
