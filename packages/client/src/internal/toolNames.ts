/** Names of tools that language models take, each for one tool of one server, whatever that calls it. */

/** The longest name, and the characters, that all providers of models take. */
export const MAX = 64
const OTHER = /[^\w-]/gu

export interface Origin {
  readonly server: string | undefined
  readonly tool: string
}

/** A name for each, in their order. It depends on nothing but the set of them: not on their order. */
export const make = (origins: ReadonlyArray<Origin>): ReadonlyArray<string> => {
  const plain = origins.map(plainly)
  const seen = new Map<string, number>()
  for (const name of plain) seen.set(name, (seen.get(name) ?? 0) + 1)
  return origins.map((origin, index) => {
    const name = plain[index] ?? ""
    const isExact = name.length <= MAX && name === exactly(origin) && seen.get(name) === 1
    if (isExact) return name
    const mark = `_${hash(JSON.stringify([origin.server ?? null, origin.tool]))}`
    return name.slice(0, MAX - mark.length) + mark
  })
}

const exactly = ({ server, tool }: Origin): string => server === undefined ? tool : `${server}__${tool}`

const plainly = (origin: Origin): string => exactly(origin).replace(OTHER, "_")

// FNV-1a with 32 bits: it tells names apart, and hides nothing.
const hash = (text: string): string => {
  let state = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193)
  return (state >>> 0).toString(16).padStart(8, "0")
}
