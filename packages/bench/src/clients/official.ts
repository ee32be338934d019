/** The official SDK, version 2. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { checked, INFO, isStateless, promised, serve, target, TEXT } from "./driven.ts"

const client = new Client(INFO, { versionNegotiation: { mode: isStateless ? "auto" : "legacy" } })
await client.connect(
  target.transport === "stdio"
    ? new StdioClientTransport({ command: process.execPath, args: [target.server, "2"], stderr: "ignore" })
    : new StreamableHTTPClientTransport(new URL(target.server))
)

const echo = async (): Promise<void> => {
  const { content } = await client.callTool({ name: "echo", arguments: { text: TEXT } })
  const [first] = content
  checked(first?.type === "text" ? first.text : first)
}
await echo()
await serve(promised(echo))
await client.close()
