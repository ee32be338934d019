/**
 * Measures clients that call one fixed hand-written server, each client in a process of its own: CPU of that process for each
 * call, with as many calls at once as a window says.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import * as ClientBuild from "./ClientBuild.ts"
import type { Asked, Measured } from "./clients/driven.ts"
import * as HttpDriver from "./HttpDriver.ts"
import { chosen as choose, describe, type Options, turns } from "./Rounds.ts"
import { median, number, ratios, table } from "./Table.ts"

const both = ["stateful", "stateless"] as const

export const candidates = [
  { file: "floor", name: "hand-written", eras: both },
  { file: "mcpEffect", name: "mcp-effect", eras: both },
  { file: "officialV1", name: "official SDK v1", eras: ["stateful"] as const },
  { file: "official", name: "official SDK v2", eras: both },
  { file: "effectAi", name: "effect/ai", eras: both }
]

type Client = (typeof candidates)[number]

const REVISIONS = { stateful: "2025-11-25", stateless: "2026-07-28" } as const

const WINDOWS = [1, 16, 64]

interface Warm {
  readonly measure: (asked: Asked) => Promise<Measured>
  readonly stop: () => Promise<void>
}

const start = async (file: string, args: ReadonlyArray<string>, warmUpMs: number): Promise<Warm> => {
  const child: ChildProcess = fork(ClientBuild.clientFile(file), args, {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  const failed = once(child, "exit").then(([code]) => Promise.reject(new Error(`${file} ended with ${code}`)))
  const message = (): Promise<unknown> => Promise.race([once(child, "message").then(([message]) => message), failed])
  await message()
  const measure = async (asked: Asked): Promise<Measured> => {
    child.send(asked)
    return await message() as Measured
  }
  await measure({ window: 64, ms: warmUpMs })
  return {
    measure,
    stop: async () => {
      const exited = once(child, "exit")
      failed.catch(() => {})
      child.disconnect()
      const overdue = setTimeout(() => child.kill(), 3000)
      await exited
      clearTimeout(overdue)
    }
  }
}

export const client = async (options: Options): Promise<void> => {
  const chosen = choose(candidates, options)
  await ClientBuild.buildClients(chosen.map(({ file }) => file))
  const { measureMs, warmUpMs } = options
  console.log(describe(options, `per round and client ${warmUpMs} ms of warm-up, ${measureMs} ms at each window`))
  console.log("Of the client's process. Over HTTP, the first is Effect's HttpClient alone, on undici as ours is.")
  for (const era of both) await measured("stdio", era, chosen, options, ClientBuild.serverFile("stdio"))
  for (const era of both) {
    const server = await HttpDriver.start(ClientBuild.serverFile("http"), { tools: 2, probed: false })
    try {
      await measured("http", era, chosen, options, `http://127.0.0.1:${server.port}/mcp`)
    } finally {
      await server.kill()
    }
  }
}

const measured = async (
  transport: "stdio" | "http",
  era: keyof typeof REVISIONS,
  chosen: ReadonlyArray<Client>,
  options: Options,
  server: string
): Promise<void> => {
  const taking = chosen.filter(({ eras }) => eras.some((spoken) => spoken === era))
  const samples = await turns(
    taking,
    options.rounds,
    ({ file }) => start(file, [transport, server, REVISIONS[era]], options.warmUpMs),
    WINDOWS.map((window) => (warm: Warm) => warm.measure({ window, ms: options.measureMs / 3 }))
  )
  const cost = ({ calls, cpu }: Measured): number => cpu / calls
  const rows = taking.map(({ name }, i) => [
    name,
    ...WINDOWS.map((_, kind) => {
      const laps = samples[kind]?.[i] ?? []
      const own = laps.map((lap) => cost(lap.own))
      const floor = laps.map((lap) => (cost(lap.floor[0]) + cost(lap.floor[1])) / 2)
      return `${number(median(own))} (${median(ratios(own, floor)).toFixed(2)}x)`
    }),
    number(median((samples[WINDOWS.length - 1]?.[i] ?? []).map(({ own }) => own.calls / own.ms * 1000)))
  ])
  console.log(
    `\ntools/call echo over ${transport}, ${REVISIONS[era]}\n${
      table([["CPU µs/call at window", ...WINDOWS.map(String), "calls/s at 64"], ...rows])
    }`
  )
}
