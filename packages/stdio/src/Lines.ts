/**
 * The framing of stdio: one line of UTF-8 is one message. Chunks may end anywhere, also inside a character.
 *
 * Knows bytes and lines; not what the lines say.
 *
 * @since 0.1.0
 */

/**
 * Receives the lines of a stream of bytes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Handler {
  /** A line that is not blank, without its line break. */
  readonly line: (line: string) => void
  /** A line over the limit, by its first and last characters. The next line is read as ever. */
  readonly tooLarge: (head: string, tail: string) => void
}

const NEWLINE = 10
const EDGE = 512
// A buffer up to this size is used again for the next line.
const KEPT = 64 * 1024

/**
 * Splits chunks of bytes into lines. Takes CRLF, a byte order mark and blank lines; a line over `limit` bytes is
 * skipped without being held. `push` takes a chunk; `end` the end of input, with which an unfinished line ends.
 *
 * @since 0.1.0
 * @category constructors
 */
export const splitter = (limit: number, handler: Handler): {
  readonly push: (chunk: Uint8Array) => void
  readonly end: () => void
} => {
  const decoder = new TextDecoder()
  const held = new Held(limit)

  const emit = (text: string): void => {
    const line = text.endsWith("\r") ? text.slice(0, -1) : text
    if (line.length > limit) return handler.tooLarge(line.slice(0, EDGE), line.slice(-EDGE))
    if (line.trim() !== "") handler.line(line)
  }
  const finish = (): void => {
    const text = decoder.decode(held.bytes())
    if (held.head === undefined) emit(text)
    else handler.tooLarge(decoder.decode(held.head), text)
    held.clear()
  }
  return {
    push: (chunk) => {
      const last = chunk.lastIndexOf(NEWLINE)
      if (last < 0) return held.add(chunk)
      let whole = chunk.subarray(0, last)
      if (held.size > 0) {
        const first = chunk.indexOf(NEWLINE)
        held.add(chunk.subarray(0, first))
        finish()
        whole = chunk.subarray(first + 1, last)
      }
      if (whole.length > 0) { for (const line of decoder.decode(whole).split("\n")) emit(line) }
      if (last + 1 < chunk.length) held.add(chunk.subarray(last + 1))
    },
    end: () => {
      if (held.size > 0) finish()
    }
  }
}

/** The line that earlier chunks have begun, in a buffer of its own, since a chunk belongs to whoever read it. */
class Held {
  private readonly limit: number
  private buffer = new Uint8Array()
  private used = 0
  /** How long the line is so far, held or not. */
  size = 0
  /** The first bytes of a line that is over the limit; of the rest only the last are held. */
  head: Uint8Array | undefined

  constructor(limit: number) {
    this.limit = limit
  }

  add(chunk: Uint8Array): void {
    this.size += chunk.length
    this.append(chunk)
    // One more than the limit is a carriage return, or is found out when the line ends.
    if (this.size <= this.limit + 1) return
    const all = this.bytes()
    this.head ??= all.slice(0, EDGE)
    this.buffer = all.slice(-EDGE)
    this.used = this.buffer.length
  }

  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.used)
  }

  clear(): void {
    this.size = 0
    this.used = 0
    this.head = undefined
    if (this.buffer.length > KEPT) this.buffer = new Uint8Array()
  }

  private append(chunk: Uint8Array): void {
    const needed = this.used + chunk.length
    if (needed > this.buffer.length) {
      const larger = new Uint8Array(Math.max(needed, this.buffer.length * 2))
      larger.set(this.bytes())
      this.buffer = larger
    }
    this.buffer.set(chunk, this.used)
    this.used = needed
  }
}
