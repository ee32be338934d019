import { assert, describe, it } from "@effect/vitest"
import * as UriTemplate from "@mcp-effect/protocol/UriTemplate"
import * as Result from "effect/Result"

const expand = (template: string, values: UriTemplate.Values) => UriTemplate.expand(UriTemplate.make(template), values)

// The variables of RFC 6570, section 3.2.
const values: UriTemplate.Values = {
  count: ["one", "two", "three"],
  dom: ["example", "com"],
  dub: "me/too",
  hello: "Hello World!",
  half: "50%",
  var: "value",
  who: "fred",
  base: "http://example.com/home/",
  path: "/foo/bar",
  list: ["red", "green", "blue"],
  keys: { semi: ";", dot: ".", comma: "," },
  v: "6",
  x: "1024",
  y: "768",
  empty: "",
  empty_keys: {}
}

// Its examples, by subsection.
const examples: Record<string, ReadonlyArray<readonly [template: string, uri: string]>> = {
  "3.2.1": [
    ["{count}", "one,two,three"],
    ["{count*}", "one,two,three"],
    ["{/count}", "/one,two,three"],
    ["{/count*}", "/one/two/three"],
    ["{;count}", ";count=one,two,three"],
    ["{;count*}", ";count=one;count=two;count=three"],
    ["{?count}", "?count=one,two,three"],
    ["{?count*}", "?count=one&count=two&count=three"],
    ["{&count*}", "&count=one&count=two&count=three"]
  ],
  "3.2.2": [
    ["{var}", "value"],
    ["{hello}", "Hello%20World%21"],
    ["{half}", "50%25"],
    ["O{empty}X", "OX"],
    ["O{undef}X", "OX"],
    ["{x,y}", "1024,768"],
    ["{x,hello,y}", "1024,Hello%20World%21,768"],
    ["?{x,empty}", "?1024,"],
    ["?{x,undef}", "?1024"],
    ["?{undef,y}", "?768"],
    ["{var:3}", "val"],
    ["{var:30}", "value"],
    ["{list}", "red,green,blue"],
    ["{list*}", "red,green,blue"],
    ["{keys}", "semi,%3B,dot,.,comma,%2C"],
    ["{keys*}", "semi=%3B,dot=.,comma=%2C"]
  ],
  "3.2.3": [
    ["{+var}", "value"],
    ["{+hello}", "Hello%20World!"],
    ["{+half}", "50%25"],
    ["{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"],
    ["{+base}index", "http://example.com/home/index"],
    ["O{+empty}X", "OX"],
    ["O{+undef}X", "OX"],
    ["{+path}/here", "/foo/bar/here"],
    ["{+path:6}/here", "/foo/b/here"],
    ["here?ref={+path}", "here?ref=/foo/bar"],
    ["up{+path}{var}/here", "up/foo/barvalue/here"],
    ["{+x,hello,y}", "1024,Hello%20World!,768"],
    ["{+path,x}/here", "/foo/bar,1024/here"],
    ["{+list}", "red,green,blue"],
    ["{+list*}", "red,green,blue"],
    ["{+keys}", "semi,;,dot,.,comma,,"],
    ["{+keys*}", "semi=;,dot=.,comma=,"]
  ],
  "3.2.4": [
    ["{#var}", "#value"],
    ["{#hello}", "#Hello%20World!"],
    ["{#half}", "#50%25"],
    ["foo{#empty}", "foo#"],
    ["foo{#undef}", "foo"],
    ["{#x,hello,y}", "#1024,Hello%20World!,768"],
    ["{#path,x}/here", "#/foo/bar,1024/here"],
    ["{#path:6}/here", "#/foo/b/here"],
    ["{#list}", "#red,green,blue"],
    ["{#list*}", "#red,green,blue"],
    ["{#keys}", "#semi,;,dot,.,comma,,"],
    ["{#keys*}", "#semi=;,dot=.,comma=,"]
  ],
  "3.2.5": [
    ["{.who}", ".fred"],
    ["{.who,who}", ".fred.fred"],
    ["{.half,who}", ".50%25.fred"],
    ["www{.dom*}", "www.example.com"],
    ["X{.var}", "X.value"],
    ["X{.empty}", "X."],
    ["X{.undef}", "X"],
    ["X{.var:3}", "X.val"],
    ["X{.list}", "X.red,green,blue"],
    ["X{.list*}", "X.red.green.blue"],
    ["X{.keys}", "X.semi,%3B,dot,.,comma,%2C"],
    ["X{.keys*}", "X.semi=%3B.dot=..comma=%2C"],
    ["X{.empty_keys}", "X"],
    ["X{.empty_keys*}", "X"]
  ],
  "3.2.6": [
    ["{/who}", "/fred"],
    ["{/who,who}", "/fred/fred"],
    ["{/half,who}", "/50%25/fred"],
    ["{/who,dub}", "/fred/me%2Ftoo"],
    ["{/var}", "/value"],
    ["{/var,empty}", "/value/"],
    ["{/var,undef}", "/value"],
    ["{/var,x}/here", "/value/1024/here"],
    ["{/var:1,var}", "/v/value"],
    ["{/list}", "/red,green,blue"],
    ["{/list*}", "/red/green/blue"],
    ["{/list*,path:4}", "/red/green/blue/%2Ffoo"],
    ["{/keys}", "/semi,%3B,dot,.,comma,%2C"],
    ["{/keys*}", "/semi=%3B/dot=./comma=%2C"]
  ],
  "3.2.7": [
    ["{;who}", ";who=fred"],
    ["{;half}", ";half=50%25"],
    ["{;empty}", ";empty"],
    ["{;v,empty,who}", ";v=6;empty;who=fred"],
    ["{;v,bar,who}", ";v=6;who=fred"],
    ["{;x,y}", ";x=1024;y=768"],
    ["{;x,y,empty}", ";x=1024;y=768;empty"],
    ["{;x,y,undef}", ";x=1024;y=768"],
    ["{;hello:5}", ";hello=Hello"],
    ["{;list}", ";list=red,green,blue"],
    ["{;list*}", ";list=red;list=green;list=blue"],
    ["{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"],
    ["{;keys*}", ";semi=%3B;dot=.;comma=%2C"]
  ],
  "3.2.8": [
    ["{?who}", "?who=fred"],
    ["{?half}", "?half=50%25"],
    ["{?x,y}", "?x=1024&y=768"],
    ["{?x,y,empty}", "?x=1024&y=768&empty="],
    ["{?x,y,undef}", "?x=1024&y=768"],
    ["{?var:3}", "?var=val"],
    ["{?list}", "?list=red,green,blue"],
    ["{?list*}", "?list=red&list=green&list=blue"],
    ["{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"],
    ["{?keys*}", "?semi=%3B&dot=.&comma=%2C"]
  ],
  "3.2.9": [
    ["{&who}", "&who=fred"],
    ["{&half}", "&half=50%25"],
    ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
    ["{&x,y,empty}", "&x=1024&y=768&empty="],
    ["{&x,y,undef}", "&x=1024&y=768"],
    ["{&var:3}", "&var=val"],
    ["{&list}", "&list=red,green,blue"],
    ["{&list*}", "&list=red&list=green&list=blue"],
    ["{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"],
    ["{&keys*}", "&semi=%3B&dot=.&comma=%2C"]
  ]
}

describe("expansion", () => {
  for (const [section, table] of Object.entries(examples)) {
    it.each(table)(`MUST give what RFC 6570, ${section} gives: %s`, (template, uri) => {
      assert.strictEqual(expand(template, values), uri)
    })
  }

  it("triplets MUST stay in literals and after + and #, and be encoded elsewhere", () => {
    const a = "100%25 %zz %"
    assert.strictEqual(expand("{+a}", { a }), "100%25%20%25zz%20%25")
    assert.strictEqual(expand("{#a}", { a }), "#100%25%20%25zz%20%25")
    assert.strictEqual(expand("{a}", { a }), "100%2525%20%25zz%20%25")
    assert.strictEqual(expand("a%2fé/{x}", { x: "é" }), "a%2f%C3%A9/%C3%A9")
  })

  it("a prefix MUST count characters, not code units, bytes or parts of a triplet", () => {
    assert.strictEqual(expand("{a:2}", { a: "😀é!" }), "%F0%9F%98%80%C3%A9")
    assert.strictEqual(expand("{+a:2}", { a: "%2Fab" }), "%2Fa")
  })

  it("a prefix of a list or a map MUST be refused", () => {
    assert.throws(() => expand("{list:1}", values), TypeError, "{list:1} is the beginning of a text")
    assert.throws(() => expand("{?keys:1}", values), TypeError, "{keys:1}")
  })

  it("names that every object has MUST be variables like others", () => {
    assert.strictEqual(expand("{constructor}{?toString}", {}), "")
    assert.strictEqual(expand("{?__proto__}", Object.fromEntries([["__proto__", "a"]])), "?__proto__=a")
  })

  it("half a surrogate pair MUST NOT throw", () => {
    assert.strictEqual(expand("{a}{+a}", { a: "\uD800" }), "%EF%BF%BD%EF%BF%BD")
  })
})

describe("a template", () => {
  it("MUST name its variables, in order, once", () => {
    const template = UriTemplate.make("a://{b}{/c*}/{b:3}{?d.e,f*}{&g}{#h}{+i}")
    assert.deepStrictEqual(template.variables, ["b", "c", "d.e", "f", "g", "h", "i"])
    assert.deepStrictEqual([...template.lists], ["c", "f"])
    assert.deepStrictEqual([...template.required], ["b", "i"])
  })

  it.each([
    ["{id", "\"{id\" has no \"}\""],
    ["id}", "a \"}\" has no \"{\""],
    ["{}", "{}: \"\" is no name of a variable"],
    ["{a,}", "\"\" is no name"],
    ["{/?id}", "\"?id\" is no name"],
    ["{??id}", "\"?id\" is no name"],
    ["{!id}", "the operator \"!\" is reserved"],
    ["{|id*}", "the operator \"|\" is reserved"],
    ["{$id}", "\"$id\" is no name"],
    ["{user-id}", "\"user-id\" is no name"],
    ["{?a, b}", "\" b\" is no name"],
    ["{a..b}", "\"a..b\" is no name"],
    ["{a.}", "\"a.\" is no name"],
    ["{a=b}", "\"a=b\" is no name"],
    ["{{a}}", "\"{a\" is no name"],
    ["{id:prefix}", "one modifier"],
    ["{id:2*}", "one modifier"],
    ["{id*:2}", "is no name"],
    ["{id:0}", "one modifier"],
    ["{id:10000}", "one modifier"],
    ["{id:1:2}", "one modifier"],
    ["a b", "\" \" must be percent-encoded"],
    ["a<b", "\"<\" must be percent-encoded"],
    ["a\\b", "\"\\\\\" must be percent-encoded"],
    ["a\nb", "\"\\n\" must be percent-encoded"],
    ["a%2", "a \"%\" without two hexadecimal digits"],
    ["a\uD800", "half a surrogate pair"]
  ])("that is malformed MUST be refused, with the reason: %s", (text, reason) => {
    const problem = Result.flip(UriTemplate.parse(text))
    assert.include(Result.getOrThrow(problem), reason)
    assert.include(Result.getOrThrow(problem), "is malformed: ")
    assert.throws(() => UriTemplate.make(text), TypeError, reason)
  })

  it("that is malformed MUST NOT be cut within a character where it is quoted", () => {
    for (const before of ["", "x"]) {
      const problem = Result.getOrThrow(Result.flip(UriTemplate.parse(`${before}${"\u{1F600}".repeat(200)}{`)))
      assert.notMatch(problem.slice(0, problem.indexOf("is malformed")), /\\ud83d/u)
    }
  })

  it("MUST be bounded, in its length and its variables", () => {
    const { MAX_LENGTH, MAX_VARIABLES } = UriTemplate
    assert.isTrue(Result.isSuccess(UriTemplate.parse("a".repeat(MAX_LENGTH))))
    assert.throws(() => UriTemplate.make("a".repeat(MAX_LENGTH + 1)), `${MAX_LENGTH} at most are read`)
    assert.isTrue(Result.isSuccess(UriTemplate.parse("{a}".repeat(MAX_VARIABLES))))
    assert.throws(() => UriTemplate.make("{a}".repeat(MAX_VARIABLES + 1)), `${MAX_VARIABLES} at most are read`)
    assert.throws(() => UriTemplate.make(`{${"a,".repeat(MAX_VARIABLES)}a}`), `${MAX_VARIABLES} at most are read`)
  })
})
