/** What is listed of resources and templates, to whom, and when there is nothing to list at all. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import type { Completers } from "@mcp-effect/server/Completer"
import * as McpServer from "@mcp-effect/server/McpServer"
import type * as Resources from "@mcp-effect/server/Resources"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { connect, hello, serve, speak } from "./client.ts"
import { ada, client, forAda, NOTE, note, read, readError } from "./resources.ts"

const icons = [{ src: "https://example.com/a.png" }]

const described = {
  title: "The title",
  description: "What it is",
  mimeType: "text/plain",
  annotations: { audience: ["user" as const], priority: 0.5 },
  icons,
  meta: { m: 1 }
}

const Whole = Resource.make({ uri: "file:///a%20b", name: "a", size: 3, ...described })
const Template = Resource.template("file:///{+path}", { name: "t", ...described })

const empty = () => Effect.succeed("")

const at = (uri: string, options?: Resources.Options) =>
  McpServer.resource(Resource.make({ uri, name: uri }), empty, options)

const under = (template: string, options?: Resources.Options) =>
  McpServer.resourceTemplate(Resource.template(template, { name: template }), empty, options)

const urisOf = (items: unknown): ReadonlyArray<string | undefined> =>
  (items as ReadonlyArray<{ readonly uri?: string; readonly uriTemplate?: string }>).map((item) =>
    item.uri ?? item.uriTemplate
  )

const all = Layer.mergeAll(McpServer.resource(Whole, empty), McpServer.resourceTemplate(Template, empty))

const since = { title: "2025-06-18", _meta: "2025-06-18", icons: "2025-11-25" }

describe.each(Revisions.all.map(({ name }) => name))("in %s", (revision) => {
  const common = {
    name: "a",
    description: "What it is",
    mimeType: "text/plain",
    annotations: { audience: ["user"], priority: 0.5 },
    ...(revision >= since.title ? { title: "The title", _meta: { m: 1 } } : {}),
    ...(revision >= since.icons ? { icons } : {})
  }

  it.effect("a list MUST have the members that the revision has, and no others", () =>
    Effect.gen(function*() {
      const asking = yield* client(all, revision)
      const { resources } = yield* asking.result("resources/list")
      assert.deepStrictEqual(resources, [{ ...common, uri: "file:///a%20b", size: 3 }])
      const { resourceTemplates } = yield* asking.result("resources/templates/list")
      assert.deepStrictEqual(resourceTemplates, [{ ...common, name: "t", uriTemplate: "file:///{+path}" }])
    }))

  it.effect("a server without resources MUST NOT have their methods", () =>
    Effect.gen(function*() {
      const asking = yield* client(Layer.empty, revision)
      for (const method of ["list", "templates/list", "read", "subscribe", "unsubscribe"]) {
        const { code } = yield* asking.error(`resources/${method}`, { uri: NOTE })
        assert.strictEqual(code, JsonRpc.METHOD_NOT_FOUND, method)
      }
    }))

  it.effect("resources/subscribe MUST exist where the revision has it, and nowhere else", () =>
    Effect.gen(function*() {
      const asking = yield* client(note(empty), revision)
      for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
        const response = yield* asking.ask(method, { uri: NOTE })
        if (revision !== "2026-07-28") assert.strictEqual(response._tag, "Success")
        else assert.ok(response._tag === "Failure" && response.error.code === JsonRpc.METHOD_NOT_FOUND)
      }
    }))
})

describe("the capability", () => {
  const capabilities = (layer: Parameters<typeof serve>[0], options?: Partial<McpServer.Options>) =>
    Effect.gen(function*() {
      const server = yield* serve(layer, options)
      const greeted = yield* (yield* connect(server)).result("initialize", hello("2025-11-25"))
      const discovered = yield* (yield* speak(server, "2026-07-28")).result("server/discover")
      return [greeted, discovered].map(({ capabilities }) => (capabilities as JsonRpc.Params).resources)
    })

  it.effect("MUST be declared with a resource, with a template alone, and where the options say so", () =>
    Effect.gen(function*() {
      const declared = Array.from({ length: 2 }, () => ({ subscribe: true, listChanged: true }))
      assert.deepStrictEqual(yield* capabilities(note(empty)), declared)
      assert.deepStrictEqual(yield* capabilities(under("a:{b}")), declared)
      assert.deepStrictEqual(yield* capabilities(Layer.empty, { declare: ["resources"] }), declared)
      assert.deepStrictEqual(yield* capabilities(Layer.empty), [undefined, undefined])
    }))
})

describe("a list", () => {
  it.effect("MUST come in pages, in the order of the URIs", () =>
    Effect.gen(function*() {
      const names = ["a:4", "a:2", "a:1", "a:3", "a:5"]
      const asking = yield* client(Layer.mergeAll(at("a:4"), ...names.slice(1).map((uri) => at(uri))), "2026-07-28", {
        pageSize: 2
      })
      const pages: Array<ReadonlyArray<string | undefined>> = []
      let cursor: unknown
      do {
        const page = yield* asking.result("resources/list", cursor === undefined ? {} : { cursor })
        pages.push(urisOf(page.resources))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(pages, [["a:1", "a:2"], ["a:3", "a:4"], ["a:5"]])
      assert.strictEqual((yield* asking.error("resources/list", { cursor: "x" })).code, JsonRpc.INVALID_PARAMS)
    }))

  it.effect("of templates MUST come in pages too", () =>
    Effect.gen(function*() {
      const asking = yield* client(Layer.mergeAll(under("b:{x}"), under("a:{x}")), "2025-11-25", { pageSize: 1 })
      const first = yield* asking.result("resources/templates/list")
      assert.deepStrictEqual(urisOf(first.resourceTemplates), ["a:{x}"])
      const second = yield* asking.result("resources/templates/list", { cursor: first.nextCursor })
      assert.deepStrictEqual(urisOf(second.resourceTemplates), ["b:{x}"])
      assert.notProperty(second, "nextCursor")
    }))

  it.effect("MUST be without what has gone", () =>
    Effect.gen(function*() {
      const server = yield* serve(at("a:stays"))
      const asking = yield* speak(server, "2025-11-25")
      const scope = yield* Scope.make()
      yield* McpServer.addResource(Resource.make({ uri: "a:goes", name: "goes" }), empty).pipe(
        Scope.provide(scope),
        Effect.provideService(McpServer.McpServer, server)
      )
      assert.deepStrictEqual(urisOf((yield* asking.result("resources/list")).resources), ["a:goes", "a:stays"])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(urisOf((yield* asking.result("resources/list")).resources), ["a:stays"])
    }))
})

describe("what is for some only", () => {
  const layer = Layer.mergeAll(at("a:open"), at("a:secret", forAda), under("s:{x}", forAda))

  it.effect("MUST NOT be listed nor read for the rest", () =>
    Effect.gen(function*() {
      const asking = yield* client(layer, "2026-07-28")
      const listed = asking.result("resources/list")
      const templates = asking.result("resources/templates/list")
      assert.deepStrictEqual(urisOf((yield* listed).resources), ["a:open"])
      assert.deepStrictEqual(urisOf((yield* ada(listed)).resources), ["a:open", "a:secret"])
      assert.deepStrictEqual(urisOf((yield* templates).resourceTemplates), [])
      assert.deepStrictEqual(urisOf((yield* ada(templates)).resourceTemplates), ["s:{x}"])
      for (const uri of ["a:secret", "s:1"]) {
        assert.strictEqual((yield* readError(asking, uri)).message, `Resource not found: ${uri}`)
        assert.strictEqual((yield* ada(read(asking, uri))).length, 1)
      }
    }))

  it.effect("MUST NOT be kept for everybody, nor a list that it may be in", () =>
    Effect.gen(function*() {
      const asking = yield* client(layer, "2026-07-28", { caching: { scope: "public", ttl: "1 second" } })
      assert.strictEqual((yield* asking.result("resources/list")).cacheScope, "private")
      const scopes = ["a:open", "a:secret", "s:1"].map((uri) =>
        Effect.map(ada(asking.result("resources/read", { uri })), ({ cacheScope }) => cacheScope)
      )
      assert.deepStrictEqual(yield* Effect.all(scopes), ["public", "private", "private"])
    }))
})

describe("registering", () => {
  const refused = (layer: Parameters<typeof serve>[0]) => Effect.flip(serve(layer))

  it.effect.each([
    { what: "a URI that is not absolute", layer: at("a/b"), kind: "resource", says: "must be absolute" },
    { what: "a URI that is taken", layer: Layer.mergeAll(at("a:b"), at("a:b")), kind: "resource", says: "already" },
    {
      what: "another spelling of a URI that is taken",
      layer: Layer.mergeAll(at("a:~"), at("a:%7e")),
      kind: "resource",
      says: "already"
    },
    { what: "a malformed template", layer: under("a:{b"), kind: "resource template", says: "has no \"}\"" },
    {
      what: "a template that is taken",
      layer: Layer.mergeAll(under("a:{b}"), under("a:{b}")),
      kind: "resource template",
      says: "already"
    },
    {
      what: "caching that makes no sense",
      layer: at("a:b", { caching: { ttl: -1 } }),
      kind: "resource",
      says: "caching hint of the resource a:b"
    },
    {
      what: "a completer of a variable that does not exist",
      layer: McpServer.resourceTemplate(Resource.template("a:{b}", { name: "t" }), empty, {
        // What the compiler refuses too, where it knows the names.
        complete: { b: () => Effect.succeed([]), c: () => Effect.succeed([]) } as Completers
      }),
      kind: "resource template",
      says: "has no variable \"c\" to complete"
    }
  ])("$what MUST fail the layer, and say so", ({ kind, layer, says }) =>
    Effect.gen(function*() {
      const error = yield* refused(layer)
      assert.strictEqual(error._tag, "RegistrationError")
      assert.strictEqual(error.kind, kind)
      assert.include(error.message, says)
    }))
})
