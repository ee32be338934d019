/** What every store of events does. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { EventStore, type StoredEvent } from "../EventStore.ts"

export interface Rule {
  readonly name: string
  /** `many`: a number of events of which a store forgets some, if it ever does. */
  readonly test: (many: number) => Effect.Effect<void, never, EventStore>
}

const event = (sequence: number, data = `{"n":${sequence}}`, last = false): StoredEvent => ({ sequence, data, last })

const append = (session: string, stream: string, ...events: ReadonlyArray<StoredEvent>) =>
  Effect.flatMap(
    EventStore,
    (store) => Effect.forEach(events, (event) => store.append(session, stream, event), { discard: true })
  )

const read = (session: string, stream: string, sequence: number) =>
  Effect.flatMap(EventStore, (store) => store.read(session, stream, sequence))

const sequences = (session: string, stream: string, sequence: number) =>
  Effect.map(read(session, stream, sequence), (events) => events.map((event) => event.sequence))

const reading: ReadonlyArray<Rule> = [
  {
    name: "MUST yield what was said on a stream after a place, in order, as it was",
    test: () =>
      Effect.gen(function*() {
        const all = [
          event(1, ""),
          event(2, "{\"text\":\"\u00e9 \u{1f600} \u2028 \\n\"}"),
          event(3, "x".repeat(20_000)),
          event(4, " [1, 2] "),
          event(5, "{}", true)
        ]
        yield* append("session", "stream", ...all)
        for (let place = 0; place <= all.length; place++) {
          assert.deepStrictEqual(yield* read("session", "stream", place), all.slice(place))
        }
        assert.deepStrictEqual(yield* read("session", "stream", 99), [])
        // To be read is not to be forgotten.
        assert.deepStrictEqual(yield* read("session", "stream", 0), all)
      })
  },
  {
    name: "MUST yield nothing of a session or a stream that it was never told of",
    test: () =>
      Effect.gen(function*() {
        yield* append("session", "stream", event(1))
        for (
          const [session, stream] of [
            ["other", "stream"],
            ["session", "other"],
            ["stream", "session"],
            ["__proto__", "stream"],
            ["session", "constructor"],
            ["*", "*"]
          ] as const
        ) {
          assert.deepStrictEqual(yield* read(session, stream, 0), [], `${session}, ${stream}`)
        }
      })
  },
  {
    name: "MUST see what is appended although the one before was not waited for",
    test: () =>
      Effect.gen(function*() {
        const store = yield* EventStore
        const fibers = []
        for (let n = 1; n <= 100; n++) {
          fibers.push(yield* Effect.forkChild(store.append("session", "stream", event(n)), { startImmediately: true }))
        }
        assert.deepStrictEqual(
          yield* sequences("session", "stream", 0),
          Array.from({ length: 100 }, (_, n) => n + 1)
        )
        yield* Fiber.joinAll(fibers)
        assert.deepStrictEqual(yield* sequences("session", "stream", 99), [100])
      })
  }
]

const apart: ReadonlyArray<Rule> = [
  {
    name: "MUST keep the streams of a session apart, and so those of other sessions that have the same ids",
    test: () =>
      Effect.gen(function*() {
        // Joined, some of these ids are the same.
        const places = ["a", "ab", "a.b", "a:b"].flatMap((session) =>
          ["b.c", "c", "b:c", "bc", ".c"].map((stream) => ({ session, stream }))
        )
        const said = (place: typeof places[number], n: number) => event(n, JSON.stringify([place, n]))
        for (const n of [1, 2, 3]) {
          for (const place of places) yield* append(place.session, place.stream, said(place, n))
        }
        for (const place of places) {
          assert.deepStrictEqual(yield* read(place.session, place.stream, 1), [said(place, 2), said(place, 3)])
        }
      })
  },
  {
    name: "MUST keep many sessions apart",
    test: () =>
      Effect.gen(function*() {
        const ids = Array.from({ length: 300 }, (_, n) => `session-${n}`)
        yield* Effect.forEach(ids, (id) => append(id, "stream", event(1, id), event(2, id, true)), {
          concurrency: "unbounded"
        })
        for (const id of ids) assert.deepStrictEqual(yield* read(id, "stream", 1), [event(2, id, true)])
      })
  },
  {
    name: "MUST forget all streams of a session that is removed, of no other, and take it anew",
    test: () =>
      Effect.gen(function*() {
        const store = yield* EventStore
        for (const session of ["a", "aa", "b"]) {
          for (const stream of ["one", "two"]) yield* append(session, stream, event(1), event(2))
        }
        yield* store.remove("unknown")
        yield* store.remove("a")
        yield* store.remove("a")
        for (const stream of ["one", "two"]) {
          assert.deepStrictEqual(yield* read("a", stream, 0), [])
          assert.deepStrictEqual(yield* sequences("aa", stream, 0), [1, 2])
          assert.deepStrictEqual(yield* sequences("b", stream, 0), [1, 2])
        }
        yield* append("a", "one", event(1, "anew"))
        assert.deepStrictEqual(yield* read("a", "one", 0), [event(1, "anew")])
      })
  }
]

const bounded: ReadonlyArray<Rule> = [
  {
    name: "MUST keep the newest without a gap, where it forgets the oldest",
    test: (many) =>
      Effect.gen(function*() {
        for (let n = 1; n <= many; n++) yield* append("session", "stream", event(n))
        const kept = yield* sequences("session", "stream", 0)
        const oldest = kept[0] ?? 0
        assert.isAbove(kept.length, 0)
        assert.deepStrictEqual(kept, Array.from({ length: many - oldest + 1 }, (_, n) => oldest + n))
        assert.deepStrictEqual(yield* sequences("session", "stream", many - 1), [many])
        assert.deepStrictEqual(yield* sequences("session", "stream", many), [])
      })
  },
  {
    name: "MUST NOT forget what one session was told for what another is told",
    test: (many) =>
      Effect.gen(function*() {
        yield* append("quiet", "stream", event(1), event(2))
        for (let n = 1; n <= many; n++) yield* append("loud", "stream", event(n))
        assert.deepStrictEqual(yield* sequences("quiet", "stream", 0), [1, 2])
      })
  },
  {
    name: "MUST keep the newest event however large it is",
    test: () =>
      Effect.gen(function*() {
        const large = event(2, "x".repeat(4 * 1024 * 1024))
        yield* append("session", "stream", event(1), large)
        assert.deepStrictEqual((yield* read("session", "stream", 1)).map(({ data }) => data.length), [
          large.data.length
        ])
        yield* append("session", "stream", event(3))
        assert.deepStrictEqual(yield* sequences("session", "stream", 2), [3])
      })
  }
]

export const rules: ReadonlyArray<Rule> = [...reading, ...apart, ...bounded]
