/** Measures the servers over stdio: each value in a fresh process, rounds interleaved, medians over the rounds. */
import * as Build from "./Build.ts"
import * as Candidates from "./Candidates.ts"
import * as Driver from "./Driver.ts"
import * as Messages from "./Messages.ts"
import { chosen as choose, describe, type Options, rounds, warn } from "./Rounds.ts"
import { type Scenario, scenarios } from "./Scenarios.ts"
import { compared, median, number, quantile, spread, table } from "./Table.ts"

interface Sample {
  readonly cpu: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Bytes that answer one call. */
  readonly bytes: number
}

export const stdio = async (options: Options): Promise<void> => {
  await Build.buildAll("stdio")
  const chosen = choose(Candidates.stdio, options)
  const { measureMs, warmUpMs } = options
  console.log(`${
    describe(
      options,
      `per round and server ${warmUpMs} ms of warm-up, ${measureMs} ms under load, ${measureMs} ms one at a time`
    )
  } p99 of fewer than 100 calls: the slowest.`)
  for (const scenario of scenarios) {
    const taking = chosen.filter(({ eras }) => eras.includes(scenario.era))
    const samples = await rounds(taking, options.rounds, (candidate) => sample(candidate, scenario, options))
    console.log(`\n${scenario.title}\n${table(callRows(taking, samples, scenario))}`)
    warn(taking, samples.map((all) => spread(all.map(({ cpu }) => cpu))))
  }
  await coldStarts(chosen, options)
}

const initialize = `${Messages.initialize(Messages.STATEFUL)}\n`

const sample = async (candidate: Candidates.Candidate, scenario: Scenario, options: Options): Promise<Sample> => {
  const server = Driver.start(Build.serverFile("stdio", candidate.file, "installed"), {
    tools: scenario.tools,
    probed: true
  })
  if (scenario.era === "stateful") {
    const reply = server.lines(1)
    server.send(initialize)
    await reply
    server.send(`${Messages.initialized}\n`)
  }
  const first = server.lines(scenario.call.lines)
  server.send(scenario.call.text(1))
  const answer = await first
  const problem = scenario.problem(answer)
  if (problem !== undefined) throw new Error(`${candidate.name}, ${scenario.title}: ${problem}`)

  const { call, window } = scenario
  const warm = await Driver.sustain(server, call, window, options.warmUpMs, 2)
  let nextId = 2 + warm.calls
  const before = await server.cpu()
  const loaded = await Driver.sustain(server, call, window, options.measureMs, nextId)
  const cpu = (await server.cpu() - before) / loaded.calls
  nextId += loaded.calls
  const times = await Driver.oneByOne(server, call, options.measureMs, nextId)
  await server.stop()
  return {
    cpu,
    perSecond: loaded.calls / loaded.ms * 1000,
    p50: median(times),
    p99: quantile(times, 0.99),
    bytes: answer.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
  }
}

const callRows = (
  taking: ReadonlyArray<Candidates.Candidate>,
  samples: ReadonlyArray<ReadonlyArray<Sample>>,
  scenario: Scenario
): ReadonlyArray<ReadonlyArray<string>> => {
  const of = (i: number, key: keyof Sample): ReadonlyArray<number> => (samples[i] ?? []).map((sample) => sample[key])
  const cell = (i: number, key: keyof Sample): string => compared(of(i, key), of(0, key))
  return [
    ["", "CPU µs/call", `calls/s, window ${scenario.window}`, "latency p50 µs", "p99 µs", "reply bytes"],
    ...taking.map(({ name }, i) => [
      name,
      cell(i, "cpu"),
      cell(i, "perSecond"),
      cell(i, "p50"),
      cell(i, "p99"),
      number(median(of(i, "bytes")))
    ])
  ]
}

const coldStarts = async (chosen: ReadonlyArray<Candidates.Candidate>, options: Options): Promise<void> => {
  // One start says little, and takes little time.
  const count = options.rounds * 5
  const forms = ["installed", "bundled"] as const
  // A form after the other, so that no start is measured in the wake of a heavier one of the same server.
  const installed = await rounds(chosen, count, ({ file }) => coldStart(file, "installed"))
  const bundled = await rounds(chosen, count, ({ file }) => coldStart(file, "bundled"))
  const of = (i: number, form: number): ReadonlyArray<number> => [installed, bundled][form]?.[i] ?? []
  console.log(`\nCold start, ms from spawn to the reply of initialize, ${count} rounds\n${
    table([
      ["", ...forms, "bundle KiB"],
      ...chosen.map(({ file, name }, i) => [
        name,
        ...forms.map((_, form) => compared(of(i, form), of(0, form))),
        number(Build.bundleSize("stdio", file))
      ])
    ])
  }`)
  warn(chosen, chosen.map((_, i) => Math.max(...forms.map((_, form) => spread(of(i, form))))))
}

const coldStart = async (file: string, form: Build.Form): Promise<number> => {
  const began = performance.now()
  const server = Driver.start(Build.serverFile("stdio", file, form), { tools: 2, probed: false })
  const reply = server.lines(1)
  server.send(initialize)
  await reply
  const time = performance.now() - began
  await server.stop()
  return time
}
