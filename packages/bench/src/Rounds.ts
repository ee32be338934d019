/** Rounds of measurements: interleaved, so that a noisy minute of the machine hits all servers alike. */
import { cpus, loadavg } from "node:os"
import type { Candidate } from "./Candidates.ts"

export interface Options {
  /** How many times all servers are started anew. */
  readonly rounds: number
  readonly warmUpMs: number
  readonly measureMs: number
  /** Only these servers, beside the floor. */
  readonly only: ReadonlyArray<string>
}

/** On what it is measured, and how: `perRound` is what happens in each round. */
export const describe = (options: Options, perRound: string): string =>
  `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, load ${
    (loadavg()[0] ?? 0).toFixed(1)
  } at the start\n${options.rounds} rounds; ${perRound}\n` +
  "(…x): the ratio to the hand-written server at the same time. All are medians.\n" +
  "CPU: user and system time of the server's process."

export const chosen = <C extends Candidate>(all: ReadonlyArray<C>, { only }: Options): ReadonlyArray<C> =>
  all.filter(({ file }, i) => i === 0 || only.length === 0 || only.includes(file))

/** What `take` returns for each candidate, by candidate and round. */
export const rounds = async <C extends Candidate, A>(
  taking: ReadonlyArray<C>,
  count: number,
  take: (candidate: C) => Promise<A>
): Promise<ReadonlyArray<ReadonlyArray<A>>> => {
  const samples = taking.map((): Array<A> => [])
  for (let round = 0; round < count; round++) {
    for (const [i, candidate] of taking.entries()) samples[i]?.push(await take(candidate))
  }
  return samples
}

/** A server that is warm, and waits for its turn. */
export interface Warm {
  readonly stop: () => Promise<void>
}

/** What was measured of a candidate, and of the floor right before and right after. */
export interface Turn<A> {
  readonly own: A
  readonly floor: readonly [A, A]
}

/** How many times a server and the floor take turns in each measure of a round. */
export const LAPS = 6

/**
 * What each measure says, by measure, candidate and lap. Each server takes turns with the floor, of a fraction of a second: the
 * speed of a shared machine changes within seconds.
 */
export const turns = async <C extends Candidate, W extends Warm, A>(
  taking: ReadonlyArray<C>,
  count: number,
  start: (candidate: C) => Promise<W>,
  measures: ReadonlyArray<(warm: W) => Promise<A>>
): Promise<ReadonlyArray<ReadonlyArray<ReadonlyArray<Turn<A>>>>> => {
  const samples = measures.map(() => taking.map((): Array<Turn<A>> => []))
  const [first, ...others] = taking
  if (first === undefined) return samples
  for (let round = 0; round < count; round++) {
    const floor = await start(first)
    for (const [i, candidate] of others.entries()) {
      const warm = await start(candidate)
      for (const [kind, measure] of measures.entries()) {
        let before = await measure(floor)
        for (let lap = 0; lap < LAPS; lap++) {
          const own = await measure(warm)
          const after = await measure(floor)
          samples[kind]?.[0]?.push({ own: after, floor: [after, after] })
          samples[kind]?.[i + 1]?.push({ own, floor: [before, after] })
          before = after
        }
      }
      await warm.stop()
    }
    await floor.stop()
  }
  return samples
}

export const warn = (taking: ReadonlyArray<Candidate>, spreads: ReadonlyArray<number>): void => {
  const noisy = taking.flatMap(({ name }, i) => {
    const value = spreads[i] ?? 0
    return value > 0.25 ? [`${name} ${Math.round(value * 100)} %`] : []
  })
  if (noisy.length > 0) console.log(`Noisy: the rounds lie apart by ${noisy.join(", ")} of the median.`)
}
