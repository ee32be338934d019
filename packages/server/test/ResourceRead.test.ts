/** What is read under a URI: which handler it is, and what becomes of what that returns or fails with. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Progress from "@mcp-effect/protocol/Progress"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import { InputFailed } from "@mcp-effect/server/Input"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as RequestContext from "@mcp-effect/server/RequestContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { serve, speak } from "./client.ts"
import { logged } from "./log.ts"
import { client, NOTE, note, notFoundCode, read, readError } from "./resources.ts"

describe.each(Revisions.all.map(({ name }) => name))("resources/read in %s", (revision) => {
  it.effect("MUST yield the contents, with the URI and the mime type of the resource", () =>
    Effect.gen(function*() {
      const asking = yield* client(note(() => Effect.succeed("hi"), { mimeType: "text/x" }), revision)
      assert.deepStrictEqual(yield* read(asking), [{ uri: NOTE, mimeType: "text/x", text: "hi" }])
    }))

  it.effect("MUST answer a resource that does not exist with the code of the revision, and its URI", () =>
    Effect.gen(function*() {
      const asking = yield* client(note(() => Effect.undefined), revision)
      for (const uri of ["note:///b", NOTE]) {
        assert.deepStrictEqual(yield* readError(asking, uri), {
          code: notFoundCode(revision),
          message: `Resource not found: ${uri}`,
          data: { uri }
        })
      }
    }))

  it.effect("MUST refuse a client that lacks what the resource needs, before its handler runs", () =>
    Effect.gen(function*() {
      let runs = 0
      const needy = McpServer.resource(
        Resource.make({ uri: NOTE, name: "a", needs: { sampling: {} } }),
        () => Effect.sync(() => String(++runs))
      )
      const server = yield* serve(needy)
      const error = yield* readError(yield* speak(server, revision))
      assert.strictEqual(error.code, revision === "2026-07-28" ? -32021 : -32600)
      assert.include(error.message, "sampling")
      assert.strictEqual(runs, 0)
      assert.strictEqual((yield* read(yield* speak(server, revision, { sampling: {} }))).length, 1)
    }))
})

describe("a URI", () => {
  it.effect.each([undefined, null, 1, ["a:b"], {}])("that is %j MUST be refused", (uri) =>
    Effect.gen(function*() {
      const asking = yield* client(note(() => Effect.succeed("")))
      assert.deepStrictEqual(yield* asking.error("resources/read", { uri }), {
        code: JsonRpc.INVALID_PARAMS,
        message: "Invalid params: \"uri\" must be a string"
      })
    }))

  it.effect("MUST be found in any spelling, and be spelled as it is defined", () =>
    Effect.gen(function*() {
      const asking = yield* client(
        note(({ uri }) => Effect.succeed(uri), { uri: "note:///%C3%A4~%2F" })
      )
      for (const uri of ["note:///%C3%A4~%2F", "note:///%c3%a4%7e%2f", "note:///ä~%2F"]) {
        assert.deepStrictEqual(yield* read(asking, uri), [{ uri: "note:///%C3%A4~%2F", text: "note:///%C3%A4~%2F" }])
      }
      // A slash is not the same as an encoded one.
      for (const uri of ["note:///%C3%A4~/", "note:///%zz", "\ud800", "", "NOTE:///%C3%A4~%2F"]) {
        assert.strictEqual((yield* readError(asking, uri)).code, -32002)
      }
    }))
})

describe("what a handler returns", () => {
  const bytes = new Uint8Array([0, 255, 128])

  it.effect.each([
    { what: "text", returned: "", contents: [{ uri: NOTE, mimeType: "d/d", text: "" }] },
    { what: "bytes", returned: bytes, contents: [{ uri: NOTE, mimeType: "d/d", blob: "AP+A" }] },
    {
      what: "contents",
      returned: Resource.text("note:///other", "t", { meta: { m: 1 } }),
      contents: [{ uri: "note:///other", mimeType: "d/d", text: "t", _meta: { m: 1 } }]
    },
    {
      what: "contents of another type",
      returned: Resource.blob(NOTE, bytes, { mimeType: "o/o" }),
      contents: [{ uri: NOTE, mimeType: "o/o", blob: "AP+A" }]
    },
    {
      what: "several contents",
      returned: [Resource.text(NOTE, "0"), Resource.text(`${NOTE}/1`, "1"), Resource.blob(`${NOTE}/2`, bytes)],
      contents: [
        { uri: NOTE, mimeType: "d/d", text: "0" },
        { uri: `${NOTE}/1`, text: "1" },
        { uri: `${NOTE}/2`, blob: "AP+A" }
      ]
    },
    { what: "no contents", returned: [], contents: [] }
  ])("MAY be $what", ({ contents, returned }) =>
    Effect.gen(function*() {
      const asking = yield* client(note(() => Effect.succeed(returned), { mimeType: "d/d" }))
      assert.deepStrictEqual<unknown>(yield* read(asking), contents)
    }))

  it.effect.each([
    { returned: 1 },
    { returned: null },
    { returned: {} },
    { returned: { uri: NOTE } },
    { returned: ["text"] },
    { returned: [Resource.text(NOTE, ""), undefined] },
    { returned: Resource.text(NOTE, "", { meta: { big: 1n } }) }
  ])("MUST NOT be anything else: $returned", ({ returned }) =>
    logged((lines) =>
      Effect.gen(function*() {
        const asking = yield* client(note((() => Effect.succeed(returned)) as never))
        assert.deepStrictEqual(yield* readError(asking), { code: JsonRpc.INTERNAL_ERROR, message: "Internal error" })
        assert.include(lines.join("\n"), "TypeError")
      })
    ))
})

describe("what a handler fails with", () => {
  const failing = (error: unknown) => client(note(() => Effect.fail(error)))

  it.effect.each([
    { error: new Error("The disk is full"), message: "The disk is full" },
    { error: "Closed on Sundays", message: "Closed on Sundays" },
    { error: { _tag: "Odd" }, message: `The resource ${NOTE} could not be read` },
    { error: new Error(""), message: `The resource ${NOTE} could not be read` },
    { error: new InputFailed({ reason: "refused", message: "The client refused" }), message: "The client refused" },
    { error: { _tag: "InvalidParams", message: "Not of the protocol" }, message: "Not of the protocol" }
  ])("MUST be told to the client: $message", ({ error, message }) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* readError(yield* failing(error)), { code: JsonRpc.INTERNAL_ERROR, message })
    }))

  it.effect.each([
    { error: new McpError.ResourceNotFound({ uri: "x:y", message: "Gone" }), code: -32002 },
    { error: new McpError.InvalidParams({ message: "Bad" }), code: JsonRpc.INVALID_PARAMS },
    { error: new McpError.RemoteError({ code: 7, message: "Seven" }), code: 7 },
    { error: new McpError.MissingRequiredClientCapability({ message: "No", requiredCapabilities: {} }), code: -32600 }
  ])("MUST be the reply if it is an error of the protocol: $error._tag", ({ code, error }) =>
    Effect.gen(function*() {
      const reply = yield* readError(yield* failing(error))
      assert.strictEqual(reply.code, code)
      assert.strictEqual(reply.message, error.message)
    }))

  it.effect("MUST NOT leak if it is a defect, thrown or not", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const thrown = () => {
          throw new Error("secret")
        }
        for (const handler of [thrown, () => Effect.die(new Error("secret"))]) {
          const error = yield* readError(yield* client(note(handler)))
          assert.deepStrictEqual(error, { code: JsonRpc.INTERNAL_ERROR, message: "Internal error" })
        }
        assert.strictEqual(lines.filter((line) => line.includes("secret")).length, 2)
      })
    ))
})

describe("a handler", () => {
  class Store extends Context.Service<Store, string>()("test/Store") {}

  it.effect("MUST run in the context of its layer, with a scope and a request of its own", () =>
    Effect.gen(function*() {
      const closed: Array<string> = []
      const layer = McpServer.resource(Resource.make({ uri: NOTE, name: "a" }), () =>
        Effect.gen(function*() {
          yield* Effect.addFinalizer(() => Effect.sync(() => void closed.push("closed")))
          yield* Progress.report({ progress: 1 })
          const { method } = yield* RequestContext.current
          return `${yield* Store} ${method}`
        })).pipe(Layer.provide(Layer.succeed(Store, "stored")))
      const asking = yield* client(layer)
      const { contents } = yield* asking.result("resources/read", { uri: NOTE, _meta: { progressToken: 1 } })
      assert.deepStrictEqual(contents, [{ uri: NOTE, text: "stored resources/read" }])
      assert.deepStrictEqual(closed, ["closed"])
      assert.deepStrictEqual(asking.tied.map(({ method }) => method), ["notifications/progress"])
    }))

  it.effect("MAY have caching hints of its own", () =>
    Effect.gen(function*() {
      const layer = note(() => Effect.succeed(""), { caching: { ttl: "2 seconds", scope: "public" } })
      const result = yield* (yield* client(layer, "2026-07-28")).result("resources/read", { uri: NOTE })
      assert.deepInclude(result, { ttlMs: 2000, cacheScope: "public", resultType: "complete" })
      const plain = yield* (yield* client(layer)).result("resources/read", { uri: NOTE })
      assert.deepStrictEqual(Object.keys(plain), ["contents"])
    }))
})

describe("a template", () => {
  const Search = Resource.template("docs://{lang}/{+path}{?limit,tags*}", {
    name: "search",
    mimeType: "text/x",
    variables: { lang: Schema.Literals(["en", "de"]), limit: Schema.optionalKey(Schema.FiniteFromString) }
  })

  const searching = McpServer.resourceTemplate(
    Search,
    ({ lang, limit, path, tags }, { uri }) => Effect.succeed(JSON.stringify({ lang, limit, path, tags, uri }))
  )

  const search = (uri: string) =>
    Effect.gen(function*() {
      const [contents] = yield* read(yield* client(searching), uri)
      assert.strictEqual(contents?.uri, uri)
      assert.strictEqual(contents?.mimeType, "text/x")
      return contents !== undefined && "text" in contents ? JSON.parse(contents.text) : undefined
    })

  it.effect("MUST give its handler the variables, decoded, and the URI as it was asked for", () =>
    Effect.gen(function*() {
      for (
        const [uri, variables] of [
          ["docs://en/a/b", { lang: "en", path: "a/b", tags: [] }],
          ["docs://de/%C3%A4%2F%20b?limit=3", { lang: "de", limit: 3, path: "ä/ b", tags: [] }],
          ["docs://en/a?tags=x&limit=1e3&tags=%26", { lang: "en", limit: 1000, path: "a", tags: ["x", "&"] }],
          ["docs://en/a?other=1&limit=2", { lang: "en", limit: 2, path: "a", tags: [] }]
        ] as const
      ) {
        assert.deepStrictEqual(yield* search(uri), { ...variables, uri })
      }
    }))

  it.effect.each([
    { uri: "docs://fr/a", variable: "lang" },
    { uri: "docs://en/a?limit=many", variable: "limit" }
  ])("MUST refuse a variable that does not fit, and name it: $variable", ({ uri, variable }) =>
    Effect.gen(function*() {
      const { code, message } = yield* readError(yield* client(searching), uri)
      assert.strictEqual(code, JsonRpc.INVALID_PARAMS)
      assert.include(message, `["${variable}"]`)
      assert.include(message, Search.uriTemplate)
    }))

  it.effect("MUST NOT match what is not of it", () =>
    Effect.gen(function*() {
      for (const uri of ["docs://en", "docs:///a", "doc://en/a", "docs://en/%"]) {
        assert.strictEqual((yield* readError(yield* client(searching), uri)).code, -32002)
      }
    }))

  const naming = (template: string) =>
    McpServer.resourceTemplate(Resource.template(template, { name: "t" }), () => Effect.succeed(template))

  const texts = (layer: Parameters<typeof serve>[0], ...uris: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const asking = yield* client(layer)
      const all = yield* Effect.forEach(uris, (uri) => read(asking, uri))
      return all.map(([contents]) => contents !== undefined && "text" in contents ? contents.text : undefined)
    })

  it.effect("MUST come after resources and before templates with less text, in whatever order they came", () =>
    Effect.gen(function*() {
      const layers = [
        naming("a:b/{x}"),
        naming("a:{+y}"),
        naming("a:{+x}"),
        naming("a:b/{x}/c"),
        naming("a:{+z}.txt"),
        note(() => Effect.succeed("the resource"), { uri: "a:b/r" })
      ] as const
      const uris = ["a:b/r", "a:b/1", "a:b/1/c", "a:other", "a:1.txt"]
      const expected = ["the resource", "a:b/{x}", "a:b/{x}/c", "a:{+x}", "a:{+z}.txt"]
      assert.deepStrictEqual(yield* texts(Layer.mergeAll(...layers), ...uris), expected)
      const [first, ...rest] = layers.toReversed()
      assert.deepStrictEqual(yield* texts(Layer.mergeAll(first ?? Layer.empty, ...rest), ...uris), expected)
    }))

  it.effect("MUST check what a client lacks before the variables", () =>
    Effect.gen(function*() {
      const needy = McpServer.resourceTemplate(
        Resource.template("a:{n}", { name: "t", needs: { roots: {} }, variables: { n: Schema.FiniteFromString } }),
        ({ n }) => Effect.succeed(String(n))
      )
      assert.include((yield* readError(yield* client(needy), "a:x")).message, "did not declare: roots")
    }))
})
