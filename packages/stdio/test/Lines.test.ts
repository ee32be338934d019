import { assert, describe, it } from "@effect/vitest"
import { Lines } from "@mcp-effect/stdio"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const encode = (text: string) => new TextEncoder().encode(text)

const read = (limit: number, chunks: ReadonlyArray<Uint8Array>, end = true) => {
  const lines: Array<string> = []
  const large: Array<readonly [string, string]> = []
  const splitter = Lines.splitter(limit, {
    line: (line) => void lines.push(line),
    tooLarge: (head, tail) => void large.push([head, tail])
  })
  for (const chunk of chunks) splitter.push(chunk)
  if (end) splitter.end()
  return { lines, large }
}

const everyByte = (text: string) => Array.from(encode(text), (byte) => Uint8Array.of(byte))

describe("Lines", () => {
  it("MUST yield the lines of a chunk, without blank ones, CRLF or a byte order mark", () => {
    const { lines } = read(1000, [encode("\uFEFF{\"a\":1}\r\n\n   \n{\"b\":2}\n\r\n")])
    assert.deepStrictEqual(lines, ["{\"a\":1}", "{\"b\":2}"])
  })

  it("MUST join what chunks cut, also inside a character", () => {
    const { lines } = read(1000, everyByte("né\n\u{1F600}x\r\ny\n"))
    assert.deepStrictEqual(lines, ["né", "\u{1F600}x", "y"])
  })

  it("MUST take an unfinished line at the end of input, and not before", () => {
    assert.deepStrictEqual(read(1000, [encode("one\ntwo")], false).lines, ["one"])
    assert.deepStrictEqual(read(1000, [encode("one\ntwo")]).lines, ["one", "two"])
  })

  it("MUST skip a line over the limit with its edges, and serve the next", () => {
    const long = "a".repeat(600) + "b".repeat(600)
    for (
      const chunks of [[encode(`${long}\nnext\n`)], everyByte(`${long}\nnext\n`), [encode(long), encode("\nnext\n")]]
    ) {
      const { large, lines } = read(1000, chunks)
      assert.deepStrictEqual(lines, ["next"])
      assert.deepStrictEqual(large, [["a".repeat(512), "b".repeat(512)]])
    }
  })

  it("MUST take a line of exactly the limit", () => {
    const { large, lines } = read(10, [encode("0123456789\n"), encode("01234"), encode("56789\n")])
    assert.deepStrictEqual([lines, large], [["0123456789", "0123456789"], []])
  })

  it("MUST NOT count the carriage return of a line of exactly the limit", () => {
    for (const chunks of [[encode("0123456789\r\n")], everyByte("0123456789\r\n")]) {
      assert.deepStrictEqual(read(10, chunks).lines, ["0123456789"])
    }
    assert.strictEqual(read(10, everyByte("0123456789a\n")).large.length, 1)
  })

  it("MUST NOT keep a view of a chunk whose owner reuses it", () => {
    const buffer = encode("first half, ")
    const lines: Array<string> = []
    const splitter = Lines.splitter(100, { line: (line) => void lines.push(line), tooLarge: () => {} })
    splitter.push(buffer)
    buffer.fill(0x78)
    splitter.push(encode("second half\n"))
    assert.deepStrictEqual(lines, ["first half, second half"])
  })

  it.effect.prop(
    "MUST yield the same lines wherever the chunks end",
    [Schema.Array(Schema.String), Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))],
    ([texts, size]) =>
      Effect.sync(() => {
        const wanted = texts.map((text) => text.replaceAll(/[\r\n\uFEFF]/g, "")).filter((text) => text.trim() !== "")
        const all = encode(wanted.map((line) => `${line}\n`).join(""))
        const chunks = Array.from(
          { length: Math.ceil(all.length / size) },
          (_, index) => all.slice(index * size, (index + 1) * size)
        )
        const { lines } = read(1_000_000, chunks)
        assert.deepStrictEqual(lines, wanted.map((line) => new TextDecoder().decode(encode(line))))
      })
  )
})
