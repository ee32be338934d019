/**
 * What a client in a process of its own has in common with the others: it calls the tool `echo` in as many loops at once as it
 * is told to, and says how many calls that were and what CPU they cost.
 */

import { on } from "node:events"

/** What a client is started with, by its arguments: what it reaches, and in which revision. */
export interface Target {
  readonly transport: "stdio" | "http"
  /** The server's file, or its URL. */
  readonly server: string
  readonly revision: "2025-11-25" | "2026-07-28"
}

const [transport, server = "", revision] = process.argv.slice(2)

export const target: Target = {
  transport: transport === "http" ? "http" : "stdio",
  server,
  revision: revision === "2025-11-25" ? revision : "2026-07-28"
}

export const isStateless = target.revision === "2026-07-28"

export const TEXT = "The quick brown fox jumps over the lazy dog"

export const INFO = { name: "bench", version: "1.0.0" }

/** Runs `window` loops of calls until the time is over; yields how many calls were made. */
export type Run = (window: number, until: number) => Promise<number>

/** Loops of a client whose calls are promises. */
export const promised = (call: () => Promise<unknown>): Run => async (window, until) => {
  let calls = 0
  const loop = async (): Promise<void> => {
    while (performance.now() < until) {
      await call()
      calls++
    }
  }
  await Promise.all(Array.from({ length: window }, loop))
  return calls
}

export interface Asked {
  readonly window: number
  readonly ms: number
}

export interface Measured {
  readonly calls: number
  readonly ms: number
  /** In microseconds. */
  readonly cpu: number
}

const measure = async (run: Run, { ms, window }: Asked): Promise<Measured> => {
  const before = process.cpuUsage()
  const began = performance.now()
  const calls = await run(window, began + ms)
  const { system, user } = process.cpuUsage(before)
  return { calls, ms: performance.now() - began, cpu: system + user }
}

/** Answers the driver until it has enough. */
export const serve = async (run: Run): Promise<void> => {
  const messages = on(process, "message", { close: ["disconnect"] })
  process.send?.("ready")
  for await (const [asked] of messages) process.send?.(await measure(run, asked as Asked))
}

/** What is no echo was not called. */
export const checked = (text: unknown): void => {
  if (!String(text).includes(TEXT)) throw new Error(`not an echo: ${JSON.stringify(text)}`)
}
