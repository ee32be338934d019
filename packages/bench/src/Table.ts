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

/** To those of the floor, taken next to them. */
export const ratios = (values: ReadonlyArray<number>, floor: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.map((value, i) => value / (floor[i] ?? Number.NaN))

/** The median of the values, and the median of their ratios. */
export const compared = (values: ReadonlyArray<number>, floor: ReadonlyArray<number>): string =>
  `${number(median(values))} (${median(ratios(values, floor)).toFixed(2)}x)`

/** The same at the speed that the machine had for the floor most of the time: `usual` of the floor, times the ratio. */
export const scaled = (values: ReadonlyArray<number>, floor: ReadonlyArray<number>, usual: number): string => {
  const ratio = median(ratios(values, floor))
  return `${number(ratio * usual)} (${ratio.toFixed(2)}x)`
}

/** The first column is text, the others are numbers. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const format = (row: ReadonlyArray<string>): string =>
    row.map((cell, i) => i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)).join("   ")
  return rows.map(format).join("\n")
}
