/**
 * The text of a body, where the platform's request is a stream of Node's: read with three listeners. The platform's own
 * reader serves every use there is, and costs as much as all the rest of a call.
 *
 * Knows such a stream by its shape, and leaves everything else to the platform.
 */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Deadlines } from "./deadlines.ts"

interface Readable {
  readonly readableFlowing: boolean | null
  readonly destroyed: boolean
  readonly on: (event: string, listener: (value: Uint8Array) => void) => unknown
  readonly off: (event: string, listener: (value: Uint8Array) => void) => unknown
}

export type Problem = "too large" | "unreadable" | "late"

/** How much of it, how long, and what to fail with otherwise. */
export interface Bounds<E> {
  readonly bytes: number
  readonly deadlines: Deadlines
  readonly errors: Readonly<Record<Problem, E>>
}

/** `undefined`: it is none. */
export const text = <E>(request: HttpServerRequest, bounds: Bounds<E>): Effect.Effect<string, E> | undefined => {
  const source = request.source as Partial<Readable> | undefined
  // Somebody else reads it, or a client waits to be told to send it.
  if (typeof source?.on !== "function" || source.readableFlowing !== null || "expect" in request.headers) {
    return undefined
  }
  // Sound: the shape of Node's streams was just seen.
  return read(source as Readable, bounds)
}

const decoder = new TextDecoder()

const read = <E>(source: Readable, { bytes, deadlines, errors }: Bounds<E>): Effect.Effect<string, E> =>
  Effect.callback<string, E>((resume) => {
    if (source.destroyed) return resume(Effect.fail(errors.unreadable))
    const chunks: Array<Uint8Array> = []
    let size = 0
    let ended = false
    const fail = (problem: Problem) => (): void => {
      if (ended) return
      stop()
      resume(Effect.fail(errors[problem]))
    }
    const broken = fail("unreadable")
    const done = deadlines.watch(fail("late"))
    const stop = (): void => {
      done()
      source.off("data", data)
      source.off("end", end)
      source.off("close", broken)
    }
    const data = (chunk: Uint8Array): void => {
      size += chunk.length
      if (size <= bytes) return void chunks.push(chunk)
      fail("too large")()
    }
    // Nothing comes after it, so that the listeners may stay.
    const end = (): void => {
      ended = true
      done()
      const text = decoder.decode(joined(chunks, size))
      chunks.length = 0
      resume(Effect.succeed(text))
    }
    source.on("data", data)
    source.on("end", end)
    source.on("close", broken)
    return Effect.sync(stop)
  })

const joined = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
