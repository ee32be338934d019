/** What is asked of the servers, and how a reply is known to be right. */
import type { Era } from "./Candidates.ts"
import type { Call } from "./Driver.ts"
import { REPORTS } from "./servers/tools.ts"

export interface Scenario {
  readonly title: string
  readonly era: Era
  readonly tools: number
  /** Calls in flight while CPU and throughput are measured. */
  readonly window: number
  readonly call: Call
  /** What is wrong with the lines that answer one call, if anything is. */
  readonly problem: (lines: ReadonlyArray<string>) => string | undefined
}

const META = "io.modelcontextprotocol/"
const clientInfo = { name: "bench-driver", version: "1.0.0" }

const line = (message: object): string => JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"

export const initialize = line({
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
})

export const initialized = line({ method: "notifications/initialized" })

// Made of parts, so that a call costs the driver a concatenation.
const call = (method: string, params: object, lines = 1): Call => {
  const rest = `,"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}\n`
  return { text: (id) => `{"jsonrpc":"2.0","id":${id}${rest}`, lines }
}

const TEXT = "The quick brown fox jumps over the lazy dog"

const resultOf = (text: string | undefined) => {
  const { result } = JSON.parse(text ?? "{}")
  return {
    content: String(result?.content?.[0]?.text),
    tools: result?.tools?.length,
    isError: result?.isError === true
  }
}

const echoes = (lines: ReadonlyArray<string>): string | undefined => {
  const { content, isError } = resultOf(lines[0])
  return content.includes(TEXT) && !isError ? undefined : `not an echo: ${lines[0]}`
}

const echo = { name: "echo", arguments: { text: TEXT } }

export const scenarios: ReadonlyArray<Scenario> = [
  {
    title: "tools/call echo, 2025-11-25",
    era: "stateful",
    tools: 2,
    window: 64,
    call: call("tools/call", echo),
    problem: echoes
  },
  {
    title: "tools/call echo, 2026-07-28 (every request carries its own version and client)",
    era: "stateless",
    tools: 2,
    window: 64,
    call: call("tools/call", {
      ...echo,
      _meta: {
        [`${META}protocolVersion`]: "2026-07-28",
        [`${META}clientInfo`]: clientInfo,
        [`${META}clientCapabilities`]: {}
      }
    }),
    problem: echoes
  },
  {
    title: "tools/list of 100 tools, 2025-11-25",
    era: "stateful",
    tools: 100,
    window: 64,
    call: call("tools/list", {}),
    problem: (lines) => resultOf(lines[0]).tools === 100 ? undefined : `not 100 tools: ${lines[0]?.slice(0, 200)}`
  },
  {
    title: `tools/call with ${REPORTS} progress notifications, 2025-11-25, one call at a time`,
    era: "stateful",
    tools: 2,
    window: 1,
    call: call("tools/call", { name: "progress", arguments: {}, _meta: { progressToken: 7 } }, REPORTS + 1),
    problem: (lines) => {
      const reports = lines.filter((text) => JSON.parse(text).params?.progressToken === 7).length
      if (reports !== REPORTS) return `${reports} progress notifications`
      return resultOf(lines.at(-1)).content.includes("done") ? undefined : "the result is not last"
    }
  }
]
