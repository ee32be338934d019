/**
 * What the suite has printed, as a table: each scenario, whether it has passed, and whether it is scored.
 *
 * Knows the lines of the suite's summary, and the failures that are known.
 */

/**
 * Scored scenarios that may fail, with the reason. One that passes after all is to be removed.
 */
const known: Readonly<Record<string, string>> = {}

export interface Scenario {
  readonly name: string
  readonly passed: boolean
  readonly checks: string
  readonly unscored: string | undefined
}

export interface Report {
  readonly revision: string
  readonly scenarios: ReadonlyArray<Scenario>
  readonly output: string
}

const SUMMARY = /^([✓✗]) ([\w-]+): (\d+ passed, \d+ failed)/u
const UNSCORED = /^\s+[✓✗] ([\w-]+) \(([^)]+)\)/u

export const read = (revision: string, output: string): Report => {
  const lines = output.split("\n")
  const unscored = new Map(lines.flatMap((line) => {
    const [, name, why] = UNSCORED.exec(line) ?? []
    return name === undefined || why === undefined ? [] : [[name, why] as const]
  }))
  const scenarios = lines.flatMap((line): ReadonlyArray<Scenario> => {
    const [, mark, name, checks] = SUMMARY.exec(line) ?? []
    return name === undefined || checks === undefined
      ? []
      : [{ name, passed: mark === "✓", checks, unscored: unscored.get(name) }]
  })
  return { revision, scenarios, output }
}

const scored = ({ scenarios }: Report): ReadonlyArray<Scenario> =>
  scenarios.filter(({ unscored }) => unscored === undefined)

export const table = (report: Report): string => {
  const width = Math.max(0, ...report.scenarios.map(({ name }) => name.length))
  const rows = report.scenarios.map(({ checks, name, passed, unscored }) => {
    const reason = passed || unscored !== undefined ? undefined : known[name]
    const note = unscored === undefined ? "scored" : `not scored: ${unscored}`
    return `${passed ? "pass" : "FAIL"}  ${name.padEnd(width)}  ${checks.padEnd(22)}  ${note}` +
      (reason === undefined ? "" : `; known: ${reason}`)
  })
  const all = scored(report)
  const stale = all.filter(({ name, passed }) => passed && Object.hasOwn(known, name))
  return [
    ...rows,
    ...stale.map(({ name }) => `${name} passes, and is in the list of known failures still`),
    `${report.revision}: ${all.filter(({ passed }) => passed).length} of ${all.length} scored scenarios passed`,
    // Without a summary, what was printed is all there is.
    ...(all.length === 0 ? [report.output] : [])
  ].join("\n")
}

/**
 * Whether everything that is scored has passed, but for what is known.
 */
export const isGood = (report: Report): boolean => {
  const all = scored(report)
  return all.length > 0 && all.every(({ name, passed }) => passed || Object.hasOwn(known, name))
}
