/** What is measured over HTTP: each function is one measurement, in a process of its own. */
import * as Build from "./Build.ts"
import type { Era, HttpCandidate } from "./Candidates.ts"
import * as Driver from "./HttpDriver.ts"
import * as Messages from "./Messages.ts"
import type { Options } from "./Rounds.ts"
import { REPORTS } from "./servers/tools.ts"

/** How many calls are in flight, each on a connection, and in the stateful era in a session, of its own. */
export const concurrencies = [1, 16, 64] as const

/** Connections on which sessions are opened. */
const OPENERS = 16

/** Sessions that are opened before, and while, the heap that they take is measured. */
export const heapSessions = { before: 500, measured: 2000 }

// By count and not by time, so that all servers keep the same number of them; most refuse more than 10,000.
export const openedSessions = ({ warmUpMs }: Options) =>
  warmUpMs < 1000 ? { before: 1000, measured: 1000 } : { before: 4000, measured: 4000 }

const echo = {
  params: Messages.echo,
  isRight: (body: Buffer) => body.includes(Messages.TEXT),
  problem: Messages.problemOfEcho
}

const progress = {
  params: Messages.progress,
  isRight: (body: Buffer) => count(body, "notifications/progress") === REPORTS,
  problem: Messages.problemOfProgress
}

const count = (body: Buffer, text: string): number => {
  let found = 0
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + text.length)) found++
  return found
}

type Tool = Parameters<typeof Driver.call>[3]

const start = ({ file }: HttpCandidate, gc = false): Promise<Driver.Server> =>
  Driver.start(Build.serverFile("http", file, "installed"), { tools: 2, probed: true, gc })

const withClients = async <A>(
  { port }: Driver.Server,
  parts: { readonly candidate: HttpCandidate; readonly era: Era; readonly tool: Tool; readonly clients: number },
  use: (clients: ReadonlyArray<Driver.Client>) => Promise<A>
): Promise<A> => {
  const { candidate, era, tool } = parts
  const clients = await Promise.all(Array.from({ length: parts.clients }, async (): Promise<Driver.Client> => {
    const connection = await Driver.connect(port)
    const session = era === "stateful" ? await Driver.openSession(connection, candidate.revision) : {}
    return { connection, call: Driver.call(port, era, session, tool) }
  }))
  const result = await use(clients)
  await Promise.all(clients.map(({ connection }) => connection.close()))
  return result
}

const check = async (candidate: HttpCandidate, client: Driver.Client | undefined): Promise<void> => {
  const problem = client === undefined ? undefined : await Driver.check(client)
  if (problem !== undefined) throw new Error(`${candidate.name}: ${problem}`)
}

export interface Calls {
  /** CPU microseconds per call, by concurrency. */
  readonly cpu: ReadonlyArray<number>
  /** At the highest concurrency. */
  readonly perSecond: number
}

/** `tools/call` echo. */
export const calls = async (candidate: HttpCandidate, era: Era, options: Options): Promise<Calls> => {
  const server = await start(candidate)
  const parts = { candidate, era, tool: echo }
  await withClients(server, { ...parts, clients: 64 }, async (clients) => {
    await check(candidate, clients[0])
    await Driver.sustain(clients, options.warmUpMs)
  })
  const cpu: Array<number> = []
  let perSecond = 0
  for (const concurrency of concurrencies) {
    const loaded = await withClients(
      server,
      { ...parts, clients: concurrency },
      (clients) => load(server, clients, options)
    )
    cpu.push(loaded.cpu)
    perSecond = loaded.perSecond
  }
  await server.kill()
  return { cpu, perSecond }
}

const load = async (server: Driver.Server, clients: ReadonlyArray<Driver.Client>, options: Options) => {
  const before = await server.cpu()
  const { calls, ms } = await Driver.sustain(clients, options.measureMs)
  return { cpu: (await server.cpu() - before) / calls, perSecond: calls / ms * 1000 }
}

export interface Notifications {
  /** CPU microseconds per notification. */
  readonly cpu: number
  readonly perSecond: number
}

/** `tools/call` of a tool that reports progress many times, on its event stream; one call at a time. */
export const notifications = async (
  candidate: HttpCandidate,
  era: Era,
  options: Options
): Promise<Notifications> => {
  const server = await start(candidate)
  const { cpu, perSecond } = await withClients(
    server,
    { candidate, era, tool: progress, clients: 1 },
    async (clients) => {
      await check(candidate, clients[0])
      await Driver.sustain(clients, options.warmUpMs)
      return load(server, clients, options)
    }
  )
  await server.kill()
  return { cpu: cpu / REPORTS, perSecond: perSecond * REPORTS }
}

export interface Opened {
  /** CPU microseconds per session. */
  readonly cpu: number
  readonly perSecond: number
}

/** `initialize` and `notifications/initialized`, for sessions that stay. */
export const sessions = async (candidate: HttpCandidate, options: Options): Promise<Opened> => {
  const server = await start(candidate)
  const { before, measured } = openedSessions(options)
  await open(server, candidate, before)
  const cpu = await server.cpu()
  const ms = await open(server, candidate, measured)
  const used = await server.cpu() - cpu
  await server.kill()
  return { cpu: used / measured, perSecond: measured / ms * 1000 }
}

/** Bytes of heap for each session that is open and idle, without connections. */
export const heap = async (candidate: HttpCandidate): Promise<number> => {
  const server = await start(candidate, true)
  await open(server, candidate, heapSessions.before)
  const before = await server.heap()
  await open(server, candidate, heapSessions.measured)
  const after = await server.heap()
  await server.kill()
  return (after - before) / heapSessions.measured
}

/** Opens sessions, and asks something in the first and the last of each connection: how many ms it took to open them. */
const open = async ({ port }: Driver.Server, candidate: HttpCandidate, sessions: number): Promise<number> => {
  const connections = await Promise.all(Array.from({ length: OPENERS }, () => Driver.connect(port)))
  const began = performance.now()
  let left = sessions
  const opened = await Promise.all(connections.map(async (connection) => {
    const mine: Array<Driver.Headers> = []
    while (left-- > 0) mine.push(await Driver.openSession(connection, candidate.revision))
    return mine
  }))
  const ms = performance.now() - began
  for (const [i, connection] of connections.entries()) {
    for (const session of [opened[i]?.at(0), opened[i]?.at(-1)]) {
      if (session !== undefined) {
        await check(candidate, { connection, call: Driver.call(port, "stateful", session, echo) })
      }
    }
  }
  await Promise.all(connections.map((connection) => connection.close()))
  return ms
}
