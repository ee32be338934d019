import { assert, describe, it } from "@effect/vitest"
import * as RoutingHeaders from "@mcp-effect/http/RoutingHeaders"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const decoded = (header: string) => Result.getOrElse(RoutingHeaders.decode(header), (problem) => `problem: ${problem}`)

const isRefused = (header: string) => Result.isFailure(RoutingHeaders.decode(header))

// What UTF-8 can write: all but half characters.
const Text = Schema.String.check(Schema.makeFilter((text) => !/\p{Surrogate}/u.test(text)))

const Anything = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0x10ffff }))).check(
  Schema.makeFilter((codes) => codes.every((code) => code < 0xd800 || code > 0xdfff))
)

const Marked = Schema.Struct({
  before: Schema.Literals(["", " ", "=?base64?", "\t", "\uFEFF"]),
  text: Text,
  after: Schema.Literals(["", " ", "?=", "=", "\n"])
})

describe("a value", () => {
  const survives = (text: string) => {
    const header = RoutingHeaders.encode(text)
    assert.match(header, /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/)
    assert.strictEqual(decoded(header), text)
    assert.strictEqual(decoded(` \t${header}\t `), text)
  }

  it.prop("MUST come out as it went in", [Text], ([text]) => survives(text))

  it.prop("MUST come out as it went in, whatever the characters", [Anything], ([codes]) => {
    survives(codes.map((code) => String.fromCodePoint(code)).join(""))
  })

  it.prop("MUST come out as it went in, however it looks like a marked one", [Marked], ([{ after, before, text }]) => {
    survives(before + text + after)
    survives(before + after)
  })

  it.each([
    ["us-west1", "us-west1"],
    ["a b,c", "a b,c"],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["", "=?base64??="],
    ["a\tb", "=?base64?YQli?="],
    ["\u007f", "=?base64?fw==?="]
  ])("%j MUST be %j", (text, header) => assert.strictEqual(RoutingHeaders.encode(text), header))

  it("without both marks, in another case, or with marks that overlap, MUST be what it looks like", () => {
    for (const text of ["=?base64?SGVsbG8=", "SGVsbG8=?=", "=?BASE64?SGVsbG8=?=", "=?base64?=", ""]) {
      assert.strictEqual(decoded(text), text)
    }
  })

  it.each([
    "SGVsbG8", // no padding
    "SGVsbG8==",
    "SGVsbG9=", // bits left over
    "SGVs!!!bG8=",
    "SGVs bG8=",
    "SGVsbG8_",
    "=",
    "====",
    "A",
    "QQ==QQ=="
  ])("that is marked and is no Base64 MUST be refused: %s", (base64) => {
    assert.isTrue(isRefused(`=?base64?${base64}?=`))
  })

  it.each(["/w==", "7aCA", "wIA=", "8J+Y"])("that is no UTF-8 MUST be refused: %s", (base64) => {
    assert.isTrue(isRefused(`=?base64?${base64}?=`))
  })

  it.each(["é", "a\u0000b", "a\nb", "a\rb", "\u007f", "世", "=?base64?é?="])("MUST be ASCII: %j", (header) => {
    assert.isTrue(isRefused(header))
  })

  it("of half a character MUST NOT throw, and is never what it was", () => {
    assert.notStrictEqual(decoded(RoutingHeaders.encode("\ud800")), "\ud800")
  })

  it("with many spaces MUST be read in time", () => {
    const header = `a${" ".repeat(200_000)}b`
    assert.strictEqual(decoded(header), header)
  })
})
