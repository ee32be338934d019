/** Rounds of measurements: interleaved, so that a noisy minute of the machine hits all servers alike. */
import { cpus, loadavg } from "node:os"
import type { Candidate } from "./Candidates.ts"

export interface Options {
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
  "(…x): the ratio to the hand-written server in the same round. All are medians over the rounds.\n" +
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

export const warn = (taking: ReadonlyArray<Candidate>, spreads: ReadonlyArray<number>): void => {
  const noisy = taking.flatMap(({ name }, i) => {
    const value = spreads[i] ?? 0
    return value > 0.25 ? [`${name} ${Math.round(value * 100)} %`] : []
  })
  if (noisy.length > 0) console.log(`Noisy: the rounds lie apart by ${noisy.join(", ")} of the median.`)
}
