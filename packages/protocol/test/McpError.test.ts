import { assert, describe, it } from "@effect/vitest"
import * as McpError from "@mcp-effect/protocol/McpError"
import { TransportError } from "@mcp-effect/protocol/Peer"
import * as Schema from "effect/Schema"

const codes: McpError.NotFoundCodes = { tool: -32602, prompt: -32602, resource: -32002 }

const tool = { method: "tools/call", params: { name: "weather" } }
const prompt = { method: "prompts/get", params: { name: "greet" } }
const resource = { method: "resources/read", params: { uri: "file:///a" } }
const other = { method: "tools/list", params: undefined }

const supported = ["2025-11-25"]
const requiredCapabilities = { sampling: {} }

type Request = Parameters<typeof McpError.fromWire>[0]
type Wire = Parameters<typeof McpError.fromWire>[1]
type Row = readonly [error: McpError.ProtocolError, wire: Wire, request: Request]

// Errors compare by name and message only: here, by all that they hold.
const same = (actual: McpError.McpError, expected: McpError.McpError) => {
  assert.deepStrictEqual({ ...actual, message: actual.message }, { ...expected, message: expected.message })
}

// Each row both ways: the error is written so, and what is written so, in reply to this request, is the error.
const table: ReadonlyArray<Row> = [
  [new McpError.InvalidRequest({ message: "no" }), { code: -32600, message: "no" }, other],
  [new McpError.MethodNotFound({ method: "tools/list", message: "no" }), { code: -32601, message: "no" }, other],
  [new McpError.InvalidParams({ message: "no" }), { code: -32602, message: "no" }, other],
  [new McpError.InvalidParams({ message: "no", data: [1] }), { code: -32602, message: "no", data: [1] }, tool],
  [new McpError.InternalError({ message: "no" }), { code: -32603, message: "no" }, other],
  [
    new McpError.ToolNotFound({ tool: "weather", message: "Unknown tool: weather" }),
    { code: -32602, message: "Unknown tool: weather" },
    tool
  ],
  [
    new McpError.PromptNotFound({ prompt: "greet", message: "Prompt greet not found" }),
    { code: -32602, message: "Prompt greet not found" },
    prompt
  ],
  [
    new McpError.ResourceNotFound({ uri: "file:///a", message: "no" }),
    { code: -32002, message: "no", data: { uri: "file:///a" } },
    resource
  ],
  [
    new McpError.UnsupportedProtocolVersion({ requested: "1", supported }),
    {
      code: -32022,
      message: "Unsupported protocol version 1; supported: 2025-11-25",
      data: { supported, requested: "1" }
    },
    other
  ],
  [
    new McpError.MissingRequiredClientCapability({ message: "no", requiredCapabilities }),
    { code: -32021, message: "no", data: { requiredCapabilities } },
    tool
  ],
  [new McpError.RemoteError({ code: -1, message: "no" }), { code: -1, message: "no" }, tool],
  [new McpError.RemoteError({ code: 7, message: "no", data: 0 }), { code: 7, message: "no", data: 0 }, other]
]

describe("the wire", () => {
  for (const [error, wire, request] of table) {
    it(`${error._tag} MUST be ${wire.code}, both ways`, () => {
      assert.deepStrictEqual(McpError.toWire(error, codes), wire)
      same(McpError.fromWire(request, wire), error)
    })
  }

  it.prop("an error of no known code MUST arrive as it came", [Schema.Int, Schema.String], ([n, message]) => {
    const code = n - 40_000 * Math.sign(n || 1)
    for (const request of [tool, prompt, resource, other]) {
      const error = McpError.fromWire(request, { code, message })
      assert.deepStrictEqual(McpError.toWire(error, codes), { code, message })
    }
  })

  it("an unknown tool, prompt or resource MUST have the code of the profile in force", () => {
    const written = (codes: McpError.NotFoundCodes) => [
      McpError.toWire(new McpError.ToolNotFound({ tool: "a", message: "no" }), codes).code,
      McpError.toWire(new McpError.PromptNotFound({ prompt: "a", message: "no" }), codes).code,
      McpError.toWire(new McpError.ResourceNotFound({ uri: "a", message: "no" }), codes).code
    ]
    assert.deepStrictEqual(written(codes), [-32602, -32602, -32002])
    assert.deepStrictEqual(written({ ...codes, resource: -32602 }), [-32602, -32602, -32602])
    assert.deepStrictEqual(written(McpError.legacyNotFoundCodes), [-32002, -32003, -32004])
  })
})

describe("the codes of other deployments", () => {
  const tag = (request: Request, code: number, message = "no") => McpError.fromWire(request, { code, message })._tag

  it("MUST be read by the method that was called", () => {
    const rows = [tool, prompt, resource, other].map((request) =>
      [-32002, -32003, -32004].map((code) => tag(request, code))
    )
    assert.deepStrictEqual(rows, [
      ["ToolNotFound", "RemoteError", "RemoteError"],
      ["RemoteError", "PromptNotFound", "RemoteError"],
      ["ResourceNotFound", "RemoteError", "ResourceNotFound"],
      ["RemoteError", "RemoteError", "RemoteError"]
    ])
  })

  it("invalid params MUST mean an unknown name only when the sentence says so", () => {
    for (const message of ["Unknown tool: a", "tool a not found", "No such prompt"]) {
      assert.deepStrictEqual([tool, prompt, resource, other].map((request) => tag(request, -32602, message)), [
        "ToolNotFound",
        "PromptNotFound",
        "ResourceNotFound",
        "InvalidParams"
      ])
    }
    assert.deepStrictEqual([tool, prompt, resource].map((request) => tag(request, -32602, "city must be a string")), [
      "InvalidParams",
      "InvalidParams",
      "InvalidParams"
    ])
  })

  it("data that is not as specified MUST NOT break the reading", () => {
    const unsupported = { code: -32022, message: "no", data: { supported: "2025-11-25" } }
    same(McpError.fromWire(other, unsupported), new McpError.RemoteError(unsupported))
    same(
      McpError.fromWire(other, { code: -32022, message: "no" }),
      new McpError.RemoteError({ code: -32022, message: "no" })
    )
    const mixed = { code: -32022, message: "no", data: { requested: "1", supported: ["a", 1, null] } }
    same(
      McpError.fromWire(other, mixed),
      new McpError.UnsupportedProtocolVersion({ requested: "1", supported: ["a"] })
    )
    same(
      McpError.fromWire(tool, { code: -32021, message: "no", data: 1 }),
      new McpError.MissingRequiredClientCapability({ message: "no", requiredCapabilities: {} })
    )
  })
})

describe("transport errors", () => {
  const from = (reason: TransportError["reason"], processed: TransportError["processed"]) =>
    McpError.fromTransport("tools/call", new TransportError({ reason, processed, message: "no", cause: "why" }))

  it("a lost connection MUST say whether the request may have been processed", () => {
    for (const reason of ["closed", "refused"] as const) {
      for (const processed of ["no", "unknown"] as const) {
        same(
          from(reason, processed),
          new McpError.ConnectionClosed({ processed, message: "no", cause: "why" })
        )
      }
    }
  })

  it("a reply that is none MUST be an invalid result of the method", () => {
    for (const reason of ["malformed", "too large"] as const) {
      same(
        from(reason, "unknown"),
        new McpError.InvalidResult({ method: "tools/call", message: "no" })
      )
    }
  })
})

describe("data that was made to hurt", () => {
  it("MUST be read without running it", () => {
    const error = { code: -32022, message: "no", data: { supported: ["a"], requested: { toString: 1, valueOf: 1 } } }
    const read = McpError.fromWire({ method: "m", params: undefined }, error)
    assert.ok(read._tag === "UnsupportedProtocolVersion" && read.requested === "unknown")
  })
})
