/**
 * The floor: what a server costs that is written by hand for these tools only, with no framework and no checks beyond
 * a tool's one argument. The list is serialised once; all replies of one read are one write.
 */
import { ECHO, FILLER, fillers, INFO, PROGRESS, REPORTS } from "./tools.ts"

interface Message {
  readonly id?: string | number
  readonly method: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly name?: string
    readonly arguments?: { readonly text?: unknown }
    readonly _meta?: { readonly progressToken?: string | number; readonly [key: string]: unknown }
  }
}

const VERSION = "io.modelcontextprotocol/protocolVersion"
const statelessMembers = {
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": INFO }
}

const text = { type: "string" }
const tool = (name: string, description: string, properties: Record<string, { readonly type: string }>) => ({
  name,
  description,
  inputSchema: { type: "object", properties, required: Object.keys(properties) }
})
const list = JSON.stringify({
  tools: [
    tool("echo", ECHO, { text }),
    tool("progress", PROGRESS, {}),
    ...fillers.map((name) => tool(name, FILLER, { text, count: { type: "number" } }))
  ]
})

let out = ""

const send = (message: object): void => {
  out += JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"
}

const answer = ({ id, method, params }: Message): void => {
  if (id === undefined) return
  switch (method) {
    case "initialize":
      return send({
        id,
        result: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: INFO }
      })
    case "tools/list":
      out += `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${list}}\n`
      return
    case "tools/call":
      return call(id, params)
    default:
      return send({ id, error: { code: -32601, message: "Method not found" } })
  }
}

const call = (id: string | number, params: Message["params"]): void => {
  const stateless = params?._meta !== undefined && VERSION in params._meta
  const content = (text: string): void =>
    send({ id, result: { content: [{ type: "text", text }], ...(stateless ? statelessMembers : undefined) } })
  if (params?.name === "echo" && typeof params.arguments?.text === "string") return content(params.arguments.text)
  if (params?.name !== "progress") return send({ id, error: { code: -32602, message: "Invalid params" } })
  const progressToken = params._meta?.progressToken
  for (let progress = 1; progress <= REPORTS; progress++) {
    send({ method: "notifications/progress", params: { progressToken, progress, total: REPORTS } })
  }
  content("done")
}

let rest = ""
process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n")
  rest = lines.pop() ?? ""
  for (const line of lines) answer(JSON.parse(line))
  process.stdout.write(out)
  out = ""
})
