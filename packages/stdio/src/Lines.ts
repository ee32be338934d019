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
  // The line that earlier chunks have begun: its size so far, and its bytes; past the limit only its edges are kept.
  let size = 0
  let held: Array<Uint8Array> = []
  let head: Uint8Array | undefined

  const emit = (text: string): void => {
    const line = text.endsWith("\r") ? text.slice(0, -1) : text
    if (line.length > limit) return handler.tooLarge(line.slice(0, EDGE), line.slice(-EDGE))
    if (line.trim() !== "") handler.line(line)
  }
  const hold = (chunk: Uint8Array): void => {
    size += chunk.length
    // The chunk belongs to whoever read it, who may use it again.
    held.push(chunk.slice())
    if (size <= limit) return
    const all = concat(held)
    head ??= all.slice(0, EDGE)
    held = [all.slice(-EDGE)]
  }
  const finish = (): void => {
    const text = decoder.decode(concat(held))
    if (head === undefined) emit(text)
    else handler.tooLarge(decoder.decode(head), text)
    size = 0
    held = []
    head = undefined
  }
  return {
    push: (chunk) => {
      const last = chunk.lastIndexOf(NEWLINE)
      if (last < 0) return hold(chunk)
      let whole = chunk.subarray(0, last)
      if (size > 0) {
        const first = chunk.indexOf(NEWLINE)
        hold(chunk.subarray(0, first))
        finish()
        whole = chunk.subarray(first + 1, last)
      }
      if (whole.length > 0) { for (const line of decoder.decode(whole).split("\n")) emit(line) }
      if (last + 1 < chunk.length) hold(chunk.subarray(last + 1))
    },
    end: () => {
      if (size > 0) finish()
    }
  }
}

const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    all.set(chunk, offset)
    offset += chunk.length
  }
  return all
}
