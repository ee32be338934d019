/** The last bytes of a stream as text: what a process said before it died. */
export interface Tail {
  readonly push: (chunk: Uint8Array) => void
  readonly text: () => string
}

export const make = (limit: number): Tail => {
  let held = new Uint8Array()
  return {
    push: (chunk) => {
      const all = new Uint8Array(held.length + chunk.length)
      all.set(held)
      all.set(chunk, held.length)
      held = all.slice(-limit)
    },
    text: () => new TextDecoder().decode(held).trim()
  }
}
