import { assert, describe, it } from "@effect/vitest"
import * as UriTemplate from "@mcp-effect/protocol/UriTemplate"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

const match = (template: string, uri: string) => UriTemplate.match(UriTemplate.make(template), uri)

const table = (rows: ReadonlyArray<readonly [string, string, UriTemplate.Matched | undefined]>) => () => {
  for (const [template, uri, expected] of rows) {
    assert.deepStrictEqual(match(template, uri), expected, `${template} and ${uri}`)
  }
}

describe("a match", () => {
  it(
    "literals MUST be equal, whatever their percent-encoding",
    table([
      ["a://b", "a://b", {}],
      ["a://b", "a://c", undefined],
      ["a://b", "a://b/", undefined],
      ["", "", {}],
      ["", "a", undefined],
      ["a:~é%2f", "a:%7e%C3%A9%2F", {}],
      ["a:%7E%c3%a9%2F", "a:~é%2f", {}],
      ["a:/", "a:%2F", undefined],
      ["a:b", "A:b", undefined]
    ])
  )

  it(
    "a variable MUST have a character, and none of / ? #",
    table([
      ["note://{id}", "note://1", { id: "1" }],
      ["note://{id}", "note://", undefined],
      ["note://{id}", "note://1/2", undefined],
      ["note://{id}", "note://1?a=b", undefined],
      ["note://{id}", "note://1#a", undefined],
      ["note://{id}", "note://1/", undefined],
      ["note://{id}/x", "note:///x", undefined],
      ["note://{id}", "note://a:b@c;d=e,f!", { id: "a:b@c;d=e,f!" }],
      ["geo:{lat,lon}", "geo:1.5,-2", { lat: "1.5", lon: "-2" }],
      ["geo:{lat,lon}", "geo:1.5", undefined]
    ])
  )

  it(
    "values MUST be percent-decoded, once",
    table([
      ["a:{x}", "a:b%20%C3%A9%2Fc", { x: "b é/c" }],
      ["a:{x}", "a:%2525", { x: "%25" }],
      ["a:{x}", "a:é b", { x: "é b" }],
      ["a:{x}", "a:b+c", { x: "b+c" }],
      ["a:{?x}", "a:?x=b+c%2B", { x: "b+c+" }],
      ["a:{x}{y}", "a:%C3%A9%41b", { x: "é", y: "Ab" }],
      ["a:{x}20", "a:%20", undefined],
      ["a:{x}20", "a:%2020", { x: " " }]
    ])
  )

  it(
    "what is malformed MUST match nothing",
    table([
      ["a:{x}", "a:%", undefined],
      ["a:{x}", "a:%2", undefined],
      ["a:{x}", "a:%zz", undefined],
      ["a:{x}", "a:%C3", undefined],
      ["a:{x}", "a:%FF", undefined],
      ["a:{x}", "a:\uD800", undefined],
      ["a:{/x*}", "a:/b/%C3", undefined],
      ["a:{?x}", "a:?x=%C3", undefined],
      ["a:{?x}", "a:?y=%zz", undefined],
      ["a:{?x}", "a:?x=1&y=%C3", { x: "1" }]
    ])
  )

  it(
    "+ and # MUST take any character, and percent-decode",
    table([
      ["file:///{+path}", "file:///a/b%20c/d", { path: "a/b c/d" }],
      ["file:///{+path}", "file:///", undefined],
      ["{+uri}", "http://a/b?c=d#e", { uri: "http://a/b?c=d#e" }],
      ["a:{+path}{?q}", "a:b/c?q=1", { path: "b/c", q: "1" }],
      ["a:{+path}{#at}", "a:b/c#d/e?f", { path: "b/c", at: "d/e?f" }],
      ["a:{b}{#at}", "a:c", { b: "c" }],
      ["a:{b}{#at}", "a:c#", { b: "c", at: "" }]
    ])
  )

  it(
    "explosions MUST be lists",
    table([
      ["a:{path*}", "a:b,c%2C", { path: ["b", "c,"] }],
      ["a:{path*}", "a:", {}],
      ["a:{path*}", "a:b/c", undefined],
      ["a:{x,path*}", "a:1", { x: "1" }],
      ["a:{x,path*}", "a:1,2,3", { x: "1", path: ["2", "3"] }],
      ["a:{+path*}", "a:b/c,d", { path: ["b/c", "d"] }],
      ["a:{/path*}", "a:/b/c%2F/", { path: ["b", "c/", ""] }],
      ["a:{/path*}", "a:", {}],
      ["a:{/path*}", "a:b", undefined],
      ["a:{/path*}", "a:/b?c", undefined],
      ["www{.dom*}", "www.example.com", { dom: ["example", "com"] }],
      ["a:{;x*}", "a:;x=1;x=2", { x: ["1", "2"] }],
      ["a:{?x*}", "a:?x=1&y=3&x=2", { x: ["1", "2"] }],
      ["a:{#x*}", "a:#1,2", { x: ["1", "2"] }]
    ])
  )

  it(
    "what has a character before it MUST be optional, and may be empty",
    table([
      ["a:b{/c,d}", "a:b", {}],
      ["a:b{/c,d}", "a:b/1", { c: "1" }],
      ["a:b{/c,d}", "a:b/1/2", { c: "1", d: "2" }],
      ["a:b{/c,d}", "a:b/1/", { c: "1", d: "" }],
      ["a:b{/c,d}", "a:b/1/2/3", undefined],
      ["a:b{.ext}", "a:b.json", { ext: "json" }],
      ["a:b{.ext}", "a:b", {}]
    ])
  )

  it(
    "parameters MUST be optional, in any order, among others",
    table([
      ["a:{?x,y}", "a:", {}],
      ["a:{?x,y}", "a:?", {}],
      ["a:{?x,y}", "a:?y=2&x=1", { x: "1", y: "2" }],
      ["a:{?x,y}", "a:?z=3&&y=2&w", { y: "2" }],
      ["a:{?x,y}", "a:?x&y=", { x: "", y: "" }],
      ["a:{?x}", "a:?x=a=b?/c", { x: "a=b?/c" }],
      ["a:{?x}", "a:?x=1&x=2", { x: "1" }],
      ["a:{?x}", "a:?X=1", {}],
      ["a:{?x}", "a:?%78=1", { x: "1" }],
      ["a:{?x}", "a:&x=1", undefined],
      ["a:{?x}", "a:b?x=1", undefined],
      ["a:{?x}", "a:?x=1#f", undefined],
      ["a:{?x}{#f}", "a:?x=1#f", { x: "1", f: "f" }],
      ["a:{?x}{&y}", "a:?y=2&x=1", { x: "1", y: "2" }],
      ["a:{?x}{&y}", "a:&y=2", { y: "2" }],
      ["a:?f=1{&y}", "a:?f=1&z=3&y=2", { y: "2" }],
      ["a:?f=1{&y}", "a:?f=1", {}],
      ["a:?f=1{&y}", "a:?f=12", undefined],
      ["a:{?x}&f=1", "a:?x=1&z=3&f=1", { x: "1" }],
      ["a:{;x,y}/b", "a:;y=2;z;x/b", { x: "", y: "2" }],
      ["a:b{;x}.json", "a:b;x=1.2.json", { x: "1.2" }],
      ["a:b{;x}.json", "a:b.json", {}],
      ["a:{?__proto__}", "a:?__proto__=1", Object.fromEntries([["__proto__", "1"]])]
    ])
  )

  it(
    "the first variable MUST be as short as can be, and there rather than not",
    table([
      ["a:{x}.{y}", "a:1.2.3", { x: "1", y: "2.3" }],
      ["a:{+x}/{y}", "a:1/2/3", { x: "1/2", y: "3" }],
      ["a:{+x}/{+y}", "a:1/2/3", { x: "1", y: "2/3" }],
      ["a:{x}{y}", "a:123", { x: "1", y: "23" }],
      ["a:{/x}{/y*}", "a:/1/2/3", { x: "1", y: ["2", "3"] }],
      ["a:{/x*}{/y}", "a:/1/2/3", { x: ["1", "2"], y: "3" }]
    ])
  )

  it(
    "a variable in two places MUST be the same in both",
    table([
      ["a:{x}/{x}", "a:1/1", { x: "1" }],
      ["a:{x}/{x}", "a:1/2", undefined],
      ["a:{/x:1,x}", "a:/v/value", { x: "value" }],
      ["a:{/x:1,x}", "a:/w/value", undefined],
      ["a:{x}/{x:2}", "a:v/v", { x: "v" }],
      ["a:{x}/{x*}", "a:v/v", undefined]
    ])
  )

  it(
    "a prefix MUST be no longer than it may",
    table([
      ["a:{x:2}", "a:%C3%A9%C3%A9", { x: "éé" }],
      ["a:{x:2}", "a:123", undefined],
      ["a:{?x:2}", "a:?x=123", undefined]
    ])
  )
})

const Nonempty = Schema.NonEmptyString
const Maybe = Schema.optionalKey(Schema.String)
const Values = Schema.Array(Nonempty)

// Templates that say where each variable ends, with the values that they can tell apart.
const decidable: ReadonlyArray<readonly [string, Schema.Codec<UriTemplate.Values, unknown>]> = [
  ["a://{x}", Schema.Struct({ x: Nonempty })],
  ["a://{x,y}/{z}", Schema.Struct({ x: Nonempty, y: Nonempty, z: Nonempty })],
  ["a:{/x,y}", Schema.Struct({ x: Schema.String, y: Maybe })],
  ["a:{/x}/-{/y*}", Schema.Struct({ x: Schema.String, y: Schema.NonEmptyArray(Schema.String) })],
  ["a:{x}{;y,z*}", Schema.Struct({ x: Schema.Literals(["1", "é"]), y: Maybe, z: Schema.NonEmptyArray(Schema.String) })],
  ["a:{x}{?y,z}{&w*}", Schema.Struct({ x: Nonempty, y: Maybe, z: Maybe, w: Schema.NonEmptyArray(Schema.String) })],
  ["a:{x}{#y}", Schema.Struct({ x: Nonempty, y: Schema.Literals(["", "a/b?c#d", "é"]) })],
  ["a:{x}?y=1{&z}", Schema.Struct({ x: Nonempty, z: Maybe })]
]

describe("the laws", () => {
  for (const [text, schema] of decidable) {
    const template = UriTemplate.make(text)
    it.prop(`a match MUST find what was expanded: ${text}`, [schema], ([values]) => {
      // What is not well-formed Unicode has no encoding.
      if (/\p{Surrogate}/u.test(Object.values(values).flat().join(" "))) return
      assert.deepStrictEqual(UriTemplate.match(template, UriTemplate.expand(template, values)), { ...values })
    })
  }

  const pieces = [
    "a",
    "/",
    "?",
    "#",
    "&",
    "=",
    ";",
    ",",
    ".",
    "x",
    "%20",
    "%",
    "%C3",
    "é",
    "\uD800",
    "{x}",
    "{/y*}",
    "{?z,w}"
  ]
  const Pieces = Arbitrary.array(Arbitrary.schema(Schema.Literals(pieces)), { maxLength: 12 })

  it.prop("any text MUST parse or be refused, and any URI match or not: nothing throws", [Pieces, Pieces], ([a, b]) => {
    const template = UriTemplate.parse(a.join(""))
    if (template._tag === "Success") UriTemplate.match(template.success, b.join(""))
  })

  it.prop("a match MUST expand to a URI that matches alike", [Pieces, Pieces], ([a, b]) => {
    const template = UriTemplate.parse(a.join(""))
    const expressions = a.filter((piece) => piece.startsWith("{"))
    // A variable that is missing in one of its places is there in both when it is expanded again.
    if (template._tag === "Failure" || new Set(expressions).size < expressions.length) return
    const matched = UriTemplate.match(template.success, b.join(""))
    if (matched === undefined) return
    const uri = UriTemplate.expand(template.success, matched)
    assert.isDefined(UriTemplate.match(template.success, uri), uri)
  })

  it.prop("what was matched with + MUST be the rest of the URI", [Values], ([values]) => {
    const rest = values.map((text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, ""))).join("/")
    assert.deepStrictEqual(match("a:/{+x}", `a:/${rest}`), rest === "" ? undefined : { x: decodeURIComponent(rest) })
  })
})

describe("hostile URIs", () => {
  const size = 100_000
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"]
  const variables = names.map((name) => `{+${name}}`)

  it.each([
    ["many splits", variables.join("a"), `${"a".repeat(size)}!`],
    ["many splits that fail at the end", `${variables.join("a")}-`, "a".repeat(size)],
    ["no splits between", variables.join(""), "a".repeat(size)],
    ["many segments", "{/a*}{/b*}{/c*}{/d*}!", "/".repeat(size)],
    ["many labels", "{.a,b,c,d}{.e,f,g,h}!", ".".repeat(size)],
    ["many parameters", "{?a,b*}{&c}!", `?${"a&".repeat(size / 2)}`],
    ["many parameters of a kind", "{;a*}{;b*}{;c*}!", ";a".repeat(size / 2)],
    ["many triplets", "{a}{b}{c}!", "%41".repeat(size / 3)],
    ["many bytes that are no character", "{a}{b}{c}{d*}", "%80".repeat(size / 3)]
  ])("MUST be done with soon: %s", { timeout: 5000 }, (_, template, uri) => {
    const matched = match(template, uri)
    if (matched !== undefined) assert.deepStrictEqual(Object.keys(matched), names)
  })

  it("that are too long MUST match nothing, before and after encoding", () => {
    assert.isUndefined(match("{a}", "a".repeat(UriTemplate.MAX_URI + 1)))
    assert.isUndefined(match("{a}", "é".repeat(UriTemplate.MAX_URI / 2)))
    assert.isDefined(match("{a}", "a".repeat(UriTemplate.MAX_URI)))
  })
})
