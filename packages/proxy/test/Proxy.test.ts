/** Calls that go on behind a proxy while their clients are asked, and servers that are lost behind it. */
import { assert, describe, it } from "@effect/vitest"
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import { InMemory } from "@mcp-effect/memory"
import { Elicitation, type JsonRpc, Peer, Tool } from "@mcp-effect/protocol"
import { Proxy } from "@mcp-effect/proxy"
import { ClientInput, McpServer } from "@mcp-effect/server"
import { RawClient } from "@mcp-effect/testing"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { only } from "./only.ts"

const settle = Effect.repeat(Effect.yieldNow, { times: 100 })

const behind = (
  features: Layer.Layer<never, unknown, McpServer.McpServer>,
  transport: Layer.Layer<ClientTransport, never, McpServer.McpServer>,
  options?: Proxy.Options
) =>
  Layer.fresh(InMemory.layer).pipe(
    Layer.provide(Proxy.layer(options)),
    Layer.provide(transport),
    Layer.provide(features.pipe(Layer.provideMerge(McpServer.layer({ name: "behind", version: "1.0.0" }))))
  )

/** A tool that asks twice, and what became of its calls. */
const asking = () => {
  const seen = { started: 0, interrupted: 0 }
  const ask = (what: string) =>
    Effect.map(
      ClientInput.elicit(Elicitation.form({ message: what, fields: { it: Schema.String } })),
      (answer) => answer._tag === "Accept" ? answer.content.it : answer._tag
    )
  const tool = McpServer.tool(Tool.make("ask"), () =>
    Effect.sync(() => seen.started++).pipe(
      Effect.andThen(Effect.all([ask("first"), ask("second")])),
      Effect.map((answers) => answers.join()),
      Effect.onInterrupt(() => Effect.sync(() => seen.interrupted++))
    ))
  return { seen, tool }
}

const capabilities = { elicitation: { form: {} } }

const answers = {
  "elicitation/create": ({ message }: JsonRpc.Params) =>
    Effect.succeed({ action: "accept", content: { it: `to ${String(message)}` } })
}

describe("a call that asks, of a client without sessions to a server with one", () => {
  it.effect("MUST be made once, however many rounds it takes", () => {
    const { seen, tool } = asking()
    return Effect.gen(function*() {
      const client = yield* RawClient.connect("2026-07-28", { capabilities, answers })
      const { content } = yield* client.call("tools/call", { name: "ask", arguments: {} })
      assert.deepStrictEqual(content, [{ type: "text", text: "to first,to second" }])
      assert.deepStrictEqual(client.asked.map(({ params }) => params.message), ["first", "second"])
      assert.deepStrictEqual(seen, { started: 1, interrupted: 0 })
    }).pipe(Effect.provide(behind(tool, only("stateful"))))
  })

  it.effect("MUST be given up when its client does not come back, who hears that when it does", () => {
    const { seen, tool } = asking()
    return Effect.gen(function*() {
      const client = yield* RawClient.connect("2026-07-28", { capabilities, answers })
      const { requestState } = yield* client.result("tools/call", { name: "ask", arguments: {} })
      yield* settle
      yield* TestClock.adjust("1 minute")
      yield* settle
      assert.deepStrictEqual(seen, { started: 1, interrupted: 1 })
      const error = yield* client.error("tools/call", { name: "ask", arguments: {}, requestState })
      assert.strictEqual(error.code, -32602)
      assert.include(error.message, "is over; begin anew")
    }).pipe(Effect.provide(behind(tool, only("stateful"), { parkedFor: "1 minute" })))
  })

  it.effect("MUST NOT be one of more than may wait: the oldest is given up", () => {
    const { seen, tool } = asking()
    return Effect.gen(function*() {
      const client = yield* RawClient.connect("2026-07-28", { capabilities, answers })
      for (let n = 0; n < 4; n++) {
        yield* client.result("tools/call", { name: "ask", arguments: {} })
        yield* settle
      }
      assert.deepStrictEqual(seen, { started: 4, interrupted: 2 })
    }).pipe(Effect.provide(behind(tool, only("stateful"), { parked: 2 })))
  })
})

describe("a server that is lost behind a proxy", () => {
  it.effect("MUST be connected to again, and told of the session again", () => {
    let connections = 0
    const losing = Layer.provide(
      Layer.effect(
        ClientTransport,
        Effect.map(ClientTransport, ({ connect }) => ({
          connect: (local) =>
            Effect.gen(function*() {
              connections++
              const connection = yield* connect(local)
              const lost = yield* Deferred.make<Peer.TransportError>()
              const gone = new Peer.TransportError({ reason: "closed", processed: "unknown", message: "It was killed" })
              return {
                closed: Deferred.await(lost),
                notify: connection.notify,
                request: (request, back) =>
                  request.params?.name === "die"
                    ? Effect.andThen(Deferred.succeed(lost, gone), Effect.fail(gone))
                    : connection.request(request, back)
              }
            })
        }))
      ),
      InMemory.layer
    )
    const echo = McpServer.tool(Tool.make("echo"), () => Effect.succeed("here"))
    return Effect.gen(function*() {
      for (const revision of ["2025-11-25", "2026-07-28"] as const) {
        const client = yield* RawClient.connect(revision)
        yield* client.result("tools/list")
        const before = connections
        const error = yield* client.error("tools/call", { name: "die", arguments: {} })
        assert.include(error.message, "It was killed")
        yield* settle
        const { content } = yield* client.result("tools/call", { name: "echo", arguments: {} })
        assert.deepStrictEqual(content, [{ type: "text", text: "here" }])
        assert.strictEqual(connections, before + 1)
      }
    }).pipe(Effect.provide(behind(echo, losing)))
  })

  it.effect("MUST be an error of each request while it cannot be reached", () =>
    Effect.gen(function*() {
      const client = yield* RawClient.connect("2026-07-28")
      const error = yield* client.error("tools/list")
      assert.strictEqual(error.code, -32603)
      assert.include(error.message, "No such command")
    }).pipe(Effect.provide(behind(
      Layer.empty,
      Layer.succeed(ClientTransport, {
        connect: () =>
          Effect.fail(new Peer.TransportError({ reason: "refused", processed: "no", message: "No such command" }))
      })
    ))))
})
