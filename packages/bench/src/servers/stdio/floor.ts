/**
 * The floor: what a server costs that is written by hand for these tools only, with no framework and no checks beyond
 * a tool's one argument. The list is serialised once; all replies of one read are one write.
 */
import { isStateless, list, type Message, statelessList, textResult } from "../floor.ts"
import { INFO, REPORTS } from "../tools.ts"

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
    case "server/discover":
      return send({
        id,
        result: {
          resultType: "complete",
          supportedVersions: ["2026-07-28", "2025-11-25"],
          capabilities: { tools: {} },
          ttlMs: 60_000,
          cacheScope: "public"
        }
      })
    case "tools/list":
      out += `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${isStateless(params) ? statelessList : list}}\n`
      return
    case "tools/call":
      return call(id, params)
    default:
      return send({ id, error: { code: -32601, message: "Method not found" } })
  }
}

const call = (id: string | number, params: Message["params"]): void => {
  const content = (text: string): void => send({ id, result: textResult(text, isStateless(params)) })
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
