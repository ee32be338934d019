/** What every store of sessions does. */
import { assert } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Session, SessionStore } from "../SessionStore.ts"

/** How a store is tested: see `StoreContract.SessionOptions`. */
export interface Setting {
  readonly shared: boolean
  readonly idle: Duration.Duration
  readonly pass: (time: Duration.Duration) => Effect.Effect<void>
}

export interface Rule {
  readonly name: string
  readonly test: (setting: Setting) => Effect.Effect<void, never, SessionStore>
}

const session = (id: string, subject: string | null = null): Session => ({
  id,
  subject,
  initialize: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: id, version: "1.0.0" } }
})

const isKept = (id: string): Effect.Effect<boolean, never, SessionStore> =>
  Effect.map(Effect.flatMap(SessionStore, (store) => store.find(id)), Option.isSome)

/** Parts of the time that a session is kept. */
const parts = ({ idle, pass }: Setting) => (times: number): Effect.Effect<void> => pass(Duration.times(idle, times))

const keeping: ReadonlyArray<Rule> = [
  {
    name: "MUST find a session as it was put",
    test: ({ idle }) =>
      Effect.gen(function*() {
        const store = yield* SessionStore
        const all: ReadonlyArray<Session> = [
          session("0f0c9a3e-5b7d-4c1e-9a51-0d7f3f0f8a11"),
          session("!~{}/\\\"'%:*", "ada@example.com"),
          session("empty", ""),
          { id: "none", subject: null, initialize: {} },
          {
            id: "nested",
            subject: "https://issuer.example#\u{1f600} \u2028\n",
            initialize: { capabilities: { roots: { listChanged: true }, other: [1, 0.5, null, { "": "\u00e9" }] } }
          }
        ]
        for (const one of all) yield* store.put(one, idle)
        for (const one of all) assert.deepStrictEqual(yield* store.find(one.id), Option.some(one))
      })
  },
  {
    name: "MUST know nothing of a session that was never put, whatever its id, and do nothing to it",
    test: ({ idle }) =>
      Effect.gen(function*() {
        const store = yield* SessionStore
        yield* store.put(session("known"), idle)
        for (const id of ["", "unknown", "know", "known ", "KNOWN", "*", "__proto__", "constructor"]) {
          yield* store.touch(id, idle)
          yield* store.release(id)
          yield* store.remove(id)
          assert.isFalse(yield* isKept(id), id)
        }
        assert.isTrue(yield* isKept("known"))
      })
  },
  {
    name: "MUST keep many sessions apart",
    test: ({ idle }) =>
      Effect.gen(function*() {
        const store = yield* SessionStore
        const all = Array.from({ length: 500 }, (_, n) => session(`session-${n}`, n % 2 === 0 ? null : `subject-${n}`))
        yield* Effect.forEach(all, (one) => store.put(one, idle), { concurrency: "unbounded" })
        yield* Effect.forEach(all.filter((_, n) => n % 5 === 0), ({ id }) => store.remove(id), {
          concurrency: "unbounded"
        })
        for (const [n, one] of all.entries()) {
          assert.deepStrictEqual(yield* store.find(one.id), n % 5 === 0 ? Option.none() : Option.some(one))
        }
      })
  }
]

const expiring: ReadonlyArray<Rule> = [
  {
    name: "MUST keep a session for as long as it is told to, and no longer",
    test: (setting) =>
      Effect.gen(function*() {
        const pass = parts(setting)
        const store = yield* SessionStore
        yield* store.put(session("short"), setting.idle)
        yield* store.put(session("long"), Duration.times(setting.idle, 3))
        yield* pass(0.75)
        assert.isTrue(yield* isKept("short"))
        // To be looked for is not to be used.
        yield* pass(0.5)
        assert.isFalse(yield* isKept("short"))
        assert.isTrue(yield* isKept("long"))
        yield* pass(2)
        assert.isFalse(yield* isKept("long"))
      })
  },
  {
    name: "MUST keep a session that is touched from then on, and no other",
    test: (setting) =>
      Effect.gen(function*() {
        const pass = parts(setting)
        const store = yield* SessionStore
        for (const id of ["used", "unused"]) yield* store.put(session(id, "ada"), setting.idle)
        for (let n = 0; n < 3; n++) {
          yield* pass(0.75)
          yield* store.touch("used", setting.idle)
        }
        assert.isFalse(yield* isKept("unused"))
        yield* pass(0.75)
        assert.deepStrictEqual(yield* store.find("used"), Option.some(session("used", "ada")))
        yield* pass(0.5)
        assert.isFalse(yield* isKept("used"))
      })
  },
  {
    name: "MUST NOT bring back by a touch what has expired or was removed",
    test: (setting) =>
      Effect.gen(function*() {
        const pass = parts(setting)
        const store = yield* SessionStore
        for (const id of ["expired", "removed"]) yield* store.put(session(id), setting.idle)
        yield* store.remove("removed")
        yield* store.touch("removed", setting.idle)
        assert.isFalse(yield* isKept("removed"))
        yield* pass(1.25)
        yield* store.touch("expired", setting.idle)
        assert.isFalse(yield* isKept("expired"))
      })
  }
]

const ending: ReadonlyArray<Rule> = [
  {
    name: "MUST forget a session that is removed, however often, and take it anew",
    test: ({ idle }) =>
      Effect.gen(function*() {
        const store = yield* SessionStore
        yield* store.put(session("a", "ada"), idle)
        yield* store.remove("a")
        assert.isFalse(yield* isKept("a"))
        yield* store.remove("a")
        yield* store.put(session("a", "eve"), idle)
        assert.deepStrictEqual(yield* store.find("a"), Option.some(session("a", "eve")))
      })
  },
  {
    name: "MUST keep a session that is released exactly if another process could take it up",
    test: (setting) =>
      Effect.gen(function*() {
        const store = yield* SessionStore
        for (const id of ["released", "other"]) yield* store.put(session(id), setting.idle)
        yield* store.release("released")
        assert.strictEqual(yield* isKept("released"), setting.shared)
        assert.isTrue(yield* isKept("other"))
        yield* store.release("released")
        yield* parts(setting)(1.25)
        assert.isFalse(yield* isKept("released"))
      })
  }
]

export const rules: ReadonlyArray<Rule> = [...keeping, ...expiring, ...ending]
