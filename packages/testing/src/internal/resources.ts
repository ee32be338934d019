/** The rules of resources: listed, read, matched, and not found in the words of the revision. */
import { assert } from "@effect/vitest"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Effect from "effect/Effect"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { features, text } from "./offered.ts"

type Params = JsonRpc.Params

const contents = (result: Params): unknown => result.contents

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST list resources and templates with the members of the revision",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const listed = (yield* client.result("resources/list")).resources as ReadonlyArray<Params>
        assert.deepStrictEqual(listed.map(({ uri }) => uri), ["test://bytes", "test://several", "test://text"])
        assert.strictEqual("title" in (listed[2] ?? {}), revision.wire.fields.resource.has("title"))
        const templates = (yield* client.result("resources/templates/list")).resourceTemplates as ReadonlyArray<Params>
        assert.deepStrictEqual(templates.map(({ uriTemplate }) => uriTemplate), ["test://items/{id}{?lang}"])
      })
  },
  {
    name: "MUST read text, bytes, several contents and templates, and nothing else",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const read = (uri: string) => Effect.map(client.result("resources/read", { uri }), contents)
        assert.deepStrictEqual(yield* read("test://text"), [
          { uri: "test://text", mimeType: "text/plain", text: "hello" }
        ])
        assert.deepStrictEqual(yield* read("test://bytes"), [
          { uri: "test://bytes", mimeType: "image/png", blob: "AQID" }
        ])
        assert.deepStrictEqual(yield* read("test://several"), [
          { uri: "test://several/a", text: "a" },
          { uri: "test://several/b", text: "b" }
        ])
        const uri = "test://items/7?other=1&lang=fr%2Dca"
        assert.deepStrictEqual(yield* read(uri), [
          { uri, mimeType: "application/json", text: "{\"id\":7,\"lang\":\"fr-ca\"}" }
        ])
        const unknown = yield* client.error("resources/read", { uri: "test://nowhere" })
        assert.strictEqual(unknown.code, revision.wire.resourceNotFound)
        assert.deepStrictEqual(unknown.data, { uri: "test://nowhere" })
        const unfit = yield* client.error("resources/read", { uri: "test://items/seven" })
        assert.strictEqual(unfit.code, -32602)
      })
  },
  {
    name: "MUST list in pages, each with a cursor to the next, and refuse a cursor that it did not give",
    features,
    options: { pageSize: 2 },
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const first = yield* client.result("resources/list")
        assert.lengthOf(first.resources as ReadonlyArray<unknown>, 2)
        const second = yield* client.result("resources/list", { cursor: first.nextCursor })
        assert.deepStrictEqual((second.resources as ReadonlyArray<Params>).map(({ uri }) => uri), [text.uri])
        assert.notProperty(second, "nextCursor")
        assert.strictEqual((yield* client.error("resources/list", { cursor: "nonsense" })).code, -32602)
      })
  }
]
