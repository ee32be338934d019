/** Measures the servers over HTTP: each value in a fresh process, rounds interleaved, medians over the rounds. */
import * as Build from "./Build.ts"
import * as Candidates from "./Candidates.ts"
import * as Measures from "./HttpMeasures.ts"
import * as Messages from "./Messages.ts"
import { chosen as choose, describe, type Options, rounds, warn } from "./Rounds.ts"
import { REPORTS } from "./servers/tools.ts"
import { compared, median, number, spread, table } from "./Table.ts"

const eras = [
  ["stateful", `${Messages.STATEFUL}, in a session`],
  ["stateless", Messages.STATELESS]
] as const

export const http = async (options: Options): Promise<void> => {
  await Build.buildAll("http")
  const chosen = choose(Candidates.http, options)
  console.log(
    describe(
      options,
      `per round and server ${options.warmUpMs} ms of warm-up, ${options.measureMs} ms at each concurrency`
    )
  )
  for (const [era, title] of eras) await calls(chosen, era, title, options)
  await sessions(chosen, options)
  await heap(chosen, options)
  for (const [era, title] of eras) await notifications(chosen, era, title, options)
}

type Chosen = ReadonlyArray<Candidates.HttpCandidate>

/** Those that speak a revision of the era; says why the others are left out. */
const speaking = (chosen: Chosen, era: Candidates.Era) => ({
  taking: chosen.filter(({ eras }) => eras.includes(era)),
  without: chosen.filter(({ eras }) => !eras.includes(era)).map(({ lacks, name }) => `Without ${name}: ${lacks}.`)
})

const show = (title: string, rows: ReadonlyArray<ReadonlyArray<string>>, notes: ReadonlyArray<string> = []): void =>
  console.log([`\n${title}`, table(rows), ...notes].join("\n"))

const calls = async (chosen: Chosen, era: Candidates.Era, title: string, options: Options): Promise<void> => {
  const { taking, without } = speaking(chosen, era)
  const samples = await rounds(taking, options.rounds, (candidate) => Measures.calls(candidate, era, options))
  const cpu = (i: number, at: number) => (samples[i] ?? []).map((sample) => sample.cpu[at] ?? Number.NaN)
  const perSecond = (i: number) => (samples[i] ?? []).map((sample) => sample.perSecond)
  const { concurrencies } = Measures
  show(`tools/call echo, ${title}`, [
    ["CPU µs/call at concurrency", ...concurrencies.map(String), `calls/s at ${concurrencies.at(-1)}`],
    ...taking.map(({ name }, i) => [
      name,
      ...concurrencies.map((_, at) => compared(cpu(i, at), cpu(0, at))),
      compared(perSecond(i), perSecond(0))
    ])
  ], without)
  warn(taking, taking.map((_, i) => Math.max(...concurrencies.map((_, at) => spread(cpu(i, at))))))
}

interface Rate {
  readonly cpu: number
  readonly perSecond: number
}

const rates = (taking: Chosen, samples: ReadonlyArray<ReadonlyArray<Rate>>, unit: readonly [string, string]) => {
  const of = (i: number, key: keyof Rate) => (samples[i] ?? []).map((sample) => sample[key])
  return [
    ["", `CPU µs/${unit[0]}`, `${unit[1]}/s`],
    ...taking.map(({ name }, i) => [
      name,
      compared(of(i, "cpu"), of(0, "cpu")),
      compared(of(i, "perSecond"), of(0, "perSecond"))
    ])
  ]
}

const spreads = (samples: ReadonlyArray<ReadonlyArray<Rate>>) => samples.map((all) => spread(all.map(({ cpu }) => cpu)))

const sessions = async (chosen: Chosen, options: Options): Promise<void> => {
  const { before, measured } = Measures.openedSessions(options)
  const samples = await rounds(chosen, options.rounds, (candidate) => Measures.sessions(candidate, options))
  show(
    `Sessions opened, ${number(measured)} after ${number(before)}: initialize and notifications/initialized`,
    rates(chosen, samples, ["session", "sessions"])
  )
  warn(chosen, spreads(samples))
}

const heap = async (chosen: Chosen, options: Options): Promise<void> => {
  const { before, measured } = Measures.heapSessions
  const samples = await rounds(chosen, options.rounds, Measures.heap)
  show(`Heap per idle session, of ${number(measured)} after ${number(before)}`, [
    ["", "bytes", "KiB"],
    ...chosen.map(({ name }, i) => {
      const bytes = samples[i] ?? []
      return [name, compared(bytes, samples[0] ?? []), number(median(bytes) / 1024)]
    })
  ])
  warn(chosen, samples.map(spread))
}

const notifications = async (chosen: Chosen, era: Candidates.Era, title: string, options: Options): Promise<void> => {
  const { taking, without } = speaking(chosen, era)
  const samples = await rounds(taking, options.rounds, (candidate) => Measures.notifications(candidate, era, options))
  show(
    `Progress notifications on the event stream of a call, ${REPORTS} each, one call at a time, ${title}`,
    rates(taking, samples, ["notification", "notifications"]),
    without
  )
  warn(taking, spreads(samples))
}
