/** Resources that are read lazily, and no further than a message holds. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { logged } from "./log.ts"
import { client, NOTE, note, read, readError } from "./resources.ts"

const bounded = (messageBytes: number) => Effect.provideService(Limits.Limits, { ...Limits.defaults, messageBytes })

describe("a stream", () => {
  it.effect("of text MUST be joined", () =>
    Effect.gen(function*() {
      const asking = yield* client(note(() => Stream.make("a", "", "\ud83d", "\ude00"), { mimeType: "text/x" }))
      assert.deepStrictEqual(yield* read(asking), [{ uri: NOTE, mimeType: "text/x", text: "a😀" }])
    }))

  it.effect.prop(
    "of bytes MUST be the bytes, wherever it is cut",
    [Schema.NonEmptyArray(Schema.Uint8Array)],
    ([chunks]) =>
      Effect.gen(function*() {
        const asking = yield* client(note(() => Stream.fromIterable(chunks)))
        const blob = Base64.encode(Uint8Array.from(chunks.flatMap((chunk) => [...chunk])))
        assert.deepStrictEqual(yield* read(asking), [{ uri: NOTE, blob }])
      })
  )

  it.effect("of nothing MUST be empty text", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* read(yield* client(note(() => Stream.empty))), [{ uri: NOTE, text: "" }])
    }))

  it.effect.each([
    { what: "text and bytes", stream: Stream.make<ReadonlyArray<unknown>>("a", new Uint8Array(1)) },
    { what: "anything else", stream: Stream.make<ReadonlyArray<unknown>>(1) }
  ])("of $what MUST be a defect", ({ stream }) =>
    logged((lines) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* readError(yield* client(note((() => stream) as never)))).message, "Internal error")
        assert.include(lines.join("\n"), "all of text, or all of bytes")
      })
    ))

  it.effect("MUST fail as an effect does", () =>
    Effect.gen(function*() {
      const broken = note(() => Stream.concat(Stream.make("a"), Stream.fail(new Error("Broken off"))))
      assert.deepStrictEqual(yield* readError(yield* client(broken)), {
        code: JsonRpc.INTERNAL_ERROR,
        message: "Broken off"
      })
      const gone = note(() => Stream.fail(new McpError.ResourceNotFound({ uri: NOTE, message: "Gone" })))
      assert.strictEqual((yield* readError(yield* client(gone))).code, -32002)
    }))
})

describe("a stream without end", () => {
  it.effect.each([
    { what: "text", chunk: "abcd", pulled: 6 },
    { what: "bytes, as long as they are in base64", chunk: new Uint8Array(3), pulled: 6 }
  ])("of $what MUST be stopped where it exceeds a message, and closed", ({ chunk, pulled }) =>
    Effect.gen(function*() {
      let pulls = 0
      let closed = false
      const endless = Stream.fromEffectRepeat(Effect.sync(() => {
        pulls++
        return chunk
      })).pipe(Stream.ensuring(Effect.sync(() => {
        closed = true
      })))
      const asking = yield* client(note((() => endless) as never))
      assert.deepStrictEqual(yield* readError(asking), {
        code: JsonRpc.INTERNAL_ERROR,
        message: `The resource ${NOTE} was not read to its end: it is larger than 20 characters`
      })
      assert.deepStrictEqual([pulls, closed], [pulled, true])
    }).pipe(bounded(20)))

  it.effect("MUST be read to its end where it just fits", () =>
    Effect.gen(function*() {
      const fits = note(() => Stream.fromIterable(Array.from({ length: 5 }, () => new Uint8Array(3))))
      const [contents] = yield* read(yield* client(fits))
      assert.deepStrictEqual(contents, { uri: NOTE, blob: "A".repeat(20) })
    }).pipe(bounded(20)))
})
