/** What the hand-written servers of all transports have in common: the tools, and no framework. */
import { ECHO, FILLER, fillers, INFO, PROGRESS } from "./tools.ts"

export interface Message {
  readonly id?: string | number
  readonly method: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly name?: string
    readonly arguments?: { readonly text?: unknown }
    readonly _meta?: { readonly progressToken?: string | number; readonly [key: string]: unknown }
  }
}

export const VERSION = "io.modelcontextprotocol/protocolVersion"
export const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

const statelessMembers = {
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": INFO }
}

export const isStateless = (params: Message["params"]): boolean =>
  params?._meta !== undefined && VERSION in params._meta

/** The result of a tool that says `text`. */
export const textResult = (text: string, stateless: boolean): object => ({
  content: [{ type: "text", text }],
  ...(stateless ? statelessMembers : undefined)
})

const text = { type: "string" }
const tool = (name: string, description: string, properties: Record<string, { readonly type: string }>) => ({
  name,
  description,
  inputSchema: { type: "object", properties, required: Object.keys(properties) }
})

const tools = [
  tool("echo", ECHO, { text }),
  tool("progress", PROGRESS, {}),
  ...fillers.map((name) => tool(name, FILLER, { text, count: { type: "number" } }))
]

/** The result of `tools/list`, serialised once. */
export const list = JSON.stringify({ tools })

/** The same in the stateless era. */
export const statelessList = JSON.stringify({ tools, ttlMs: 60_000, cacheScope: "public", ...statelessMembers })
