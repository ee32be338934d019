/** What is measured over stdio. */
import type { Era } from "./Candidates.ts"
import type { Call } from "./Driver.ts"
import * as Messages from "./Messages.ts"
import { REPORTS } from "./servers/tools.ts"

export interface Scenario {
  readonly title: string
  readonly era: Era
  readonly tools: number
  /** Calls in flight while CPU and throughput are measured. */
  readonly window: number
  readonly call: Call
  readonly problem: Messages.Problem
}

const call = (method: string, params: object, lines = 1): Call => {
  const text = Messages.request(method, params)
  return { text: (id) => `${text(id)}\n`, lines }
}

export const scenarios: ReadonlyArray<Scenario> = [
  {
    title: "tools/call echo, 2025-11-25",
    era: "stateful",
    tools: 2,
    window: 64,
    call: call("tools/call", Messages.echo),
    problem: Messages.problemOfEcho
  },
  {
    title: "tools/call echo, 2026-07-28 (every request carries its own version and client)",
    era: "stateless",
    tools: 2,
    window: 64,
    call: call("tools/call", Messages.stateless(Messages.echo)),
    problem: Messages.problemOfEcho
  },
  {
    title: "tools/list of 100 tools, 2025-11-25",
    era: "stateful",
    tools: 100,
    window: 64,
    call: call("tools/list", {}),
    problem: Messages.problemOfList(100)
  },
  {
    title: `tools/call with ${REPORTS} progress notifications, 2025-11-25, one call at a time`,
    era: "stateful",
    tools: 2,
    window: 1,
    call: call("tools/call", Messages.progress, REPORTS + 1),
    problem: Messages.problemOfProgress
  }
]
