/**
 * What every transport must do on a wire that fails, as a suite of tests: no call hangs, each ends with what it should or
 * with an error that says what happened, and the next one gets its answer.
 *
 * Needs vitest. Time is the test clock's.
 *
 * @since 0.1.0
 */
import { assert, describe, it } from "@effect/vitest"
import type { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as McpClient from "@mcp-effect/client/McpClient"
import type * as McpError from "@mcp-effect/protocol/McpError"
import * as Progress from "@mcp-effect/protocol/Progress"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as Faults from "./Faults.ts"

/**
 * A client transport that reaches the `McpServer` that it is given, and reads what the server sends through
 * `faults.bytes`.
 *
 * @since 0.1.0
 * @category models
 */
export type Transport<E> = (faults: Faults.Faults) => Layer.Layer<ClientTransport, E, McpServer.McpServer>

/**
 * @since 0.1.0
 * @category suites
 */
export const suite = <E>(
  name: string,
  transport: Transport<E>,
  options: { readonly revisions?: ReadonlyArray<Revision.Name> } = {}
): void => {
  for (const { name: revision } of Revisions.pick(options.revisions)) {
    describe(`${name} that fails, ${revision}`, () => {
      for (const rule of rules) it.effect(rule.name, () => Effect.scoped(running(transport, revision, rule.test)))
    })
  }
}

const Double = Tool.make("double", { input: { n: Schema.Int }, output: { twice: Schema.Int } })
const Reported = Tool.make("reported", { input: { n: Schema.Int }, output: { twice: Schema.Int } })

const running = <E>(transport: Transport<E>, revision: Revision.Name, test: Rule["test"]) =>
  Effect.gen(function*() {
    let calls = 0
    const faults = yield* Faults.make
    const handler = ({ n }: { readonly n: number }) =>
      Effect.sync(() => {
        calls++
        return { twice: 2 * n }
      })
    const tools = Layer.merge(
      McpServer.tool(Double, handler),
      McpServer.tool(Reported, (input) => Effect.andThen(Progress.report({ progress: 1 }), handler(input)))
    )
    const server = tools.pipe(Layer.provideMerge(McpServer.layer({ name: "faults", version: "1.0.0" })))
    const client = McpClient.layer({ name: "faults", version: "1.0.0", revisions: [revision], timeout: "10 seconds" })
    yield* Effect.provide(
      Effect.gen(function*() {
        const mcp = yield* McpClient.McpClient
        const double = (n: number) => Effect.map(mcp.call(Double, { n }), ({ twice }) => twice)
        const reported = (n: number) => Effect.map(mcp.call(Reported, { n }), ({ twice }) => twice)
        assert.strictEqual(yield* double(1), 2)
        yield* test({ faults, double, reported, calls: () => calls })
        // Whatever has happened, the next call is answered, if need be on another connection.
        const next = yield* Effect.forkChild(double(21))
        yield* pass(40)
        assert.strictEqual(yield* Fiber.join(next), 42)
        assert.strictEqual(yield* faults.left, 0)
      }),
      client.pipe(Layer.provide(transport(faults)), Layer.provide(server))
    )
  })

// Messages cross between the steps of time.
const pass = (seconds: number) =>
  Effect.repeat(
    Effect.andThen(Effect.repeat(Effect.yieldNow, { times: 30 }), TestClock.adjust("1 second")),
    { times: seconds - 1 }
  )

interface Wire {
  readonly faults: Faults.Faults
  readonly double: (n: number) => Effect.Effect<number, unknown>
  /** The same, with progress before the reply: where a reply can be an event, it is one. */
  readonly reported: (n: number) => Effect.Effect<number, unknown>
  readonly calls: () => number
}

interface Rule {
  readonly name: string
  readonly test: (wire: Wire) => Effect.Effect<void, unknown>
}

const failing = (wire: Wire, fault: Faults.Fault, tags: ReadonlyArray<McpError.McpError["_tag"]>) =>
  Effect.gen(function*() {
    yield* wire.faults.next(fault)
    const call = yield* Effect.forkChild(Effect.flip(wire.double(2)))
    yield* pass(15)
    const error = yield* Fiber.join(call)
    assert.ok(error instanceof Error && "_tag" in error)
    assert.include(tags, error._tag)
    assert.isAbove(error.message.length, 10)
    // Nobody may send twice what may have been done.
    assert.strictEqual(wire.calls(), 2)
  })

const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST wait for a reply that is late",
    test: ({ calls, double, faults }) =>
      Effect.gen(function*() {
        yield* faults.next({ delay: "5 seconds" })
        const late = yield* Effect.forkChild(double(2))
        yield* pass(4)
        assert.strictEqual(late.pollUnsafe(), undefined)
        yield* pass(2)
        assert.strictEqual(yield* Fiber.join(late), 4)
        assert.strictEqual(calls(), 2)
      })
  },
  {
    name: "MUST take a reply once that comes twice",
    test: ({ calls, faults, reported }) =>
      Effect.gen(function*() {
        // In as many pieces as the transport makes of it.
        yield* faults.next(...Array.from({ length: 10 }, () => "duplicate" as const))
        const call = yield* Effect.forkChild(reported(2))
        yield* pass(2)
        assert.strictEqual(yield* Fiber.join(call), 4)
        assert.isBelow(yield* faults.left, 10)
        yield* faults.clear
        assert.strictEqual(calls(), 2)
      })
  },
  {
    name: "MUST fail a call whose reply is lost",
    test: (wire) => failing(wire, "drop", ["RequestTimeout", "ConnectionClosed", "InvalidResult"])
  },
  {
    name: "MUST fail a call whose reply is cut off",
    test: (wire) => failing(wire, "truncate", ["ConnectionClosed", "InvalidResult"])
  },
  {
    name: "MUST fail a call whose connection is reset",
    test: (wire) => failing(wire, "reset", ["ConnectionClosed", "InvalidResult"])
  }
]
