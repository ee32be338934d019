import { assert, describe, it } from "@effect/vitest"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Session from "@mcp-effect/protocol/Session"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { settle } from "./channel.ts"

const revision = Revisions.all[1]!

const states: Record<Session.State["_tag"], Session.State> = {
  created: Session.created,
  initializing: { _tag: "initializing" },
  ready: { _tag: "ready", revision },
  disconnected: { _tag: "disconnected", reason: "cut" },
  failed: { _tag: "failed", reason: "no common version" }
}

const events: Record<Session.Event["_tag"], Session.Event> = {
  HandshakeStarted: { _tag: "HandshakeStarted" },
  HandshakeCompleted: { _tag: "HandshakeCompleted", revision },
  HandshakeFailed: { _tag: "HandshakeFailed", reason: "no common version" },
  TransportLost: { _tag: "TransportLost", reason: "cut" },
  Reconnected: { _tag: "Reconnected" }
}

type Row = { readonly [E in Session.Event["_tag"]]: Session.State["_tag"] | "illegal" }

const table: { readonly [S in Session.State["_tag"]]: Row } = {
  created: {
    HandshakeStarted: "initializing",
    HandshakeCompleted: "illegal",
    HandshakeFailed: "failed",
    TransportLost: "disconnected",
    Reconnected: "illegal"
  },
  initializing: {
    HandshakeStarted: "illegal",
    HandshakeCompleted: "ready",
    HandshakeFailed: "failed",
    TransportLost: "disconnected",
    Reconnected: "illegal"
  },
  ready: {
    HandshakeStarted: "illegal",
    HandshakeCompleted: "illegal",
    HandshakeFailed: "failed",
    TransportLost: "disconnected",
    Reconnected: "illegal"
  },
  disconnected: {
    HandshakeStarted: "illegal",
    HandshakeCompleted: "illegal",
    HandshakeFailed: "failed",
    TransportLost: "illegal",
    Reconnected: "created"
  },
  failed: {
    HandshakeStarted: "illegal",
    HandshakeCompleted: "illegal",
    HandshakeFailed: "illegal",
    TransportLost: "illegal",
    Reconnected: "illegal"
  }
}

const rows = Object.values(states).flatMap((state) =>
  Object.values(events).map((event) => ({ state, event, to: table[state._tag][event._tag] }))
)

describe("the machine", () => {
  for (const { event, state, to } of rows) {
    it(`${state._tag}, ${event._tag}: MUST be ${to}`, () => {
      const next = Session.transition(state, event)
      if (to === "illegal") {
        assert.deepStrictEqual(
          next,
          Result.fail(new Session.IllegalEvent({ state: state._tag, event: event._tag }))
        )
      } else {
        assert.deepStrictEqual(next, Result.succeed(states[to]))
      }
    })
  }

  it("an illegal event MUST say what it was, and where", () => {
    const error = new Session.IllegalEvent({ state: "created", event: "Reconnected" })
    assert.strictEqual(error.message, "Reconnected cannot happen in a session that is created")
  })
})

const Events = Schema.Array(Schema.Literals(Object.values(events).map((event) => event._tag)))

describe("a session", () => {
  it.prop("an illegal event MUST leave the state, and a legal one is the state", [Events], ([tags]) => {
    const cell = Session.make()
    for (const tag of tags) {
      const before = cell.current()
      const next = cell.dispatch(events[tag])
      if (Result.isSuccess(next)) assert.strictEqual(cell.current(), next.success)
      else assert.strictEqual(cell.current(), before)
      assert.strictEqual(cell.current()._tag, walk(before._tag, tag))
    }
  })

  it.prop("failed MUST be absorbing", [Events], ([tags]) => {
    const cell = Session.make()
    cell.dispatch(events.HandshakeFailed)
    const failed = cell.current()
    for (const tag of tags) assert.isTrue(Result.isFailure(cell.dispatch(events[tag])))
    assert.strictEqual(cell.current(), failed)
  })

  it.prop("a new connection MUST need a new handshake", [Events], ([tags]) => {
    const cell = Session.make()
    let handshakes = 0
    for (const tag of tags) {
      const { _tag } = cell.current()
      if (tag === "HandshakeStarted" && _tag === "created") handshakes++
      if (tag === "Reconnected" && _tag === "disconnected") handshakes = 0
      cell.dispatch(events[tag])
      if (cell.current()._tag === "ready") assert.strictEqual(handshakes, 1)
    }
  })

  it.effect("the revision MUST be known exactly while the session is ready", () =>
    Effect.gen(function*() {
      const cell = Session.make()
      const seen: Array<unknown> = [yield* cell.revision]
      for (const event of [events.HandshakeStarted, events.HandshakeCompleted, events.TransportLost]) {
        cell.dispatch(event)
        seen.push(yield* cell.revision)
        assert.strictEqual(yield* cell.state, cell.current())
      }
      assert.deepStrictEqual(seen, [undefined, undefined, revision, undefined])
    }))
})

describe("changes", () => {
  const names = (cell: Session.Cell, count: number) =>
    cell.changes.pipe(Stream.map((state) => state._tag), Stream.take(count), Stream.runCollect, Effect.forkChild)

  it.effect("MUST begin with the state at the time of subscription, then yield each state entered", () =>
    Effect.gen(function*() {
      const cell = Session.make()
      const first = yield* names(cell, 4)
      yield* settle
      cell.dispatch(events.HandshakeStarted)
      yield* settle
      const second = yield* names(cell, 3)
      yield* settle
      cell.dispatch(events.Reconnected)
      cell.dispatch(events.HandshakeCompleted)
      cell.dispatch(events.TransportLost)
      assert.deepStrictEqual(yield* Fiber.join(first), ["created", "initializing", "ready", "disconnected"])
      assert.deepStrictEqual(yield* Fiber.join(second), ["initializing", "ready", "disconnected"])
    }))

  it.effect("a slow subscriber MUST keep the last 16", () =>
    Effect.gen(function*() {
      const cell = Session.make()
      const gate = yield* Deferred.make<void>()
      const seen: Array<Session.State["_tag"]> = []
      const slow = ({ _tag }: Session.State) => seen.push(_tag) === 1 ? Deferred.await(gate) : Effect.void
      yield* Effect.forkChild(Stream.runForEach(cell.changes, slow))
      yield* settle
      for (let i = 0; i < 50; i++) {
        cell.dispatch(events.TransportLost)
        cell.dispatch(events.Reconnected)
      }
      cell.dispatch(events.HandshakeFailed)
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.strictEqual(seen.length, 1 + 16)
      assert.deepStrictEqual(seen.slice(-3), ["disconnected", "created", "failed"])
    }))

  it.effect("a subscriber that leaves MUST NOT stop the others", () =>
    Effect.gen(function*() {
      const cell = Session.make()
      const gone = yield* names(cell, 10)
      const stays = yield* names(cell, 2)
      yield* settle
      yield* Fiber.interrupt(gone)
      cell.dispatch(events.HandshakeStarted)
      assert.deepStrictEqual(yield* Fiber.join(stays), ["created", "initializing"])
    }))
})

const walk = (state: Session.State["_tag"], event: Session.Event["_tag"]): Session.State["_tag"] => {
  const to = table[state][event]
  return to === "illegal" ? state : to
}
