/** The official SDK, version 1. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { checked, INFO, promised, serve, target, TEXT } from "./driven.ts"

const client = new Client(INFO)
const transport = target.transport === "stdio"
  ? new StdioClientTransport({ command: process.execPath, args: [target.server, "2"], stderr: "ignore" })
  : new StreamableHTTPClientTransport(new URL(target.server))
// Its types are not made for exact optional properties.
await client.connect(transport as Parameters<typeof client.connect>[0])

const echo = async (): Promise<void> => {
  const { content } = await client.callTool({ name: "echo", arguments: { text: TEXT } })
  checked((content as ReadonlyArray<{ readonly text?: string }>)[0]?.text)
}
await echo()
await serve(promised(echo))
await client.close()
