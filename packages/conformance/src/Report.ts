/**
 * What the suite has printed, as a table: each scenario, whether it has passed, and whether it is scored.
 *
 * Knows the lines of the suite's summary, and the failures that are known.
 */

const tasks = "the tasks extension is not offered"

/**
 * Scenarios that fail, with the reason: what is recorded. One that passes after all is to be removed.
 */
const known: Readonly<Record<string, string>> = {
  "tasks-lifecycle": tasks,
  "tasks-capability-negotiation": tasks,
  "tasks-wire-fields": tasks,
  "tasks-request-state-removal": tasks,
  "tasks-mrtr-input": tasks,
  "tasks-request-headers": tasks,
  "tasks-dispatch-and-envelope": tasks,
  "tasks-required-task-error": tasks,
  "tasks-mrtr-composition": tasks
}

/**
 * How many scenarios each revision has at least, scored and in all: a run that has seen fewer has not run.
 */
const expected: Readonly<Record<string, readonly [scored: number, all: number]>> = {
  "server 2025-11-25": [30, 33],
  "server 2026-07-28": [37, 50],
  // Without authorisation.
  "client 2025-11-25": [4, 5],
  "client 2026-07-28": [7, 8]
}

export interface Scenario {
  readonly name: string
  readonly passed: boolean
  readonly checks: string
  readonly unscored: string | undefined
}

export interface Report {
  readonly revision: string
  readonly side: "server" | "client"
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
  return { revision, side: "server", scenarios, output }
}

const scored = ({ scenarios }: Report): ReadonlyArray<Scenario> =>
  scenarios.filter(({ unscored }) => unscored === undefined)

export const table = (report: Report): string => {
  const width = Math.max(0, ...report.scenarios.map(({ name }) => name.length))
  const rows = report.scenarios.map(({ checks, name, passed, unscored }) => {
    const note = unscored === undefined ? "scored" : `not scored: ${unscored}`
    const reason = passed || known[name] === undefined ? "" : `; known: ${known[name]}`
    return `${passed ? "pass" : "FAIL"}  ${name.padEnd(width)}  ${checks.padEnd(22)}  ${note}${reason}`
  })
  const all = scored(report)
  const of = (some: ReadonlyArray<Scenario>): string =>
    `${some.filter(({ passed }) => passed).length} of ${some.length}`
  return [
    ...rows,
    ...problems(report),
    `${report.side}, ${report.revision}: ${of(all)} scored scenarios passed, ${of(report.scenarios)} in all`,
    // Without a summary, what was printed is all there is.
    ...(all.length === 0 || report.side === "client" ? [report.output] : [])
  ].join("\n")
}

/**
 * What is below the recorded result.
 */
export const problems = (report: Report): ReadonlyArray<string> => {
  const { revision, scenarios, side } = report
  const [fewestScored = 1, fewest = 1] = expected[`${side} ${revision}`] ?? []
  return [
    ...scenarios.flatMap(({ name, passed }) => {
      if (passed) {
        return Object.hasOwn(known, name)
          ? [`${name} passes, and is in the list of known failures still`]
          : []
      }
      return Object.hasOwn(known, name) ? [] : [`${name} fails`]
    }),
    ...(scored(report).length < fewestScored || scenarios.length < fewest
      ? [`${revision} has ${fewestScored} scored scenarios, and ${fewest} in all`]
      : [])
  ]
}
