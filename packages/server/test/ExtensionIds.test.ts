import { assert, describe, it } from "@effect/vitest"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import type { Extension } from "@mcp-effect/server/Extensions"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import { serve } from "./client.ts"

const id = "com.example/thing"

const withExtensions = (...extensions: ReadonlyArray<Extension>) =>
  Effect.tap(
    serve(),
    (server) => Effect.forEach(extensions, (extension) => server.extensions.add(extension), { discard: true })
  )

describe("registering an extension", () => {
  it.effect.each([
    "thing",
    "/thing",
    "com.example/",
    "com.example/thing/more",
    "com..example/thing",
    ".com/thing",
    "1com.example/thing",
    "com.-example/thing",
    "com.example-/thing",
    "com.example/-thing",
    "com.example/thing.",
    "com example/thing",
    "com.example/thi ng",
    ""
  ])("MUST be refused under the ill-formed id %j", (id) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(withExtensions({ id }))
      assert.deepStrictEqual([error._tag, error.kind, error.key], ["RegistrationError", "extension", id])
      assert.include(error.message, "com.example/thing")
    }))

  it.effect.each(["io.modelcontextprotocol/tasks", "a/b", "com.ex-ample2.x/1_a.b-c"])(
    "MUST be possible as %s",
    (id) =>
      Effect.gen(function*() {
        const server = yield* withExtensions({ id })
        assert.property(server.extensions.settings(), id)
      })
  )

  it.effect("MUST be refused under an id that is taken", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(serve(McpServer.extension({ id: StreamingTools.ID })))
      assert.include(error.message, StreamingTools.ID)
    }))

  it.effect("MUST be refused where it listens by a member that somebody else has", () =>
    Effect.gen(function*() {
      const listens = (key: string): NonNullable<Extension["listens"]> => ({ [key]: () => undefined })
      const protocols = yield* Effect.flip(withExtensions({ id, listens: listens("resourceSubscriptions") }))
      assert.include(protocols.message, "\"resourceSubscriptions\": it is the protocol's")
      const others = yield* Effect.flip(
        withExtensions({ id: "com.example/other", listens: listens("mine") }, { id, listens: listens("mine") })
      )
      assert.include(others.message, "\"mine\": it is com.example/other's")
    }))
})
