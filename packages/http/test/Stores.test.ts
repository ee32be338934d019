/** The stores in memory: what every store does, and their own bounds. */
import { assert, describe, it } from "@effect/vitest"
import * as EventStore from "@mcp-effect/http/EventStore"
import * as SessionStore from "@mcp-effect/http/SessionStore"
import * as StoreContract from "@mcp-effect/http/StoreContract"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

StoreContract.sessions("the memory", SessionStore.SessionStore.layerMemory)

StoreContract.events("the memory", EventStore.EventStore.layerMemory())

// What is forgotten depends on nothing but the newest.
StoreContract.events("a small memory", EventStore.EventStore.layerMemory({ events: 100 }))

const shared = Layer.sync(SessionStore.SessionStore, () => ({ ...SessionStore.memory(), release: () => Effect.void }))

StoreContract.sessions("a memory that others read", shared, { shared: true, idle: "3 hours" })

const said = (sequence: number, data: string): EventStore.StoredEvent => ({ sequence, data, last: false })

describe("events in memory", () => {
  it.effect("MUST be bounded in number, for all streams of a session together", () =>
    Effect.gen(function*() {
      const store = EventStore.memory({ events: 3 })
      yield* store.append("s", "a", said(1, "a1"))
      yield* store.append("s", "b", said(1, "b1"))
      yield* store.append("s", "a", said(2, "a2"))
      yield* store.append("s", "a", said(3, "a3"))
      assert.deepStrictEqual(yield* store.read("s", "a", 0), [said(2, "a2"), said(3, "a3")])
      assert.deepStrictEqual(yield* store.read("s", "b", 0), [said(1, "b1")])
      yield* store.append("s", "a", said(4, "a4"))
      assert.deepStrictEqual(yield* store.read("s", "b", 0), [])
    }))

  it.effect("MUST be bounded in size, but for the newest", () =>
    Effect.gen(function*() {
      const store = EventStore.memory({ size: 10 })
      yield* store.append("s", "a", said(1, "12345"))
      yield* store.append("s", "a", said(2, "12345"))
      assert.strictEqual((yield* store.read("s", "a", 0)).length, 2)
      yield* store.append("s", "a", said(3, "1"))
      assert.deepStrictEqual(yield* store.read("s", "a", 0), [said(2, "12345"), said(3, "1")])
      yield* store.append("s", "a", said(4, "x".repeat(11)))
      assert.deepStrictEqual(yield* store.read("s", "a", 0), [said(4, "x".repeat(11))])
      yield* store.append("s", "a", said(5, "1234567890"))
      assert.deepStrictEqual(yield* store.read("s", "a", 0), [said(5, "1234567890")])
    }))

  const Steps = Schema.Array(Schema.Struct({ stream: Schema.Literals(["a", "b", "c"]), data: Schema.String }))

  it.effect.prop(
    "MUST be the longest run of the newest that is within both bounds",
    [Steps],
    ([steps]) =>
      Effect.gen(function*() {
        const store = EventStore.memory({ events: 4, size: 20 })
        const all: Array<EventStore.StoredEvent & { readonly stream: string }> = []
        for (const [index, { data, stream }] of steps.entries()) {
          all.push({ stream, ...said(index + 1, data) })
          yield* store.append("s", stream, said(index + 1, data))
        }
        let size = 0
        const kept = all.toReversed().filter(({ data }, index) => {
          size += data.length
          return index === 0 || (index < 4 && size <= 20)
        }).toReversed()
        for (const stream of ["a", "b", "c"]) {
          assert.deepStrictEqual(
            (yield* store.read("s", stream, 0)).map(({ sequence }) => sequence),
            kept.filter((event) => event.stream === stream).map(({ sequence }) => sequence)
          )
        }
      })
  )
})
