/** The feature by itself: what its subscribers hear of, what they may ask for, and which template comes first. */
import { assert, describe, it } from "@effect/vitest"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Changes from "@mcp-effect/server/Changes"
import * as Resources from "@mcp-effect/server/Resources"
import * as Effect from "effect/Effect"

const make = () => {
  const changes = Changes.make()
  const resources = Resources.registry(changes)
  const templates = Resources.templateRegistry(changes)
  return { resources, templates, feature: Resources.make(resources, templates, { declare: true, pageSize: 1 }) }
}

const interest = (...uris: ReadonlyArray<string>) =>
  Effect.map(Effect.scope, (scope) => {
    const subscribed = new Map(uris.map((uri) => [Resource.normalize(uri), { uri, principal: undefined }]))
    return make().feature.announces({ scope, logLevel: undefined, extensions: new Set(), subscribed })
  })

describe("what is coarser than an update", () => {
  it.effect("MUST be that of the resource which the client has subscribed to, the nearest, as it has spelled it", () =>
    Effect.gen(function*() {
      const { coarse } = yield* interest("a:b", "a:b/c", "a:%7e/")
      assert.deepStrictEqual(coarse?.(Changes.resource("a:b/1")), Changes.resource("a:b"))
      assert.deepStrictEqual(coarse?.(Changes.resource("a:b/c/d/e")), Changes.resource("a:b/c"))
      assert.deepStrictEqual(coarse?.(Changes.resource("a:~/1")), Changes.resource("a:%7e/"))
      assert.deepStrictEqual(coarse?.(Changes.resource("a:b")), Changes.resource("a:b"))
      // Far deeper, and so by another way.
      const deep = "/d".repeat(100)
      assert.deepStrictEqual(coarse?.(Changes.resource(`a:b/c${deep}`)), Changes.resource("a:b/c"))
      assert.deepStrictEqual(coarse?.(Changes.resource(`a:~/${deep}`)), Changes.resource("a:%7e/"))
      assert.strictEqual(coarse?.(Changes.resource(`a:bc${deep}`)), undefined)
      assert.strictEqual(coarse?.(Changes.resource("a:x")), undefined)
    }))

  it.effect("MUST be the change itself for the list, and nothing for what is not of resources", () =>
    Effect.gen(function*() {
      const { coarse, matches } = yield* interest()
      assert.deepStrictEqual(coarse?.(Changes.resources), Changes.resources)
      for (const change of [Changes.tools, { method: "notifications/resources/updated" }, Changes.resource("a:b")]) {
        assert.strictEqual(matches(change), false)
        assert.strictEqual(coarse?.(change), undefined)
      }
    }))
})

describe("the filter of a subscription", () => {
  it.effect("MUST NOT be honoured where it is no list of URIs", () =>
    Effect.gen(function*() {
      const { feature, resources } = make()
      yield* Effect.flatMap(
        Resources.entry(Resource.make({ uri: "a:b", name: "b" }), () => Effect.succeed("")),
        resources.add
      )
      const honoured = (requested: unknown) =>
        feature.listens.resourceSubscriptions?.(requested, { principal: undefined } as never, 9)?.honoured
      for (const wrong of [true, "a:b", { 0: "a:b" }, ["a:b", 1], null]) assert.isUndefined(honoured(wrong))
      assert.deepStrictEqual(honoured(["a:b"]), ["a:b"])
      assert.deepStrictEqual(honoured([]), [])
    }))
})

describe("the order of templates", () => {
  it.effect("MUST NOT be that of a list which is not current", () =>
    Effect.gen(function*() {
      const { feature, templates } = make()
      const add = (uriTemplate: string) =>
        Effect.flatMap(
          Resources.templateEntry(Resource.template(uriTemplate, { name: "t" }), () => Effect.succeed(uriTemplate)),
          templates.add
        )
      const texts: Array<unknown> = []
      const read = Effect.gen(function*() {
        const method = feature.methods["resources/read"]
        const call = { request: { params: { uri: "a:b" } }, revision: {}, client: { capabilities: {} } }
        const result = yield* method?.(call as never) ?? Effect.die(new Error("no method"))
        texts.push(result.value.contents)
      })
      yield* add("a:{x}")
      yield* read
      yield* add("a:b{+x}{y}")
      yield* add("a:{z}b")
      yield* read
      yield* add("a:b{?x}")
      yield* read
      assert.deepStrictEqual(texts, ["a:{x}", "a:{x}", "a:b{?x}"].map((text) => [{ uri: "a:b", text }]))
    }))
})
