/** Clients whose servers are played one after the other, as connections are lost. */
import { assert } from "@effect/vitest"
import type * as McpClient from "@mcp-effect/client/McpClient"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { connect, type Script, type Server, settle, stateful, stateless } from "./wire.ts"

/** Servers in the order of their connections, each after its handshake. */
export const playing = (options: Partial<McpClient.Options> = {}, handshake: Script = stateless) =>
  Effect.gen(function*() {
    const servers: Array<Server> = []
    const mcp = yield* connect(
      (server, connection) => Effect.andThen(handshake(server, connection), Effect.sync(() => servers.push(server))),
      options
    )
    yield* settle
    const at = (index: number): Server => {
      const server = servers.at(index)
      assert.isDefined(server)
      return server
    }
    return { at, mcp, servers }
  })

export const watching = (mcp: McpClient.McpClient["Service"]) =>
  Effect.gen(function*() {
    const seen: Array<string> = []
    yield* Effect.forkScoped(
      Stream.runForEach(mcp.session.changes, ({ _tag }) => Effect.sync(() => void seen.push(_tag)))
    )
    yield* settle
    return seen
  })

export const advance = (duration: Duration.Input) => Effect.andThen(TestClock.adjust(duration), settle)

// Without a probe, so that an attempt is one connection.
export const revisions = ["2025-11-25"] as const
export const opening = stateful("2025-11-25")

export const closing = (server: Server, why: string) => Effect.andThen(server.close(why), Effect.never)

export const everySecond = { schedule: Schedule.upTo(Schedule.spaced("1 second"), { times: 3 }) }

export const kill = (server: Server) => Effect.andThen(server.close("It was killed"), settle)
