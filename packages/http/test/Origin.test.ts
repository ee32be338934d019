import { assert, describe, it } from "@effect/vitest"
import * as Origin from "@mcp-effect/http/Origin"
import * as Schema from "effect/Schema"

const guard = Origin.make()

const host = (text: string, options: Origin.Options = {}) => Origin.make(options)({ host: text })

const refused = "is not among the allowed hosts"

const malformed = "must be one name or address"

describe("the host, by default", () => {
  it.each([
    "localhost",
    "localhost:3000",
    "localhost:",
    "LocalHost:80",
    "localhost.",
    "localhost.:3000",
    " localhost ",
    "127.0.0.1",
    "127.0.0.1:65535",
    "[::1]",
    "[::1]:3000",
    "[0:0:0:0:0:0:0:1]"
  ])("MUST be a loopback name: %s", (text) => assert.strictEqual(host(text), undefined))

  it.each([
    "evil.com",
    "evil.com:80",
    "localhost.evil.com",
    "evil.com.localhost",
    "evillocalhost",
    "127.0.0.1.evil.com",
    "127.0.0.2",
    "0.0.0.0",
    "192.168.0.1",
    "[::]",
    "[::2]:3000",
    "[fe80::1]"
  ])("MUST NOT be another: %s", (text) => assert.include(host(text), refused))

  it.each([
    "",
    ":3000",
    "localhost:99999",
    "localhost:a",
    "localhost:80:80",
    "localhost..",
    ".localhost",
    "evil.com@localhost",
    "localhost@evil.com",
    "localhost:80@evil.com",
    "user:pass@localhost",
    "localhost, evil.com",
    "localhost,localhost",
    "localhost evil.com",
    "localhost/evil",
    "localhost#evil.com",
    "localhost?evil.com",
    "localhost\\evil.com",
    "http://localhost",
    "%6cocalhost",
    "ｌocalhost",
    "::1",
    "[::1",
    "[::1]evil.com",
    "[localhost]",
    "[::1%25lo]"
  ])("MUST be one name or address: %j", (text) => assert.include(host(text), malformed))

  it("MUST be there", () => {
    assert.strictEqual(guard({}), "Host is missing")
    assert.strictEqual(guard({ "x-forwarded-host": "localhost" }), "Host is missing")
  })

  it("MUST NOT be what a proxy says", () => {
    const forwarded = { "x-forwarded-host": "localhost", forwarded: "host=localhost", "x-host": "localhost" }
    assert.include(guard({ host: "evil.com", ...forwarded }), refused)
    assert.strictEqual(guard({ host: "localhost", "x-forwarded-host": "evil.com" }), undefined)
  })

  it("MUST be that of the authority, where there is one", () => {
    assert.strictEqual(guard({ ":authority": "localhost:3000" }), undefined)
    assert.include(guard({ ":authority": "evil.com" }), refused)
    assert.include(guard({ ":authority": "evil.com", host: "localhost" }), "is not the authority \"evil.com\"")
    assert.strictEqual(guard({}, "localhost:3000"), undefined)
    assert.include(guard({}, "evil.com"), refused)
    assert.include(guard({ host: "evil.com" }, "localhost"), refused)
  })

  it("MUST be judged anew for every request", () => {
    for (const _ of [1, 2]) {
      assert.strictEqual(guard({ host: "localhost" }), undefined)
      assert.include(guard({ host: "evil.com" }), refused)
      assert.include(guard({ host: "localhost", origin: "http://evil.com" }), "Origin")
      assert.strictEqual(guard({}), "Host is missing")
    }
  })

  it.prop("MUST NOT throw, and allow no name but the three, whatever it is", [Schema.String], ([text]) => {
    const problem = guard({ host: text, origin: text })
    if (!/^\s*(localhost\.?|127|0|2130706433|\[)/i.test(text)) assert.isString(problem)
  })
})

describe("the hosts that are configured", () => {
  const allowedHosts = ["Example.com", "api.example.org:8443", "*.Sub.example.net", "bücher.example", "::1", "a.b:443"]
  const check = (text: string) => host(text, { allowedHosts })

  it.each([
    "example.com",
    "EXAMPLE.com:1234",
    "example.com.",
    "api.example.org:8443",
    "a.sub.example.net",
    "a.b.sub.example.net:80",
    "xn--bcher-kva.example",
    "XN--BCHER-KVA.example",
    "[::1]:9",
    "a.b",
    "a.b:443"
  ])("MUST be allowed: %s", (text) => assert.strictEqual(check(text), undefined))

  it.each([
    "localhost",
    "api.example.org",
    "api.example.org:443",
    "sub.example.net",
    "evilsub.example.net",
    "a.sub.example.net.evil.com",
    "www.example.com",
    "a.b:80"
  ])("MUST be all: %s", (text) => assert.include(check(text), refused))

  it("MUST be in ASCII in a header", () => assert.include(check("bücher.example"), malformed))

  it("none MUST allow none, any MUST allow any that is one", () => {
    assert.include(host("localhost", { allowedHosts: [] }), refused)
    assert.strictEqual(host("evil.com:1", { allowedHosts: "any" }), undefined)
    assert.strictEqual(Origin.make({ allowedHosts: "any" })({}), undefined)
    assert.include(host("a, b", { allowedHosts: "any" }), malformed)
  })

  it.each([
    "",
    "*",
    "https://example.com",
    "example.com/",
    "a b",
    "*.",
    "*.*.a",
    "a@b",
    "*.1.2",
    "*.[::1]",
    "a:b"
  ])(
    "that can be none MUST be a programming error: %j",
    (text) => {
      assert.throws(() => Origin.make({ allowedHosts: [text] }), TypeError, `allowedHosts: ${JSON.stringify(text)}`)
    }
  )
})

const origin = (text: string, options: Origin.Options = {}, host = "localhost:3000") =>
  Origin.make(options)({ host, origin: text })

const foreign = "is not among the allowed origins"

describe("the origin, by default", () => {
  it.each([
    "http://localhost",
    "http://localhost:5173",
    "https://LOCALHOST",
    "http://127.0.0.1:1",
    "http://[::1]:3000"
  ])(
    "MUST be on an allowed host: %s",
    (text) => assert.strictEqual(origin(text), undefined)
  )

  it.each([
    "",
    "null",
    "localhost",
    "//localhost",
    "http://",
    "http://evil.com",
    "http://localhost.evil.com",
    "http://localhost@evil.com",
    "http://evil.com@localhost",
    "http://localhost/",
    "http://localhost, http://evil.com",
    "http://localhost http://evil.com",
    "http://evil.com#localhost",
    "tauri://localhost",
    "file://localhost",
    "javascript://localhost",
    "http:localhost",
    "http://ｌocalhost"
  ])("MUST NOT be another: %j", (text) => assert.include(origin(text), foreign))

  it("MUST NOT be missed where there is none", () => assert.strictEqual(guard({ host: "localhost" }), undefined))

  it("MUST be on a configured host and its port, if it has one", () => {
    const options = { allowedHosts: ["example.com", "a.example:8443", "b.example:443"] }
    assert.strictEqual(origin("https://example.com", options, "example.com"), undefined)
    assert.strictEqual(origin("https://a.example:8443", options, "example.com"), undefined)
    assert.strictEqual(origin("https://b.example", options, "example.com"), undefined)
    assert.include(origin("http://b.example", options, "example.com"), foreign)
    assert.include(origin("https://a.example", options, "example.com"), foreign)
    assert.include(origin("http://localhost", options, "example.com"), foreign)
  })

  it("MUST be the request's own where all hosts are allowed", () => {
    const options = { allowedHosts: "any" } as const
    assert.strictEqual(origin("https://example.com", options, "example.com"), undefined)
    assert.strictEqual(origin("https://example.com", options, "example.com:443"), undefined)
    assert.strictEqual(origin("http://example.com:8080", options, "example.com:8080"), undefined)
    assert.include(origin("https://evil.com", options, "example.com"), foreign)
    assert.include(origin("http://example.com:1", options, "example.com"), foreign)
    assert.include(Origin.make(options)({ origin: "https://example.com" }), foreign)
  })
})

describe("the origins that are configured", () => {
  const allowedOrigins = [
    "https://Example.com:443",
    "http://localhost:5173",
    "tauri://localhost",
    "https://bücher.example"
  ]
  const check = (text: string) => origin(text, { allowedOrigins })

  it.each([
    "https://example.com",
    "HTTPS://EXAMPLE.COM",
    "https://example.com:443",
    "http://localhost:5173",
    "tauri://localhost",
    "https://xn--bcher-kva.example"
  ])("MUST be allowed: %s", (text) => assert.strictEqual(check(text), undefined))

  it.each(["http://example.com", "https://example.com:8443", "http://localhost", "http://localhost:3000", "null"])(
    "MUST be all: %s",
    (text) => assert.include(check(text), foreign)
  )

  it("MUST NOT make the host any other", () => {
    const problem = origin("https://example.com", { allowedOrigins }, "example.com")
    assert.include(problem, refused)
  })

  it("null MUST be allowed only by name, any MUST allow any", () => {
    assert.strictEqual(origin("null", { allowedOrigins: ["null"] }), undefined)
    assert.strictEqual(origin("null", { allowedOrigins: "any" }), undefined)
    assert.strictEqual(origin("https://evil.com", { allowedOrigins: "any" }), undefined)
    assert.include(origin("http://localhost", { allowedOrigins: [] }), foreign)
  })

  it.each([
    "",
    "*",
    "example.com",
    "https://example.com/",
    "https://a@b",
    "https://*.example.com",
    "https:example.com"
  ])(
    "that can be none MUST be a programming error: %j",
    (text) => assert.throws(() => Origin.make({ allowedOrigins: [text] }), TypeError, JSON.stringify(text))
  )
})
