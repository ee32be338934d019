/**
 * A server over stdio, and a client of it that costs as little as it can: it knows lines, not JSON, while it measures.
 */
import { type Options, type ServerProcess, start as startProcess } from "./ServerProcess.ts"

const NEWLINE = 10

export interface Server extends ServerProcess {
  readonly send: (text: string) => void
  /** Calls back with every chunk that the server writes. One listener at a time. */
  readonly onChunk: (listener: (chunk: Buffer) => void) => void
  /** The next `count` lines. */
  readonly lines: (count: number) => Promise<ReadonlyArray<string>>
}

export const start = (file: string, options: Options): Server => {
  const server = startProcess(file, options)
  let listener = (_chunk: Buffer): void => {}
  server.output.on("data", (chunk: Buffer) => listener(chunk))
  return {
    ...server,
    send: (text) => void server.input.write(text),
    onChunk: (next) => {
      listener = next
    },
    lines: (count) =>
      new Promise((resolve) => {
        let text = ""
        listener = (chunk) => {
          text += chunk.toString("utf8")
          const all = text.split("\n")
          if (all.length > count) resolve(all.slice(0, count))
        }
      })
  }
}

export interface Call {
  /** The text of the call, with its line break. */
  readonly text: (id: number) => string
  /** How many lines answer it. */
  readonly lines: number
}

/** Keeps `window` calls in flight for `ms`, then waits for the last of them: how many calls, in how many ms. */
export const sustain = (server: Server, call: Call, window: number, ms: number, firstId: number) =>
  new Promise<{ readonly calls: number; readonly ms: number }>((resolve) => {
    let sent = 0
    let seen = 0
    let open = true
    const began = performance.now()
    const send = (count: number): void => {
      let text = ""
      for (let i = 0; i < count; i++) text += call.text(firstId + sent++)
      server.send(text)
    }
    server.onChunk((chunk) => {
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) seen++
      const done = Math.floor(seen / call.lines)
      open &&= performance.now() - began < ms
      const due = window - (sent - done)
      if (open && due > 0) send(due)
      else if (done === sent) resolve({ calls: sent, ms: performance.now() - began })
    })
    send(window)
  })

/** Calls one at a time for `ms`: how long each took, in microseconds. */
export const oneByOne = (server: Server, call: Call, ms: number, firstId: number) =>
  new Promise<ReadonlyArray<number>>((resolve) => {
    const times: Array<number> = []
    const end = performance.now() + ms
    let seen = 0
    let began = 0
    const next = (): void => {
      seen = 0
      began = performance.now()
      server.send(call.text(firstId + times.length))
    }
    server.onChunk((chunk) => {
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) seen++
      if (seen < call.lines) return
      const now = performance.now()
      times.push((now - began) * 1000)
      if (now < end) next()
      else resolve(times)
    })
    next()
  })
