import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Id = Schema.Union([Schema.String, Schema.Int])
const Params = Schema.Record(Schema.String, Schema.Json)
const Message = Schema.Union([
  Schema.Struct({ _tag: Schema.tag("Request"), id: Id, method: Schema.String, params: Schema.UndefinedOr(Params) }),
  Schema.Struct({ _tag: Schema.tag("Notification"), method: Schema.String, params: Schema.UndefinedOr(Params) }),
  Schema.Struct({ _tag: Schema.tag("Success"), id: Id, result: Params, text: Schema.Undefined }),
  Schema.Struct({
    _tag: Schema.tag("Failure"),
    id: Schema.UndefinedOr(Id),
    error: Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.optionalKey(Schema.Json) })
  })
])

// JSON has one zero.
const plain = <A>(value: A): A =>
  typeof value === "number"
    ? value + 0 as A
    : Array.isArray(value)
    ? value.map(plain) as A
    : typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)])) as A
    : value

const decode = (json: unknown, options?: { readonly batches?: boolean }) =>
  JsonRpc.decode(JSON.stringify(json), options)

const invalid = (
  code: number,
  kind: JsonRpc.Invalid["kind"],
  id: JsonRpc.Id | undefined
): Omit<JsonRpc.Invalid, "reason"> => ({ _tag: "Invalid", code, id, kind })

const withoutReason = (message: ReturnType<typeof decode>) => {
  assert.strictEqual(message._tag, "Invalid")
  const { reason, ...rest } = message as JsonRpc.Invalid
  assert.isNotEmpty(reason)
  return rest
}

const base = { jsonrpc: "2.0" }
const call = { ...base, id: 1, method: "m" }

describe("malformed texts", () => {
  it.each(["", " ", "{", "{}}", "nul", "{'a':1}", "[1,", "\uFEFF{}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\""])(
    "what is not JSON MUST be a parse error without an id: %s",
    (text) => {
      assert.deepStrictEqual(withoutReason(JsonRpc.decode(text)), invalid(-32700, "unknown", undefined))
    }
  )

  it.each([null, 1, "a", true, {}, base])("JSON that is no message MUST be an invalid request: %j", (json) => {
    assert.deepStrictEqual(withoutReason(decode(json)), invalid(-32600, "unknown", undefined))
  })

  it("an object that is neither request nor response MUST be answered under its id", () => {
    assert.deepStrictEqual(withoutReason(decode({ ...base, id: 7 })), invalid(-32600, "unknown", 7))
  })

  it.each([
    { ...call, jsonrpc: undefined },
    { ...call, jsonrpc: "1.0" },
    { ...call, jsonrpc: 2 },
    { ...call, method: 1 },
    { ...call, method: null },
    { ...call, params: "a" },
    { ...call, params: 1 },
    { ...call, params: true }
  ])("a malformed request MUST be an invalid request under its id: %j", (json) => {
    assert.deepStrictEqual(withoutReason(decode(json)), invalid(-32600, "request", 1))
  })

  it("positional params MUST be invalid params", () => {
    assert.deepStrictEqual(withoutReason(decode({ ...call, params: [1] })), invalid(-32602, "request", 1))
    assert.deepStrictEqual(withoutReason(decode({ ...call, params: [] })), invalid(-32602, "request", 1))
  })

  it.each([null, 1.5, -0.5, 2 ** 53, true, {}, [1]])(
    "an id that is neither string nor integer MUST be refused: %j",
    (id) => {
      assert.isFalse(JsonRpc.isId(id))
      assert.deepStrictEqual(withoutReason(decode({ ...call, id })), invalid(-32600, "request", undefined))
      assert.deepStrictEqual(
        withoutReason(decode({ ...base, id, result: {} })),
        invalid(-32600, "response", undefined)
      )
    }
  )

  it.each([
    { ...base, id: 1, result: null },
    { ...base, id: 1, result: 5 },
    { ...base, id: 1, result: "a" },
    { ...base, id: 1, result: [] },
    { ...base, id: 1, error: null },
    { ...base, id: 1, error: "a" },
    { ...base, id: 1, error: {} },
    { ...base, id: 1, error: { code: "a", message: "a" } },
    { ...base, id: 1, error: { code: 1 } },
    { id: 1, result: {} },
    { jsonrpc: "1.0", id: 1, error: { code: 1, message: "a" } }
  ])("a malformed response MUST name the request that it fails: %j", (json) => {
    assert.deepStrictEqual(withoutReason(decode(json)), invalid(-32600, "response", 1))
  })

  it.each([
    ["jsonrpc", { ...call, jsonrpc: 2, method: 1, id: null }],
    ["method", { ...call, method: 1, id: null, params: 1 }],
    ["id", { ...call, id: null, params: 1 }],
    ["params", { ...call, params: 1 }],
    ["params", { ...call, params: [] }],
    ["jsonrpc", { id: 1, result: 1 }],
    ["error", { ...base, error: 1, result: {} }],
    ["id", { ...base, result: 1 }],
    ["result", { ...base, id: 1, result: 1 }]
  ])("the reason MUST name the first member that is wrong: %s", (member, json) => {
    assert.include((decode(json) as JsonRpc.Invalid).reason, `"${member}"`)
  })

  it("a result without an id MUST be a malformed response", () => {
    assert.deepStrictEqual(withoutReason(decode({ ...base, result: {} })), invalid(-32600, "response", undefined))
  })

  it.prop("any text MUST be classified, never thrown", [Schema.String], ([text]) => {
    assert.include(["Invalid", "Batch", "Request", "Notification", "Success", "Failure"], JsonRpc.decode(text)._tag)
  })

  const Field = Schema.Union([Schema.Json, Schema.Literals(["2.0", "m"]), Schema.Struct({}), Schema.Undefined])
  const Near = Schema.Struct({ jsonrpc: Field, id: Field, method: Field, params: Field, result: Field, error: Field })
  it.prop("any JSON MUST be classified, with an id that is one", [Near], ([json]) => {
    const message = JsonRpc.fromJson(JSON.parse(JSON.stringify(json)))
    if ("id" in message && message.id !== undefined) assert.isTrue(JsonRpc.isId(message.id))
    if ("params" in message && message.params !== undefined) assert.isFalse(Array.isArray(message.params))
    assert.isTrue(message._tag !== "Invalid" || message.reason.length > 0)
  })
})

describe("well-formed texts", () => {
  it.each([0, -1, 1, Number.MAX_SAFE_INTEGER, "", "0", "a", "null"])("an id may be any string or integer: %j", (id) => {
    assert.deepStrictEqual(decode({ ...base, id, method: "m" }), JsonRpc.request(id, "m"))
    assert.deepStrictEqual(decode({ ...base, id, result: {} }), JsonRpc.success(id, {}))
    assert.deepStrictEqual(
      decode({ ...base, id, error: { code: 1, message: "a" } }),
      JsonRpc.failure(id, { code: 1, message: "a" })
    )
  })

  it("a message without an id MUST be a notification", () => {
    assert.deepStrictEqual(decode({ ...base, method: "m", params: { a: 1 } }), JsonRpc.notification("m", { a: 1 }))
  })

  it("null params MUST be read as none", () => {
    assert.deepStrictEqual(decode({ ...call, params: null }), JsonRpc.request(1, "m"))
  })

  it("null beside a result or an error MUST be read as absent", () => {
    assert.deepStrictEqual(decode({ ...base, id: 1, result: { a: 1 }, error: null }), JsonRpc.success(1, { a: 1 }))
    const error = { code: 1, message: "a" }
    assert.deepStrictEqual(decode({ ...base, id: 1, result: null, error }), JsonRpc.failure(1, error))
  })

  it("an error MUST win over a result beside it", () => {
    const error = { code: 1, message: "a" }
    assert.deepStrictEqual(decode({ ...base, id: 1, result: {}, error }), JsonRpc.failure(1, error))
  })

  it.each([undefined, null])("an error may have no id: %j", (id) => {
    const error = { code: -32700, message: "a", data: [1] }
    assert.deepStrictEqual(decode({ ...base, id, error }), JsonRpc.failure(undefined, error))
  })

  it("a __proto__ key MUST stay a plain member", () => {
    const text = `{"__proto__":{"method":"x"},"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{"a":1},"b":2}}`
    const message = JsonRpc.decode(text)
    assert.strictEqual(message._tag, "Request")
    const { method, params } = message as JsonRpc.Request
    assert.strictEqual(method, "m")
    assert.deepStrictEqual(Object.keys(params ?? {}), ["__proto__", "b"])
    assert.strictEqual(Reflect.get(params ?? {}, "a"), undefined)
    assert.strictEqual(Object.getPrototypeOf(params), Object.prototype)
    const hidden = JsonRpc.decode(`{"__proto__":{"jsonrpc":"2.0","id":1,"method":"m"}}`)
    assert.deepStrictEqual(withoutReason(hidden), invalid(-32600, "unknown", undefined))
  })
})

describe("batches", () => {
  it("an array MUST be refused where there are no batches", () => {
    assert.deepStrictEqual(withoutReason(decode([call])), invalid(-32600, "unknown", undefined))
    assert.deepStrictEqual(withoutReason(decode([call], { batches: false })), invalid(-32600, "unknown", undefined))
    assert.deepStrictEqual(withoutReason(decode([])), invalid(-32600, "unknown", undefined))
  })

  it("an empty batch MUST be refused", () => {
    assert.deepStrictEqual(withoutReason(decode([], { batches: true })), invalid(-32600, "unknown", undefined))
  })

  it("each element MUST be read by itself", () => {
    const batch = decode([call, 1, [call], { ...base, method: "n" }, { ...base, id: 2, result: {} }], { batches: true })
    assert.strictEqual(batch._tag, "Batch")
    const [request, number, nested, notification, response] = (batch as JsonRpc.Batch).messages
    assert.deepStrictEqual(request, JsonRpc.request(1, "m"))
    assert.deepStrictEqual(withoutReason(number as JsonRpc.Invalid), invalid(-32600, "unknown", undefined))
    assert.deepStrictEqual(withoutReason(nested as JsonRpc.Invalid), invalid(-32600, "unknown", undefined))
    assert.deepStrictEqual(notification, JsonRpc.notification("n"))
    assert.deepStrictEqual(response, JsonRpc.success(2, {}))
  })

  it("a single message MUST be read as one where there are batches", () => {
    assert.deepStrictEqual(decode(call, { batches: true }), JsonRpc.request(1, "m"))
  })
})

describe("encoding", () => {
  it.prop("decoding MUST be the inverse of encoding", [Message], ([message]) => {
    const given: JsonRpc.Message = plain(message)
    assert.deepStrictEqual(JsonRpc.decode(JsonRpc.encode(given)), given)
  })

  it.prop("a text MUST have no line break, whatever its strings hold", [Message, Schema.String], ([message, text]) => {
    const broken = `${text}\n\r${text}`
    assert.notMatch(JsonRpc.encode(message), /[\n\r]/)
    assert.notMatch(JsonRpc.encode(JsonRpc.request(broken, broken, { [broken]: broken })), /[\n\r]/)
    assert.notMatch(JsonRpc.encode(JsonRpc.success(broken, { [broken]: broken })), /[\n\r]/)
    assert.notMatch(JsonRpc.encode(JsonRpc.failure(broken, { code: 1, message: broken })), /[\n\r]/)
  })

  it("every message MUST say its version, and an absent member is absent", () => {
    const written = (message: JsonRpc.Message): unknown => JSON.parse(JsonRpc.encode(message))
    assert.deepStrictEqual(written(JsonRpc.request(0, "m")), { ...base, id: 0, method: "m" })
    assert.deepStrictEqual(written(JsonRpc.notification("m", {})), { ...base, method: "m", params: {} })
    assert.deepStrictEqual(written(JsonRpc.success("a", { b: 1 })), { ...base, id: "a", result: { b: 1 } })
    assert.deepStrictEqual(written(JsonRpc.failure(undefined, { code: 1, message: "a" })), {
      ...base,
      error: { code: 1, message: "a" }
    })
  })

  it("a result that was already encoded MUST be written as it is, and kept under another id", () => {
    const response = JsonRpc.success(1, { a: 1 }, `{"cached":true}`)
    assert.strictEqual(JsonRpc.encode(response), `{"jsonrpc":"2.0","id":1,"result":{"cached":true}}`)
    assert.strictEqual(
      JsonRpc.encode(JsonRpc.withId(response, "b")),
      `{"jsonrpc":"2.0","id":"b","result":{"cached":true}}`
    )
    const failure = JsonRpc.failure(1, { code: 1, message: "a" })
    assert.deepStrictEqual(JsonRpc.withId(failure, 2), JsonRpc.failure(2, { code: 1, message: "a" }))
  })
})

describe("peek", () => {
  const peeked = (text: string) => JsonRpc.peek(text.slice(0, 300), text.slice(-300))
  const cut = (text: string) => peeked(text).id
  const long = "x".repeat(1000)

  it.effect.prop(
    "the id of a message MUST be found where implementations write it",
    [Id],
    ([given]) =>
      Effect.sync(() => {
        const id = plain(given)
        if (JSON.stringify(id).length > 100) return
        const params = { text: long }
        assert.strictEqual(cut(JsonRpc.encode(JsonRpc.request(id, "m", params))), id)
        assert.strictEqual(cut(JsonRpc.encode(JsonRpc.success(id, params))), id)
        assert.strictEqual(cut(JSON.stringify({ id, jsonrpc: "2.0", result: params })), id)
        assert.strictEqual(cut(JSON.stringify({ result: params, id })), id)
        assert.strictEqual(cut(JSON.stringify({ method: "m", params, jsonrpc: "2.0", id })), id)
        assert.strictEqual(cut(JSON.stringify({ method: "m", params, id, jsonrpc: "2.0" }, undefined, 2)), id)
      })
  )

  it.each([
    { result: { text: long, id: 5 }, jsonrpc: "2.0" },
    { result: { text: long, id: 5 } },
    { result: { text: `${long},"id":5}` } },
    { params: { id: 5, text: long } },
    { id: 1.5, result: { text: long } },
    { id: null, result: { text: long } },
    { id: 2 ** 60, result: { text: long } },
    { result: { text: long }, id: [5] }
  ])("an id that is not the message's own MUST NOT be found: %#", (json) => {
    assert.strictEqual(cut(JSON.stringify(json)), undefined)
  })

  it("MUST tell requests and responses apart where implementations write what they are", () => {
    const kinds = [
      JsonRpc.encode(JsonRpc.request(1, "m", { result: long })),
      JSON.stringify({ method: "m", params: { text: long }, jsonrpc: "2.0", id: 1 }),
      JsonRpc.encode(JsonRpc.success(1, { method: long })),
      JSON.stringify({ result: { method: "m", text: long }, jsonrpc: "2.0", id: 1 }),
      JsonRpc.encode(JsonRpc.failure(1, { code: 1, message: long })),
      JSON.stringify({ params: { text: long }, id: 1 })
    ].map((text) => peeked(text).kind)
    assert.deepStrictEqual(kinds, ["request", "request", "response", "response", "response", "unknown"])
  })

  it.each([`{"id":007,`, `{"id":"\\x",`, `{"id":"a\nb",`, `{"id":`, ""])(
    "what is not JSON MUST NOT throw: %j",
    (head) => {
      assert.strictEqual(JsonRpc.peek(head, "").id, undefined)
    }
  )
})
