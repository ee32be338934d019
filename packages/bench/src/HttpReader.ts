/** The replies in what a server writes to a connection. Knows lengths and chunks, and no more of HTTP than that. */

export interface Reply {
  readonly status: number
  /** The status line and the headers. */
  readonly head: string
  readonly body: Buffer
}

const EMPTY = Buffer.alloc(0)
const LINE_BREAK = "\r\n"

/** Reads chunks, and calls back with each reply once it is complete. */
export const make = (onReply: (reply: Reply) => void): (chunk: Buffer) => void => {
  let rest: Buffer = EMPTY
  let head: string | undefined
  let length: number | undefined
  let pieces: Array<Buffer> = []

  const finish = (): void => {
    const reply = { status: Number(head?.slice(9, 12)), head: head ?? "", body: Buffer.concat(pieces) }
    head = undefined
    pieces = []
    onReply(reply)
  }

  // What is left of the bytes is kept: they do not hold a whole head, body or chunk.
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (;;) {
      if (head === undefined) {
        const end = bytes.indexOf(LINE_BREAK + LINE_BREAK, at)
        if (end < 0) break
        head = bytes.toString("latin1", at, end)
        length = lengthOf(head)
        at = end + 4
      }
      if (length !== undefined) {
        if (bytes.length < at + length) break
        pieces.push(bytes.subarray(at, at + length))
        at += length
        finish()
        continue
      }
      const end = bytes.indexOf(LINE_BREAK, at)
      if (end < 0) break
      const size = Number.parseInt(bytes.toString("latin1", at, end), 16)
      const from = end + 2
      if (bytes.length < from + size + 2) break
      if (size > 0) pieces.push(bytes.subarray(from, from + size))
      at = from + size + 2
      if (size === 0) finish()
    }
    rest = at === bytes.length ? EMPTY : bytes.subarray(at)
  }
}

// `undefined`: it comes in chunks.
const lengthOf = (head: string): number | undefined => {
  const given = /\r\ncontent-length: *(\d+)/iu.exec(head)
  if (given !== null) return Number(given[1])
  if (/\r\ntransfer-encoding: *chunked/iu.test(head)) return undefined
  if (head.startsWith("HTTP/1.1 204")) return 0
  throw new Error(`A reply with neither a length nor chunks:\n${head}`)
}
