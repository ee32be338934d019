import { assert, describe, it } from "@effect/vitest"
import * as Content from "@mcp-effect/protocol/Content"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const bytes = new Uint8Array([0, 255, 16])
const base64 = "AP8Q"

const every: ReadonlyArray<Content.Content> = [
  Content.text("a", { annotations: { audience: ["user"], priority: 0.5 } }),
  Content.image({ data: bytes, mimeType: "image/png", _meta: { a: 1 } }),
  Content.audio({ data: bytes, mimeType: "audio/wav" }),
  Content.resourceLink({ uri: "file:///a", name: "a", title: "A", size: 3 }),
  Content.resource({ uri: "file:///a", text: "a" }),
  Content.resource({ uri: "file:///a", blob: bytes, mimeType: "image/png" }, { annotations: { priority: 1 } })
]

describe("construction", () => {
  it("bytes MUST become base64, and text that is base64 stays", () => {
    for (const data of [bytes, base64]) {
      assert.deepStrictEqual(Content.image({ data, mimeType: "image/png" }), {
        type: "image",
        data: base64,
        mimeType: "image/png"
      })
      assert.deepStrictEqual(Content.audio({ data, mimeType: "audio/wav" }), {
        type: "audio",
        data: base64,
        mimeType: "audio/wav"
      })
      assert.deepStrictEqual(Content.resource({ uri: "a:b", blob: data }), {
        type: "resource",
        resource: { uri: "a:b", blob: base64 }
      })
    }
  })

  it.prop("the bytes MUST be those that were given", [Schema.Array(Schema.Int)], ([numbers]) => {
    const data = Uint8Array.from(numbers)
    const image = Content.image({ data, mimeType: "image/png" })
    assert.strictEqual(image.type, "image")
    assert.deepStrictEqual(Base64.decode((image as typeof Content.Image.Type).data), Result.succeed(data))
  })

  it("a resource of text MUST stay text", () => {
    assert.deepStrictEqual(every[4], { type: "resource", resource: { uri: "file:///a", text: "a" } })
  })

  it.effect("what is constructed MUST be what the schema reads", () =>
    Effect.gen(function*() {
      for (const content of every) {
        const json: unknown = JSON.parse(JSON.stringify(content))
        assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Content.Content)(json), content)
      }
    }))

  it.effect.each([{}, { type: "video", data: "" }, { type: "text" }, { type: "image", data: base64 }, {
    type: "resource",
    resource: { uri: "a:b" }
  }])("what is no content MUST be refused: %j", (json) =>
    Effect.gen(function*() {
      yield* Effect.flip(Schema.decodeUnknownEffect(Content.Content)(json))
    }))
})

describe("projection", () => {
  for (const revision of Revisions.all) {
    it(`${revision.name}: MUST be of a kind that exists, and readable`, () => {
      for (const content of every) {
        const written = Content.toWire(content, revision.wire)
        assert.isTrue(revision.wire.contentTypes.has(written.type))
        assert.deepStrictEqual(Schema.decodeUnknownSync(Content.Content)(written), written)
        if (revision.wire.contentTypes.has(content.type)) assert.strictEqual(written, content)
      }
    })
  }

  const at = (name: string, content: Content.Content) => Content.toWire(content, Revisions.get(name)!.wire)

  it("sound MUST be an embedded resource before 2025-03-26", () => {
    assert.deepStrictEqual(at("2024-11-05", Content.audio({ data: bytes, mimeType: "audio/wav" })), {
      type: "resource",
      resource: { uri: "attachment:audio", mimeType: "audio/wav", blob: base64 }
    })
  })

  it("a link MUST be text with its title and address before 2025-06-18", () => {
    const link = { uri: "file:///a", name: "a" }
    assert.deepStrictEqual(at("2025-03-26", Content.resourceLink(link)), { type: "text", text: "a: file:///a" })
    assert.deepStrictEqual(at("2024-11-05", Content.resourceLink({ ...link, title: "A" })), {
      type: "text",
      text: "A: file:///a"
    })
  })
})
