import { assert, describe, it } from "@effect/vitest"
import * as RoutingHeaders from "@mcp-effect/http/RoutingHeaders"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Headers from "effect/http/Headers"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

// What UTF-8 can write: all but half characters.
const Text = Schema.String.check(Schema.makeFilter((text) => !/\p{Surrogate}/u.test(text)))

const version = "2026-07-28"

const request = (method: string, params: JsonRpc.Params = {}): JsonRpc.Request => ({
  _tag: "Request",
  id: 1,
  method,
  params: Meta.assign(params, { [Meta.PROTOCOL_VERSION]: version })
})

const standard = (method: string, name?: string): Record<string, string> => ({
  "MCP-Protocol-Version": version,
  "Mcp-Method": method,
  ...(name === undefined ? {} : { "Mcp-Name": name })
})

const check = (
  headers: Record<string, string>,
  message: JsonRpc.Request,
  parameters?: ReadonlyArray<RoutingHeaders.Parameter>,
  sources?: ReadonlyMap<string, string>
): string | undefined => RoutingHeaders.check(Headers.fromInput(headers), message, parameters, sources)

const without = (headers: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))

const list = request("tools/list")

describe("the version and the method", () => {
  const headers = standard("tools/list")

  it("MUST be those of the body", () => {
    assert.strictEqual(check(headers, list), undefined)
    assert.strictEqual(check({ "mcp-METHOD": " tools/list\t", "mcp-protocol-version": ` ${version}` }, list), undefined)
  })

  it.each(["MCP-Protocol-Version", "Mcp-Method"])("MUST be there: %s", (name) => {
    assert.match(check(without(headers, name), list) ?? "", new RegExp(`^Header mismatch: ${name} is missing`))
  })

  it.each([
    ["Mcp-Method", "Tools/List", "'Tools/List' does not match body value 'tools/list'"],
    ["Mcp-Method", "tools/list, tools/list", "does not match"],
    ["Mcp-Method", "=?base64?dG9vbHMvbGlzdA==?=", "does not match"],
    ["Mcp-Method", "", "does not match"],
    ["Mcp-Method", "tools/lïst", "holds other characters"],
    ["MCP-Protocol-Version", "2025-11-25", `'2025-11-25' does not match body value '${version}'`]
  ])("MUST NOT differ: %s: %s", (name, value, problem) => {
    assert.include(check({ ...headers, [name]: value }, list) ?? "", problem)
  })

  it("a version that the body lacks MUST be left to who reads bodies", () => {
    const message: JsonRpc.Request = { _tag: "Request", id: 1, method: "tools/list", params: undefined }
    assert.strictEqual(check(headers, message), undefined)
    assert.include(check(without(headers, "MCP-Protocol-Version"), message), "is missing")
  })
})

describe("the name", () => {
  const sources = [
    ["tools/call", "name"],
    ["prompts/get", "name"],
    ["resources/read", "uri"],
    ["tasks/get", "taskId"],
    ["tasks/update", "taskId"],
    ["tasks/cancel", "taskId"]
  ] as const

  it.each(sources)("of %s MUST be its %s", (method, member) => {
    const message = request(method, { [member]: "a" })
    assert.strictEqual(check(standard(method, "a"), message), undefined)
    assert.strictEqual(check(standard(method, "\t a "), message), undefined)
    assert.strictEqual(check(standard(method, "=?base64?YQ==?="), message), undefined)
    assert.strictEqual(check(standard(method), message), "Header mismatch: Mcp-Name is missing: it must be a")
    assert.strictEqual(
      check(standard(method, "A"), message),
      "Header mismatch: Mcp-Name header value 'A' does not match body value 'a'"
    )
    assert.include(check(standard(method, "=?base64?YQ?="), message), "Mcp-Name says that it is Base64, but is not")
    assert.include(check(standard(method, "ä"), message), "holds other characters")
  })

  it("that a body lacks MUST NOT be in a header", () => {
    assert.strictEqual(check(standard("tools/call"), request("tools/call")), undefined)
    assert.strictEqual(check(standard("tools/call"), request("tools/call", { name: 1 })), undefined)
    assert.include(check(standard("tools/call", "a"), request("tools/call")), "'a' must be absent")
    assert.include(check(standard("tools/call", "1"), request("tools/call", { name: 1 })), "must be absent")
  })

  it("MUST be left alone where the method has none", () => {
    assert.strictEqual(check(standard("tools/list", "whatever"), list), undefined)
    assert.strictEqual(check(standard("constructor"), request("constructor", { name: "a" })), undefined)
  })

  it("of methods of one's own MUST be told", () => {
    const sources = new Map([...RoutingHeaders.nameSources, ["x/y", "key"]])
    const message = request("x/y", { key: "a" })
    assert.strictEqual(check(standard("x/y"), message), undefined)
    assert.include(check(standard("x/y"), message, [], sources), "Mcp-Name is missing")
    assert.deepStrictEqual(
      RoutingHeaders.write(message, [], sources)["mcp-name"],
      "a"
    )
  })

  it("a long one MUST be cut in what is said of it", () => {
    const long = "x".repeat(10_000)
    const message = request("tools/call", { name: long })
    assert.isBelow(check(standard("tools/call"), message)?.length ?? Infinity, 400)
    assert.isBelow(check(standard("tools/call", `${long}y`), message)?.length ?? Infinity, 600)
  })
})

const tool = Tool.make("t", {
  input: {
    region: Schema.String.annotate({ "x-mcp-header": "Region" }),
    count: Schema.optionalKey(Schema.Int.annotate({ "x-mcp-header": "Count" })),
    deep: Schema.optionalKey(Schema.Struct({ flag: Schema.Boolean.annotate({ "x-mcp-header": "Flag" }) })),
    constructor: Schema.optionalKey(Schema.String.annotate({ "x-mcp-header": "Ctor" })),
    other: Schema.optionalKey(Schema.String)
  }
})

const parameters = Result.getOrThrow(RoutingHeaders.parameters(tool.inputSchema))

const call = (args: JsonRpc.Params, name: string = tool.name) => request("tools/call", { name, arguments: args })

describe("the parameters", () => {
  it("MUST be those that the schema names, and be looked for once", () => {
    const all = RoutingHeaders.parameters(tool.inputSchema)
    assert.deepStrictEqual(Result.getOrThrow(all).find(({ path }) => path.length === 2), {
      header: "mcp-param-flag",
      path: ["deep", "flag"]
    })
    assert.strictEqual(RoutingHeaders.parameters(tool.inputSchema), all)
    const schema = { type: "object", properties: { a: { type: "number", "x-mcp-header": "A" } } }
    const refused = RoutingHeaders.parameters(schema)
    assert.isTrue(Result.isFailure(refused))
    assert.strictEqual(RoutingHeaders.parameters(schema), refused)
  })

  const checkCall = (args: JsonRpc.Params, headers: Record<string, string>) =>
    check({ ...standard("tools/call", "t"), ...headers }, call(args), parameters)

  it.each<[JsonRpc.Params, Record<string, string>]>([
    [{ region: "eu" }, { "Mcp-Param-Region": "eu" }],
    [{ region: "eu" }, { "mcp-param-REGION": "  eu " }],
    [{ region: "世" }, { "Mcp-Param-Region": "=?base64?5LiW?=" }],
    [{ region: "" }, { "Mcp-Param-Region": "" }],
    [{ region: "a" }, { "Mcp-Param-Region": "=?base64?YQ==?=", "Mcp-Param-Unknown": "é" }],
    [{ count: 42 }, { "Mcp-Param-Count": "42" }],
    [{ count: 42 }, { "Mcp-Param-Count": "42.0" }],
    [{ count: -7 }, { "Mcp-Param-Count": "-7" }],
    [{ count: -0 }, { "Mcp-Param-Count": "-0" }],
    [{ count: Number.MAX_SAFE_INTEGER }, { "Mcp-Param-Count": "9007199254740991" }],
    [{ deep: { flag: false } }, { "Mcp-Param-Flag": "false" }],
    [{ deep: null, count: null, region: null }, {}],
    [{ other: "a" }, {}],
    [{ deep: {} }, {}],
    [{ region: ["eu"], deep: "flag", count: 2 ** 53 }, {}],
    [{ region: 3 }, { "Mcp-Param-Region": "3" }],
    [{ count: 1.5 }, { "Mcp-Param-Count": "1.5" }]
  ])("MUST be accepted: %j with %j", (args, headers) => assert.strictEqual(checkCall(args, headers), undefined))

  it.each<[JsonRpc.Params, Record<string, string>, string]>([
    [{ region: "eu" }, {}, "mcp-param-region is missing: it must be eu"],
    [{ region: "世" }, {}, "it must be =?base64?5LiW?="],
    [{ region: "eu" }, { "Mcp-Param-Region": "EU" }, "'EU' does not match body value 'eu'"],
    [{ region: "eu" }, { "Mcp-Param-Region": "eu, eu" }, "does not match"],
    [{ region: "eu" }, { "Mcp-Param-Region": "=?base64?ZXU?=" }, "says that it is Base64"],
    [{ region: "é" }, { "Mcp-Param-Region": "é" }, "holds other characters"],
    [{ region: "42" }, { "Mcp-Param-Region": "42.0" }, "does not match"],
    [{ region: "true" }, { "Mcp-Param-Region": "True" }, "does not match"],
    [{ count: 42 }, { "Mcp-Param-Count": "42.5" }, "'42.5' does not match body value '42'"],
    [{ count: 42 }, { "Mcp-Param-Count": "0x2a" }, "does not match"],
    [{ count: 0 }, { "Mcp-Param-Count": "" }, "does not match"],
    [{ count: Number.MAX_SAFE_INTEGER }, { "Mcp-Param-Count": "9007199254740991.4" }, "does not match"],
    [{ count: 2 ** 53 }, { "Mcp-Param-Count": "9007199254740992" }, "no such value"],
    [{ deep: { flag: true } }, { "Mcp-Param-Flag": "TRUE" }, "does not match"],
    [{ deep: { flag: true } }, { "Mcp-Param-Flag": "1" }, "does not match"],
    [{}, { "Mcp-Param-Region": "eu" }, "'eu' must be absent"],
    [{ region: null }, { "Mcp-Param-Region": "null" }, "no such value"],
    [{ region: ["eu"] }, { "Mcp-Param-Region": "eu" }, "no such value"]
  ])("MUST be refused: %j with %j", (args, headers, problem) => assert.include(checkCall(args, headers), problem))

  it("MUST be checked of calls alone", () => {
    const args = { name: "t", arguments: { region: "eu" } }
    assert.strictEqual(check(standard("prompts/get", "t"), request("prompts/get", args), parameters), undefined)
    assert.include(check(standard("tools/call", "t"), request("tools/call", args), parameters), "is missing")
    assert.strictEqual(check(standard("tools/call", "t"), request("tools/call", args)), undefined)
    assert.strictEqual(check(standard("tools/call", "t"), request("tools/call", { name: "t" }), parameters), undefined)
  })
})

describe("the headers that a client writes", () => {
  const write = (message: JsonRpc.Request) => RoutingHeaders.write(message, parameters)

  it("MUST be those of the body, and no more", () => {
    assert.deepStrictEqual(write(call({ region: "世", count: -7, deep: { flag: true }, other: "a" })), {
      "mcp-protocol-version": version,
      "mcp-method": "tools/call",
      "mcp-name": "t",
      "mcp-param-region": "=?base64?5LiW?=",
      "mcp-param-count": "-7",
      "mcp-param-flag": "true"
    })
    assert.deepStrictEqual(write(call({ region: null, count: 2 ** 53, deep: [] })), {
      "mcp-protocol-version": version,
      "mcp-method": "tools/call",
      "mcp-name": "t"
    })
    assert.deepStrictEqual(write(list), { "mcp-protocol-version": version, "mcp-method": "tools/list" })
    assert.strictEqual(
      write(request("resources/read", { uri: "file:///ä" }))["mcp-name"],
      "=?base64?ZmlsZTovLy/DpA==?="
    )
    assert.deepStrictEqual(write({ _tag: "Request", id: 1, method: "ping", params: undefined }), {
      "mcp-method": "ping"
    })
  })

  it("MUST NOT carry what no header can", () => {
    assert.notProperty(write(request("a\r\nb: c")), "mcp-method")
    const message: JsonRpc.Request = {
      _tag: "Request",
      id: 1,
      method: "a",
      params: { _meta: { [Meta.PROTOCOL_VERSION]: "a\nb" } }
    }
    assert.notProperty(write(message), "mcp-protocol-version")
  })

  const Value = Schema.Union([
    Text,
    Schema.Int,
    Schema.Boolean,
    Schema.Finite,
    Schema.Null,
    Schema.Array(Schema.String)
  ])
  const Arguments = Schema.Struct({
    region: Schema.optionalKey(Value),
    count: Schema.optionalKey(Value),
    deep: Schema.optionalKey(Schema.Union([Value, Schema.Struct({ flag: Schema.optionalKey(Value) })])),
    constructor: Schema.optionalKey(Value)
  })

  it.prop("MUST be what a server checks, whatever the name and the arguments", [Text, Arguments], ([name, args]) => {
    const message = call(args, name)
    assert.strictEqual(
      RoutingHeaders.check(write(message), message, parameters),
      undefined
    )
  })
})
