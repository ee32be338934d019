/** A server in a process of its own, and what the probe in it measures. Knows nothing of how it is spoken to. */
import { type ChildProcess, spawn } from "node:child_process"
import type { Duplex, Readable, Writable } from "node:stream"
import { probeFile } from "./Build.ts"

export interface ServerProcess {
  readonly input: Writable
  readonly output: Readable
  /** CPU time of the process so far, in microseconds. */
  readonly cpu: () => Promise<number>
  /** What its heap holds once all garbage is gone, in bytes. For a process that was started with `gc`. */
  readonly heap: () => Promise<number>
  /** Ends its input, and waits for it to exit. */
  readonly stop: () => Promise<void>
  /** Ends it, whatever it does. */
  readonly kill: () => Promise<void>
}

export interface Options {
  readonly tools: number
  readonly probed: boolean
  readonly gc?: boolean
}

export const start = (file: string, { gc = false, probed, tools }: Options): ServerProcess => {
  const flags = [...(gc ? ["--expose-gc"] : []), ...(probed ? ["--import", probeFile] : [])]
  const child = spawn(process.execPath, [...flags, file, String(tools)], {
    stdio: ["pipe", "pipe", "pipe", ...(probed ? ["pipe" as const] : [])]
  })
  const { stderr, stdin, stdout } = child as ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable }
  const channel = child.stdio[3] as Duplex | null | undefined
  let log = ""
  let stopping = false
  stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-4000)
  })
  stdin.on("error", () => {})
  channel?.on("error", () => {})
  const exited = new Promise<void>((resolve) =>
    child.once("exit", (code) => {
      if (!stopping) {
        console.error(`${file} ended with code ${code}\n${log}`)
        process.exit(1)
      }
      resolve()
    })
  )
  const ask = (question: string): Promise<number> =>
    new Promise((resolve) => {
      channel?.once("data", (chunk: Buffer) => resolve(Number(chunk.toString())))
      channel?.write(question)
    })
  return {
    input: stdin,
    output: stdout,
    cpu: () => ask("c"),
    heap: () => ask("h"),
    stop: async () => {
      stopping = true
      stdin.end()
      const overdue = setTimeout(() => child.kill(), 3000)
      await exited
      clearTimeout(overdue)
    },
    kill: () => {
      stopping = true
      child.kill("SIGKILL")
      return exited
    }
  }
}
