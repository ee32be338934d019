import { assert, describe, it } from "@effect/vitest"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

// Checked by the compiler: the two types are the same.
const same = <A, B>(_: [A] extends [B] ? [B] extends [A] ? true : false : false): void => {}

const Search = Resource.template("docs://{lang}/{page:9}{/path*}{?limit,order,tags*}", {
  name: "search",
  variables: {
    lang: Schema.Literals(["en", "de"]),
    limit: Schema.optionalKey(Schema.FiniteFromString),
    tags: Schema.Array(Schema.FiniteFromString)
  }
})

const variablesOf = <V>(template: Resource.ResourceTemplate<V>, uri: string) =>
  Resource.variablesOf(template, uri) ?? Effect.die(new Error("no match"))

describe("a resource", () => {
  it.each([
    "file:///a%20b",
    "a:",
    "urn:isbn:1",
    "git+ssh://user@host:22/a;b?c=d&e#f/g?h",
    "http://[::1]/",
    "x-1.y:a"
  ])("MUST have an absolute URI: %s", (uri) => {
    Resource.check(Resource.make({ uri, name: "a" }))
  })

  it.each([
    "",
    "a",
    "/a",
    "//a/b",
    "1a:b",
    ":a",
    "a b:c",
    "a:b c",
    "a:é",
    "a:%",
    "a:%2",
    "a:%zz",
    "a:#b#c",
    "a:\"b\"",
    "a:{b}",
    "a:\n"
  ])(
    "another URI MUST be refused: %j",
    (uri) => {
      const resource = Resource.make({ uri, name: "a" })
      assert.throws(() => Resource.check(resource), TypeError, `The URI ${JSON.stringify(uri)}`)
    }
  )

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("a size MUST be a whole number of bytes: %d", (size) => {
    assert.throws(() => Resource.check(Resource.make({ uri: "a:b", name: "a", size })), TypeError, `and is ${size}`)
  })

  it("MUST be written with what the revision has, and never with what it needs", () => {
    const resource = Resource.make({
      uri: "file:///a",
      name: "a",
      title: "A",
      description: "An a",
      mimeType: "text/plain",
      size: 3,
      annotations: { audience: ["user"], priority: 1 },
      icons: [{ src: "data:," }],
      meta: { b: 1 },
      needs: { sampling: {} }
    })
    const first = {
      uri: "file:///a",
      name: "a",
      description: "An a",
      mimeType: "text/plain",
      annotations: { audience: ["user"], priority: 1 },
      size: 3
    }
    const titled = { ...first, title: "A", _meta: { b: 1 } }
    const written = Object.fromEntries(
      Revisions.all.map(({ name, wire }) => [name, Resource.toWire(resource, wire)])
    )
    assert.deepStrictEqual(written, {
      "2024-11-05": first,
      "2025-03-26": first,
      "2025-06-18": titled,
      "2025-11-25": { ...titled, icons: [{ src: "data:," }] },
      "2026-07-28": { ...titled, icons: [{ src: "data:," }] }
    })
  })
})

describe("a template", () => {
  it("MUST be written with what the revision has, as its text", () => {
    const template = Resource.template("a:{b}", { name: "a", title: "A", mimeType: "text/plain", needs: { roots: {} } })
    const first = { uriTemplate: "a:{b}", name: "a", mimeType: "text/plain" }
    const [oldest, ...others] = Revisions.all.toSorted((a, b) => a.name < b.name ? -1 : 1).map(({ wire }) =>
      Resource.templateToWire(template, wire)
    )
    assert.deepStrictEqual(oldest, first)
    assert.deepStrictEqual(others.at(-1), { ...first, title: "A" })
  })

  it("MUST type its variables by its text and schemas", () => {
    same<Resource.Variables<typeof Search>, {
      readonly lang: "en" | "de"
      readonly page: string
      readonly path: ReadonlyArray<string>
      readonly limit?: number
      readonly order?: string
      readonly tags: ReadonlyArray<number>
    }>(true)
    const plain = Resource.template("a:{b,c}{+d}{#e}{.f}{;g*}", { name: "a" })
    same<Resource.Variables<typeof plain>, {
      readonly b: string
      readonly c: string
      readonly d: string
      readonly e?: string
      readonly f?: string
      readonly g: ReadonlyArray<string>
    }>(true)
    const text: string = "a:{b}"
    const unknown = Resource.template(text, { name: "a" })
    same<Resource.Variables<typeof unknown>, { readonly [x: string]: string | ReadonlyArray<string> }>(true)
    const partly = Resource.template(text, { name: "a", variables: { b: Schema.NumberFromString } })
    same<Resource.Variables<typeof partly>["b"], number>(true)
    // @ts-expect-error: a number is not written as text
    Resource.template("a:{b}", { name: "a", variables: { b: Schema.Number } })
    const any: ReadonlyArray<Resource.ResourceTemplate> = [Search, plain, unknown, partly]
    for (const template of any) Resource.check(template)
  })

  it.effect("MUST decode the variables of a URI", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* variablesOf(Search, "docs://en/intro/a/b%20c?tags=1&limit=10&tags=2&x=y"), {
        lang: "en",
        page: "intro",
        path: ["a", "b c"],
        limit: 10,
        tags: [1, 2]
      })
      assert.deepStrictEqual(yield* variablesOf(Search, "docs://de/intro"), {
        lang: "de",
        page: "intro",
        path: [],
        tags: []
      })
    }))

  it.effect("MUST tell apart what does not match and what does not decode, and say why", () =>
    Effect.gen(function*() {
      assert.isUndefined(Resource.variablesOf(Search, "docs://en"))
      assert.isUndefined(Resource.variablesOf(Search, "docs://en/%zz"))
      const problem = yield* Effect.flip(variablesOf(Search, "docs://fr/intro?limit=10&tags=b"))
      assert.include(problem, `Expected "en" | "de"\n  at ["lang"]`)
      assert.include(problem, `at ["tags"][0]`)
    }))

  it.effect("a parameter whose schema is not optional MUST be there", () =>
    Effect.gen(function*() {
      const template = Resource.template("a:{?b}", { name: "a", variables: { b: Schema.String } })
      assert.include(yield* Effect.flip(variablesOf(template, "a:")), `at ["b"]`)
      const byDefault = Resource.template("a:{?b}", {
        name: "a",
        variables: { b: Schema.FiniteFromString.pipe(Schema.withDecodingDefaultKey(Effect.succeed("7"))) }
      })
      assert.deepStrictEqual(yield* variablesOf(byDefault, "a:"), { b: 7 })
    }))

  it.effect("a URI MUST be made through the schemas, and decode to the same", () =>
    Effect.gen(function*() {
      const variables = { lang: "de", page: "a/b", path: ["", "é"], order: "", tags: [1, 2] } as const
      const uri = Resource.expand(Search, variables)
      assert.strictEqual(uri, "docs://de/a%2Fb//%C3%A9?order=&tags=1&tags=2")
      assert.deepStrictEqual(yield* variablesOf(Search, uri), variables)
      assert.strictEqual(yield* Resource.uriOf(Search, variables), uri)
    }))

  it.effect("variables that give no URI MUST be refused, with the reason", () =>
    Effect.gen(function*() {
      const wrong: Resource.Variables<typeof Search> = { lang: "de", page: "", path: [], tags: [] }
      const empty = "The variable \"page\" of docs://{lang}/{page:9}{/path*}{?limit,order,tags*} must not be empty"
      assert.strictEqual(yield* Effect.flip(Resource.uriOf(Search, wrong)), empty)
      assert.throws(() => Resource.expand(Search, wrong), TypeError, empty)
      const short = Resource.template("a:{b}", {
        name: "a",
        variables: { b: Schema.String.check(Schema.isMaxLength(2)) }
      })
      assert.throws(() => Resource.expand(short, { b: "123" }), TypeError, `at ["b"]`)
    }))

  const checking = (uriTemplate: string, variables: Resource.VariableSchemas = {}) => () =>
    Resource.check(Resource.template(uriTemplate, { name: "a", variables }))

  it("that cannot be served MUST be refused, with the reason, and not where it is defined", () => {
    assert.throws(checking("a:{b"), TypeError, "\"a:{b\" is malformed")
    for (const text of ["", "a", "/{b}", "a/{b}", "1{b}:", "//a{b}"]) {
      assert.throws(checking(text), TypeError, "must begin with a scheme")
    }
    for (const text of ["a:", "{+b}", "a{b}:", "a:{b}", "{scheme}://a"]) checking(text)()
  })

  it("a schema MUST be of a variable that the template has", () => {
    assert.throws(
      checking("a:{b}{/c}", { d: Schema.String }),
      TypeError,
      "has no variable \"d\", which has a schema; its variables are: \"b\", \"c\""
    )
    assert.throws(checking("a:b", { d: Schema.String }), TypeError, "its variables are: none")
  })

  it("a schema MUST be of a list where the variable is exploded, and only there", () => {
    const Numbers = Schema.Array(Schema.NumberFromString)
    assert.throws(checking("a:{b}", { b: Numbers }), TypeError, "{b*} makes it a list")
    assert.throws(checking("a:{?b}", { b: Schema.optionalKey(Numbers) }), TypeError, "{b*} makes it a list")
    assert.throws(checking("a:{b*}", { b: Schema.Literals(["1", "2"]) }), TypeError, "a list, by its \"*\"")
    assert.throws(checking("a:{b*}", { b: Schema.NumberFromString }), TypeError, "a list, by its \"*\"")
    checking("a:{b*}{?c}", { b: Numbers, c: Schema.optional(Schema.NumberFromString) })()
  })
})

describe("contents", () => {
  it("MUST be text, or base64 of the bytes", () => {
    assert.deepStrictEqual(Resource.text("a:b", "c"), { uri: "a:b", text: "c" })
    assert.deepStrictEqual(Resource.text("a:b", "", { mimeType: "text/x", meta: { d: 1 } }), {
      uri: "a:b",
      mimeType: "text/x",
      _meta: { d: 1 },
      text: ""
    })
    assert.deepStrictEqual(Resource.blob("a:b", new Uint8Array([0, 255])), { uri: "a:b", blob: "AP8=" })
    assert.deepStrictEqual(Resource.blob("a:b", "AP8=", { mimeType: "x/y" }), {
      uri: "a:b",
      mimeType: "x/y",
      blob: "AP8="
    })
  })
})

describe("what a client reads", () => {
  it.effect("MUST need no more than the revisions require, and let unknown members pass", () =>
    Effect.gen(function*() {
      const listed = { uri: "not a uri", name: "a" }
      assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Resource.Listed)({ ...listed, more: 1 }), listed)
      const template = { uriTemplate: "{not one", name: "a", size: 1 }
      assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Resource.ListedTemplate)(template), {
        uriTemplate: "{not one",
        name: "a"
      })
      const contents = [{ uri: "a:b", text: "" }, { uri: "a:c", mimeType: "x/y", blob: "AP8=", _meta: {} }]
      const result = { resultType: "complete", ttlMs: 1, cacheScope: "public", contents }
      assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Resource.ReadResult)(result), { contents })
    }))

  it.effect("contents without text or blob MUST be refused", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        Schema.decodeUnknownEffect(Resource.ReadResult)({ contents: [{ uri: "a:b" }] })
      )
      assert.include(String(error), `["contents"][0]`)
    }))

  it.effect("a definition, as every revision writes it, MUST be read again", () =>
    Effect.gen(function*() {
      const resource = Resource.make({ uri: "a:b", name: "a", size: 1, icons: [{ src: "data:," }], meta: { c: 1 } })
      for (const { wire } of Revisions.all) {
        const written = Resource.toWire(resource, wire)
        assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Resource.Listed)(written), written)
        const template = Resource.templateToWire(Search, wire)
        assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Resource.ListedTemplate)(template), template)
      }
    }))
})

describe("the one spelling of a URI", () => {
  it.each([
    ["file:///a%20b", "file:///a%20b"],
    ["file:///%7e/%c3%a4", "file:///~/%C3%A4"],
    ["file:///ä b", "file:///%C3%A4%20b"],
    ["file:///a%2fb", "file:///a%2Fb"],
    ["FILE:///A", "FILE:///A"],
    ["file:///%zz~%7E", "file:///%zz~%7E"],
    ["\ud800%7E", "\ud800%7E"]
  ])("of %j MUST be %j", (uri, normal) => {
    assert.strictEqual(Resource.normalize(uri), normal)
  })

  it.prop("MUST be its own", [Schema.String], ([uri]) => {
    assert.strictEqual(Resource.normalize(Resource.normalize(uri)), Resource.normalize(uri))
  })
})
