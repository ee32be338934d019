/** A tool that logs, and what a client hears of it. */
import { assert } from "@effect/vitest"
import * as Levels from "@mcp-effect/protocol/Logging"
import * as Meta from "@mcp-effect/protocol/Meta"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type Client, serve, speak } from "./client.ts"

export const Say = Tool.make("say", {})

export const says = (effect: Effect.Effect<unknown, unknown>) =>
  Layer.merge(McpServer.tool(Say, () => Effect.asVoid(effect)), McpServer.logging())

export const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

/** Asks for messages, in the words of an era; yields the `_meta` of the calls. */
export const want = (client: Client, { era }: Revision.Revision, level: unknown) =>
  era === "stateless"
    ? Effect.succeed({ [Meta.LOG_LEVEL]: level })
    : Effect.as(client.result("logging/setLevel", { level }), {})

/** What the client has heard of a call, in its order. */
export const heardBy = (client: Client): ReadonlyArray<unknown> =>
  client.tied.map(({ method, params }) => {
    assert.strictEqual(method, "notifications/message")
    assert.isTrue(Schema.is(Levels.Message)(params))
    return params
  })

export const hears = (effect: Effect.Effect<unknown, unknown>, level: Levels.Level, revision: Revision.Revision) =>
  Effect.gen(function*() {
    const client = yield* speak(yield* serve(says(effect)), revision.name)
    yield* client.call("say", undefined, yield* want(client, revision, level))
    const heard = heardBy(client)
    yield* settle
    // Nothing comes after the result, and nothing by another way.
    assert.lengthOf(client.tied, heard.length)
    assert.deepStrictEqual(client.heard, [])
    return heard
  })

export const newest = Revisions.all[0] ?? assert.fail("there are revisions")
