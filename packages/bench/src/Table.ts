/** Numbers for people: medians, ratios to the floor, and columns that line up. */

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

export const quantile = (values: ReadonlyArray<number>, q: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

/** How far the rounds lie apart, in parts of their median. */
export const spread = (values: ReadonlyArray<number>): number =>
  (Math.max(...values) - Math.min(...values)) / median(values)

export const number = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(value >= 10 ? 1 : 2)

/** The median of the values, and the median of their ratios to those of the floor in the same rounds. */
export const compared = (values: ReadonlyArray<number>, floor: ReadonlyArray<number>): string => {
  const ratio = median(values.map((value, round) => value / (floor[round] ?? Number.NaN)))
  return `${number(median(values))} (${ratio.toFixed(2)}x)`
}

/** The first column is text, the others are numbers. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const format = (row: ReadonlyArray<string>): string =>
    row.map((cell, i) => i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)).join("   ")
  return rows.map(format).join("\n")
}
