/** What every server under test offers, so that each file differs only by its framework. */

export const INFO = { name: "bench", version: "1.0.0" }

/** Progress notifications that one call of `progress` sends. */
export const REPORTS = 1000

/** How many tools the server is to list: its first argument; `echo` and `progress` alone by default. */
export const toolCount = Math.max(2, Number(process.argv[2] ?? 2))

export const ECHO = "Returns the text that it is given"
export const PROGRESS = `Reports progress ${REPORTS} times`

/** The names of the tools that only fill the list; each takes a text and a number. */
export const fillers = Array.from({ length: toolCount - 2 }, (_, i) => `filler_${i}`)
export const FILLER = "A tool that is listed, and never called"
