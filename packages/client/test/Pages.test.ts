/** Lists of any shape, page by page. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { client, complete, eras } from "./opening.ts"
import type { Server } from "./wire.ts"

/** Serves lists of these pages; the cursor of each is any text. */
const serving = (server: Server, pages: ReadonlyArray<ReadonlyArray<string>>, cursorOf: (page: number) => string) =>
  Effect.forever(Effect.gen(function*() {
    const request = yield* server.expect("resources/list")
    const { cursor } = request.params ?? {}
    const index = cursor === undefined ? 0 : pages.findIndex((_, page) => cursorOf(page) === cursor)
    const resources = (pages[index] ?? []).map((name) => ({ uri: "test://x", name }))
    const more = index + 1 < pages.length ? { nextCursor: cursorOf(index + 1) } : {}
    yield* server.reply(request, complete({ resources }, more))
  }))

const names = (listed: ReadonlyArray<{ readonly name: string }>) => listed.map(({ name }) => name)

describe("a list", () => {
  it.effect.prop(
    "MUST be all items of all pages in their order, as a stream too, and any part of it a part of that",
    [Schema.Array(Schema.Array(Schema.String)), Schema.String, Schema.Literals(eras), Schema.Literals([0, 1, 2, 5, 9])],
    ([all, text, era, some]) =>
      Effect.scoped(Effect.gen(function*() {
        const pages = all.slice(0, 90)
        const { mcp, server } = yield* client(era)
        yield* Effect.forkScoped(serving(server, pages, (page) => page === 1 ? text : `${text} ${page}`))
        assert.deepStrictEqual(names(yield* mcp.listResources()), pages.flat())
        assert.deepStrictEqual(names(yield* Stream.runCollect(mcp.resources())), pages.flat())
        const part = yield* Stream.runCollect(Stream.take(mcp.resources(), some))
        assert.deepStrictEqual(names(part), pages.flat().slice(0, some))
      })),
    { arbitrary: { runs: 40 } }
  )
})
