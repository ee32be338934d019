/** Clients of many servers, some of which fail. */
import { assert, describe, it } from "@effect/vitest"
import type { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as McpClients from "@mcp-effect/client/McpClients"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { logged } from "./log.ts"
import { type Script, settle, stateless, text, transport } from "./wire.ts"

const listed = (name: string) => ({ name, inputSchema: { type: "object" } })

/** A server that lists tools, and says its own name when one is called. */
const serving = (server: string, tools: ReadonlyArray<string>): Script => (wire, connection) =>
  Effect.gen(function*() {
    yield* stateless(wire, connection)
    for (;;) {
      const sent = yield* wire.answer
      if (sent.method === "tools/list") yield* wire.reply(sent, { tools: tools.map(listed) })
      else yield* wire.reply(sent, { content: [text(`${server}: ${String(sent.params?.name)}`)] })
    }
  })

const options = { name: "test", version: "1.0.0" }

const make = (servers: Readonly<Record<string, Layer.Layer<ClientTransport, unknown>>>) =>
  McpClients.make(servers, options)

describe("McpClients", () => {
  it.effect("MUST list the tools of all servers under names of their own, and call each at its server", () =>
    Effect.gen(function*() {
      const mcp = yield* make({ a: transport(serving("a", ["echo", "x.y"])), b: transport(serving("b", ["echo"])) })
      const tools = yield* mcp.listTools()
      assert.deepStrictEqual(tools.map(({ server, tool }) => [server, tool]), [["a", "echo"], ["a", "x.y"], [
        "b",
        "echo"
      ]])
      assert.deepStrictEqual([tools[0]?.name, tools[2]?.name], ["a__echo", "b__echo"])
      assert.match(tools[1]?.name ?? "", /^a__x_y_[0-9a-f]{8}$/u)
      for (const { name, server, tool } of tools) {
        assert.deepStrictEqual((yield* mcp.callTool(name)).content, [text(`${server}: ${tool}`)])
      }
    }))

  it.effect("MUST know a tool by its name before any list was asked for, and say so when there is none", () =>
    Effect.gen(function*() {
      const mcp = yield* make({ a: transport(serving("a", ["echo"])) })
      assert.deepStrictEqual((yield* mcp.callTool("a__echo")).content, [text("a: echo")])
      const error = yield* Effect.flip(mcp.callTool("a__other"))
      assert.ok(error._tag === "ToolNotFound" && error.tool === "a__other")
    }))

  it.effect("MUST leave out a server that cannot be reached, is silent, or whose transport cannot be made", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const mcp = yield* make({
          good: transport(serving("good", ["echo"])),
          gone: transport((wire) => wire.close("No such command")),
          silent: transport(() => Effect.never),
          broken: Layer.effectContext(Effect.fail(new Error("no certificate")))
        })
        const listing = yield* Effect.forkChild(mcp.listTools())
        yield* settle
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual((yield* Fiber.join(listing)).map(({ name }) => name), ["good__echo"])
        const warnings = lines.filter((line) => line.includes("left out"))
        assert.strictEqual(warnings.length, 3)
        assert.isTrue(warnings.some((line) => line.includes("\"gone\"") && line.includes("No such command")))
        assert.isTrue(warnings.some((line) => line.includes("\"broken\"") && line.includes("no certificate")))
        assert.deepStrictEqual((yield* mcp.callTool("good__echo")).content, [text("good: echo")])
        assert.deepStrictEqual([...mcp.clients.keys()], ["good", "gone", "silent", "broken"])
      })
    ))

  it.effect("MUST keep the names of a server that goes away: a call says what is wrong with it", () =>
    Effect.gen(function*() {
      const ends: Array<Effect.Effect<void>> = []
      const dying: Script = (wire, connection) =>
        connection === 0
          ? Effect.andThen(Effect.sync(() => ends.push(wire.close("It was killed"))), serving("b", ["echo"])(wire, 0))
          : Effect.andThen(wire.close("It does not start"), Effect.never)
      const mcp = yield* make({ a: transport(serving("a", ["echo"])), b: transport(dying) })
      assert.strictEqual((yield* mcp.listTools()).length, 2)
      for (const end of ends) yield* end
      const listing = yield* Effect.forkChild(mcp.listTools())
      yield* settle
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual((yield* Fiber.join(listing)).map(({ name }) => name), ["a__echo"])
      const call = yield* Effect.forkChild(Effect.flip(mcp.callTool("b__echo", {}, { timeout: "1 second" })))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(call))._tag, "ConnectionClosed")
    }))
})
