/** What is measured over HTTP: a server that is warm, for a fraction of a second at each of its turns. */
import * as Build from "./Build.ts"
import type { Era, HttpCandidate } from "./Candidates.ts"
import * as Driver from "./HttpDriver.ts"
import * as Messages from "./Messages.ts"
import { LAPS, type Options, type Warm } from "./Rounds.ts"
import { REPORTS } from "./servers/tools.ts"

/** How many calls are in flight, each on a connection, and in the stateful era in a session, of its own. */
export const concurrencies = [1, 16, 64] as const

/** Connections on which sessions are opened. */
const OPENERS = 16

/** Sessions that are opened before, and while, the heap that they take is measured. */
export const heapSessions = { before: 500, measured: 2000 }

/** Sessions that are opened in one turn. Most servers refuse more than 10,000 at once. */
export const openedSessions = ({ warmUpMs }: Options): number => warmUpMs < 1000 ? 200 : 500

// After a turn of another server, nothing of this one is in the caches of the machine.
const LEAD_IN_MS = 50
const LEAD_IN_SESSIONS = 100

export interface Rate {
  /** CPU microseconds for each of what is counted. */
  readonly cpu: number
  readonly perSecond: number
}

interface Tool extends Pick<Driver.Call, "isRight" | "problem"> {
  readonly params: typeof Messages.echo | typeof Messages.progress
  /** What one call of it counts for. */
  readonly counts: number
}

const echo: Tool = {
  params: Messages.echo,
  isRight: (body: Buffer) => body.includes(Messages.TEXT),
  problem: Messages.problemOfEcho,
  counts: 1
}

const progress: Tool = {
  params: Messages.progress,
  isRight: (body: Buffer) => count(body, "notifications/progress") === REPORTS,
  problem: Messages.problemOfProgress,
  counts: REPORTS
}

const count = (body: Buffer, text: string): number => {
  let found = 0
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + text.length)) found++
  return found
}

const start = ({ file }: HttpCandidate, gc = false): Promise<Driver.Server> =>
  Driver.start(Build.serverFile("http", file, "installed"), { tools: 2, probed: true, gc })

/** One that is called: `turn` keeps so many calls in flight. */
export interface WarmCalls extends Warm {
  readonly turn: (concurrency: number) => Promise<Rate>
}

/** `tools/call` echo. */
export const calls = (candidate: HttpCandidate, era: Era, options: Options): Promise<WarmCalls> =>
  warmed(candidate, era, options, echo, Math.max(...concurrencies))

/** `tools/call` of a tool that reports progress many times, on its event stream; one call at a time. It is soon warm. */
export const notifications = (candidate: HttpCandidate, era: Era, options: Options): Promise<WarmCalls> =>
  warmed(candidate, era, { ...options, warmUpMs: options.warmUpMs / 2 }, progress, 1)

const warmed = async (
  candidate: HttpCandidate,
  era: Era,
  { measureMs, warmUpMs }: Options,
  tool: Tool,
  most: number
): Promise<WarmCalls> => {
  const server = await start(candidate)
  const { port } = server
  const asked = await connected(port, most, async (connection) => {
    const session = era === "stateful" ? await Driver.openSession(connection, candidate.revision) : {}
    return Driver.call(port, era, session, tool)
  }, async (clients) => {
    await check(candidate, clients[0])
    await Driver.sustain(clients, warmUpMs)
    return clients.map(({ call }) => call)
  })
  return {
    turn: (concurrency) =>
      // Connections do not outlive a turn: servers close those that are idle.
      connected(port, concurrency, async (_, i) => asked[i], async (clients) => {
        await Driver.sustain(clients, LEAD_IN_MS)
        const before = await server.cpu()
        const { calls, ms } = await Driver.sustain(clients, measureMs / LAPS)
        const all = calls * tool.counts
        return { cpu: (await server.cpu() - before) / all, perSecond: all / ms * 1000 }
      }),
    stop: server.kill
  }
}

/** Uses so many connections, each with a call of its own. */
const connected = async <A>(
  port: number,
  connections: number,
  callOf: (connection: Driver.Connection, i: number) => Promise<Driver.Call | undefined>,
  use: (clients: ReadonlyArray<Driver.Client>) => Promise<A>
): Promise<A> => {
  const clients = await Promise.all(Array.from({ length: connections }, async (_, i): Promise<Driver.Client> => {
    const connection = await Driver.connect(port)
    const call = await callOf(connection, i)
    if (call === undefined) throw new Error(`There is no call for connection ${i}`)
    return { connection, call }
  }))
  const result = await use(clients)
  await Promise.all(clients.map(({ connection }) => connection.close()))
  return result
}

const check = async (candidate: HttpCandidate, client: Driver.Client | undefined): Promise<void> => {
  const problem = client === undefined ? undefined : await Driver.check(client)
  if (problem !== undefined) throw new Error(`${candidate.name}: ${problem}`)
}

/** One that opens sessions at each turn, and ends them after it. */
export interface WarmSessions extends Warm {
  readonly turn: () => Promise<Rate>
}

/** `initialize` and `notifications/initialized`. */
export const sessions = async (candidate: HttpCandidate, options: Options): Promise<WarmSessions> => {
  const server = await start(candidate)
  // Sixteen clients that wait for two replies in turn get less of it done than those that call.
  await rehearse(server, candidate, 1.5 * options.warmUpMs)
  return {
    turn: async () => {
      const leadIn = await open(server, candidate, LEAD_IN_SESSIONS)
      const { end, rate } = await open(server, candidate, openedSessions(options))
      await end()
      await leadIn.end()
      return rate
    },
    stop: server.kill
  }
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

const openers = ({ port }: Driver.Server): Promise<ReadonlyArray<Driver.Connection>> =>
  Promise.all(Array.from({ length: OPENERS }, () => Driver.connect(port)))

/** Opens sessions and ends them again; those of a server that does not let its clients end them stay. */
const rehearse = async (server: Driver.Server, { revision }: HttpCandidate, ms: number): Promise<void> => {
  const connections = await openers(server)
  const end = performance.now() + ms
  await Promise.all(connections.map(async (connection) => {
    while (performance.now() < end) {
      await Driver.endSession(connection, await Driver.openSession(connection, revision))
    }
    await connection.close()
  }))
}

/** Sessions that are open. */
interface Opened {
  readonly rate: Rate
  /** Ends them, if the server lets its clients do that. */
  readonly end: () => Promise<void>
}

/** Opens sessions, and asks something in the first and the last of each connection. */
const open = async (server: Driver.Server, candidate: HttpCandidate, sessions: number): Promise<Opened> => {
  const connections = await openers(server)
  const before = await server.cpu()
  const began = performance.now()
  let left = sessions
  const opened = await Promise.all(connections.map(async (connection) => {
    const mine: Array<Driver.Headers> = []
    while (left-- > 0) mine.push(await Driver.openSession(connection, candidate.revision))
    return mine
  }))
  const perSecond = sessions / (performance.now() - began) * 1000
  const cpu = (await server.cpu() - before) / sessions
  for (const [i, connection] of connections.entries()) {
    for (const session of [opened[i]?.at(0), opened[i]?.at(-1)]) {
      if (session !== undefined) {
        await check(candidate, { connection, call: Driver.call(server.port, "stateful", session, echo) })
      }
    }
  }
  await Promise.all(connections.map((connection) => connection.close()))
  return {
    rate: { cpu, perSecond },
    end: async () => {
      for (const connection of await openers(server)) {
        for (const session of opened.pop() ?? []) await Driver.endSession(connection, session)
        await connection.close()
      }
    }
  }
}
