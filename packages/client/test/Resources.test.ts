/** Resources as a client uses them: lists and their pages, what is read, templates, and what is not there. */
import { assert, describe, it } from "@effect/vitest"
import * as Resources from "@mcp-effect/client/Resources"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { logged } from "./log.ts"
import { asked, client, complete, count, eras, refused } from "./opening.ts"
import { settle } from "./wire.ts"

const named = (name: string) => ({ uri: `test://${name}`, name })

describe.each(eras)("resources, %s", (era) => {
  it.effect("MUST be listed over all pages, and a malformed one dropped with a warning", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { mcp, server } = yield* client(era)
        const listing = yield* Effect.forkChild(mcp.listResources())
        const first = yield* server.expect("resources/list")
        yield* server.reply(first, complete({ resources: [named("a"), { uri: 7, name: "b" }], nextCursor: "" }))
        const second = yield* server.expect("resources/list")
        assert.strictEqual(second.params?.cursor, "")
        yield* server.reply(second, complete({ resources: [{ ...named("c"), size: 3, later: true }] }))
        assert.deepStrictEqual(yield* Fiber.join(listing), [named("a"), { ...named("c"), size: 3 }])
        assert.lengthOf(lines.filter((line) => line.startsWith("Warn Dropped resource 1 of")), 1)
      })
    ))

  it.effect("MUST be asked for page by page as a stream needs them", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const two = yield* Effect.forkChild(Stream.runCollect(Stream.take(mcp.resources(), 2)))
      yield* server.reply(
        yield* server.expect("resources/list"),
        complete({ resources: [named("a"), named("b")], nextCursor: "more" })
      )
      assert.deepStrictEqual((yield* Fiber.join(two)).map(({ name }) => name), ["a", "b"])
      assert.strictEqual(yield* count(server, "resources/list"), 1)
    }))

  it.effect("MUST be listed anew, once, where a cursor holds no more", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const listing = yield* Effect.forkChild(mcp.listResources())
      yield* server.reply(
        yield* server.expect("resources/list"),
        complete({ resources: [named("a")], nextCursor: "x" })
      )
      yield* server.fail(yield* server.expect("resources/list"), { code: -32602, message: "Invalid cursor" })
      const anew = yield* server.expect("resources/list")
      assert.notProperty(anew.params, "cursor")
      yield* server.reply(anew, complete({ resources: [named("b")], nextCursor: "y" }))
      yield* server.fail(yield* server.expect("resources/list"), { code: -32602, message: "Invalid cursor" })
      const error = yield* Effect.flip(Fiber.join(listing))
      assert.strictEqual(error._tag, "InvalidParams")
      assert.strictEqual(yield* count(server, "resources/list"), 4)
    }))

  it.effect("MUST be read as text and bytes", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const { sent, value } = yield* asked(
        server,
        "resources/read",
        mcp.readResource("test://a b"),
        complete({
          contents: [
            { uri: "test://a", mimeType: "text/plain", text: "hello", _meta: { x: 1 } },
            { uri: "test://b", blob: "AQID" }
          ]
        })
      )
      assert.strictEqual(sent.params?.uri, "test://a b")
      assert.deepStrictEqual(value, [
        { _tag: "Text", uri: "test://a", mimeType: "text/plain", meta: { x: 1 }, text: "hello" },
        { _tag: "Bytes", uri: "test://b", mimeType: undefined, meta: undefined, bytes: Uint8Array.of(1, 2, 3) }
      ])
    }))

  it.effect.each([
    {},
    { contents: {} },
    { contents: [{ uri: "test://a" }] },
    { contents: [{ uri: "test://a", blob: "no base64!" }] }
  ])(
    "MUST fail to be read when the result is %j: what is lost would not be missed",
    (result) =>
      Effect.gen(function*() {
        const { mcp, server } = yield* client(era)
        const reading = Effect.flip(mcp.readResource("test://a"))
        const { value } = yield* asked(server, "resources/read", reading, complete(result))
        assert.ok(value._tag === "InvalidResult" && value.method === "resources/read")
      })
  )

  it.effect.each([
    { code: -32002, message: "Whatever" },
    { code: -32602, message: "Resource not found" },
    { code: -32004, message: "Nope" }
  ])("MUST be told of what is not there as ResourceNotFound: $code", (error) =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const failed = yield* refused(server, "resources/read", mcp.readResource("test://a"), error)
      assert.ok(failed._tag === "ResourceNotFound" && failed.uri === "test://a")
    }))

  it.effect("MUST be read by a template and its variables", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const item = Resource.template("test://items/{id}{?lang}", {
        name: "item",
        variables: { id: Schema.FiniteFromString }
      })
      const { sent } = yield* asked(
        server,
        "resources/read",
        mcp.readTemplate(item, { id: 7, lang: "fr ca" }),
        complete({ contents: [] })
      )
      assert.strictEqual(sent.params?.uri, "test://items/7?lang=fr%20ca")
      const empty = Resource.template("test://{name}", { name: "empty" })
      const error = yield* Effect.flip(mcp.readTemplate(empty, { name: "" }))
      assert.ok(error._tag === "InvalidParams" && error.message.includes("name"))
      assert.strictEqual(yield* count(server, "resources/read"), 1)
    }))

  it.effect("MUST list templates, which give URIs for values, or say why not", () =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era)
      const templates = [{ uriTemplate: "test://{a}", name: "t" }, { uriTemplate: "test://{a:2}", name: "u" }]
      const { value } = yield* asked(
        server,
        "resources/templates/list",
        mcp.listResourceTemplates(),
        complete({ resourceTemplates: [...templates, { name: "no template" }] })
      )
      assert.deepStrictEqual(value, templates)
      const streamed = yield* asked(
        server,
        "resources/templates/list",
        Stream.runCollect(mcp.resourceTemplates()),
        complete({ resourceTemplates: templates })
      )
      assert.deepStrictEqual(streamed.value, templates)
      const [first, second] = value
      assert.ok(first !== undefined && second !== undefined)
      assert.strictEqual(yield* Resources.expand(first, { a: "x y" }), "test://x%20y")
      for (const [template, values] of [["test://{", {}], [second.uriTemplate, { a: ["x"] }]] as const) {
        const error = yield* Effect.flip(Resources.expand(template, values))
        assert.strictEqual(error._tag, "InvalidParams")
      }
    }))
})

describe("a capability that the server does not declare", () => {
  it.effect.each(eras)("MUST fail at once, by name; `request` sends all the same: %s", (era) =>
    Effect.gen(function*() {
      const { mcp, server } = yield* client(era, {}, { tools: {} })
      const methods = [
        ["resources", "resources/list", Effect.asVoid(mcp.listResources())],
        ["resources", "resources/read", Effect.asVoid(mcp.readResource("test://a"))],
        ["prompts", "prompts/list", Effect.asVoid(Stream.runCollect(mcp.prompts()))],
        ["prompts", "prompts/get", Effect.asVoid(mcp.getPrompt("p"))],
        [
          "completions",
          "completion/complete",
          Effect.asVoid(mcp.complete({
            of: { type: "ref/prompt", name: "p" },
            argument: "a",
            value: ""
          }))
        ]
      ] as const
      for (const [capability, method, effect] of methods) {
        const error = yield* Effect.flip(effect)
        assert.ok(error._tag === "MethodNotFound" && error.method === method)
        assert.include(error.message, JSON.stringify(capability))
      }
      const raw = yield* Effect.forkChild(mcp.request("resources/list"))
      yield* server.reply(yield* server.expect("resources/list"), complete({ resources: [] }))
      yield* Fiber.join(raw)
      yield* settle
      assert.strictEqual(server.received.filter(({ method }) => method?.startsWith("prompts/")).length, 0)
    }))
})
