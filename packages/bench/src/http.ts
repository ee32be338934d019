/** Measures the servers over HTTP: started anew in each round, each takes turns with the floor; medians over all turns. */
import * as Build from "./Build.ts"
import * as Candidates from "./Candidates.ts"
import * as Measures from "./HttpMeasures.ts"
import * as Messages from "./Messages.ts"
import { chosen as choose, describe, LAPS, type Options, rounds, type Turn, turns, warn } from "./Rounds.ts"
import { REPORTS } from "./servers/tools.ts"
import { compared, median, number, ratios, scaled, spread, table } from "./Table.ts"

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
      `in each, every server has ${options.warmUpMs} ms of warm-up, and takes ${LAPS} turns of ${
        Math.round(options.measureMs / LAPS)
      } ms with the hand-written one in each measure; other values are its median times their ratio`
    )
  )
  for (const [era, title] of eras) await calls(chosen, era, title, options)
  await sessions(chosen, options)
  await heap(chosen)
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

/** By candidate and lap. */
type Rates = ReadonlyArray<ReadonlyArray<Turn<Measures.Rate>>>

const own = (rates: Rates | undefined, i: number, key: keyof Measures.Rate) =>
  (rates?.[i] ?? []).map((turn) => turn.own[key])

const floor = (rates: Rates | undefined, i: number, key: keyof Measures.Rate) =>
  (rates?.[i] ?? []).map(({ floor: [before, after] }) => (before[key] + after[key]) / 2)

const comparedTo = (rates: Rates | undefined, i: number, key: keyof Measures.Rate): string =>
  scaled(own(rates, i, key), floor(rates, i, key), median(own(rates, 0, key)))

/** How far the rounds lie apart in what is compared. */
const spreadOf = (rates: Rates | undefined, i: number): number => {
  if (i === 0) return 0
  const all = ratios(own(rates, i, "cpu"), floor(rates, i, "cpu"))
  return spread(Array.from({ length: all.length / LAPS }, (_, n) => median(all.slice(n * LAPS, (n + 1) * LAPS))))
}

const calls = async (chosen: Chosen, era: Candidates.Era, title: string, options: Options): Promise<void> => {
  const { taking, without } = speaking(chosen, era)
  const { concurrencies } = Measures
  // The most at once comes first, as in the warm-up.
  const [many, some, one] = await turns(
    taking,
    options.rounds,
    (candidate) => Measures.calls(candidate, era, options),
    concurrencies.toReversed().map((concurrency) => (warm: Measures.WarmCalls) => warm.turn(concurrency))
  )
  const samples = [one, some, many]
  show(`tools/call echo, ${title}`, [
    ["CPU µs/call at concurrency", ...concurrencies.map(String), `calls/s at ${concurrencies.at(-1)}`],
    ...taking.map(({ name }, i) => [
      name,
      ...samples.map((rates) => comparedTo(rates, i, "cpu")),
      comparedTo(samples.at(-1), i, "perSecond")
    ])
  ], without)
  warn(taking, taking.map((_, i) => Math.max(...samples.map((rates) => spreadOf(rates, i)))))
}

const rows = (taking: Chosen, rates: Rates | undefined, unit: readonly [string, string]) => [
  ["", `CPU µs/${unit[0]}`, `${unit[1]}/s`],
  ...taking.map(({ name }, i) => [name, comparedTo(rates, i, "cpu"), comparedTo(rates, i, "perSecond")])
]

const sessions = async (chosen: Chosen, options: Options): Promise<void> => {
  const [rates] = await turns(
    chosen,
    options.rounds,
    (candidate) => Measures.sessions(candidate, options),
    [(warm) => warm.turn()]
  )
  show(
    `Sessions opened, ${number(Measures.openedSessions(options))} a turn: initialize and notifications/initialized`,
    rows(chosen, rates, ["session", "sessions"])
  )
  warn(chosen, chosen.map((_, i) => spreadOf(rates, i)))
}

const heap = async (chosen: Chosen): Promise<void> => {
  const { before, measured } = Measures.heapSessions
  // It hardly differs between rounds.
  const samples = await rounds(chosen, 1, Measures.heap)
  show(`Heap per idle session, of ${number(measured)} after ${number(before)}`, [
    ["", "bytes", "KiB"],
    ...chosen.map(({ name }, i) => {
      const bytes = samples[i] ?? []
      return [name, compared(bytes, samples[0] ?? []), number(median(bytes) / 1024)]
    })
  ])
}

const notifications = async (chosen: Chosen, era: Candidates.Era, title: string, options: Options): Promise<void> => {
  const { taking, without } = speaking(chosen, era)
  const [rates] = await turns(
    taking,
    options.rounds,
    (candidate) => Measures.notifications(candidate, era, options),
    [(warm) => warm.turn(1)]
  )
  show(
    `Progress notifications on the event stream of a call, ${REPORTS} each, one call at a time, ${title}`,
    rows(taking, rates, ["notification", "notifications"]),
    without
  )
  warn(taking, taking.map((_, i) => spreadOf(rates, i)))
}
