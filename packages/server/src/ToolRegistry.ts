/**
 * The tools that a server offers now, by name, in the order of their names. One registry serves all sessions.
 *
 * @since 0.1.0
 */
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Method } from "./Call.ts"

/**
 * A tool and what calls it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  readonly tool: Tool.Tool
  readonly call: Method
}

/**
 * A tool that cannot be registered: its name is taken or ill-formed, or its schemas cannot be advertised.
 *
 * @since 0.1.0
 * @category errors
 */
export class RegistrationError extends Data.TaggedError("RegistrationError")<{
  readonly tool: string
  readonly message: string
  readonly cause?: unknown
}> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface ToolRegistry {
  readonly get: (name: string) => Entry | undefined
  /** All entries by name. The same array until something changes. */
  readonly list: () => ReadonlyArray<Entry>
  /** Whether a tool was ever registered: then the capability is declared. */
  readonly used: () => boolean
  /** Adds a tool until the scope closes. */
  readonly add: (entry: Entry) => Effect.Effect<void, RegistrationError, Scope.Scope>
  /** Calls back after every change; returns how to stop. */
  readonly onChange: (f: () => void) => () => void
}

/**
 * An empty registry.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): ToolRegistry => {
  const entries = new Map<string, Entry>()
  const observers = new Set<() => void>()
  let sorted: ReadonlyArray<Entry> | undefined
  let used = false

  const changed = (): void => {
    sorted = undefined
    for (const observe of observers) observe()
  }
  const insert = (entry: Entry): Effect.Effect<void, RegistrationError> =>
    Effect.suspend(() => {
      const problem = problemOf(entry.tool.name, entries)
      if (problem !== undefined) return Effect.fail(problem)
      return Effect.map(advertisable(entry.tool), () => {
        used = true
        entries.set(entry.tool.name, entry)
        changed()
      })
    })

  return {
    get: (name) => entries.get(name),
    list: () => sorted ??= [...entries.values()].toSorted((a, b) => a.tool.name < b.tool.name ? -1 : 1),
    used: () => used,
    add: (entry) =>
      Effect.acquireRelease(insert(entry), () =>
        Effect.sync(() => {
          entries.delete(entry.tool.name)
          changed()
        })),
    onChange: (f) => {
      observers.add(f)
      return () => void observers.delete(f)
    }
  }
}

const problemOf = (name: string, entries: ReadonlyMap<string, Entry>): RegistrationError | undefined => {
  const quoted = JSON.stringify(name)
  if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name)) {
    return new RegistrationError({
      tool: name,
      message: `The tool name ${quoted} is ill-formed: 1 to 128 of A-Z, a-z, 0-9, "_", "-" and "." are allowed`
    })
  }
  return entries.has(name)
    ? new RegistrationError({ tool: name, message: `There is already a tool named ${quoted}` })
    : undefined
}

const advertisable = (tool: Tool.Tool): Effect.Effect<void, RegistrationError> =>
  Effect.try({
    try: () => Tool.check(tool),
    catch: (cause) =>
      new RegistrationError({ tool: tool.name, message: cause instanceof Error ? cause.message : String(cause), cause })
  })
