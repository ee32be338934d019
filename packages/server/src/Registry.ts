/**
 * What a server offers now of one kind, by key, in the order of the keys. One registry serves all sessions.
 *
 * An entry may be there for some principals only: for the rest it does not exist.
 *
 * @since 0.1.0
 */
import type { Principal } from "@mcp-effect/protocol/Principal"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Something that cannot be registered: its key is taken or ill-formed, or it cannot be advertised.
 *
 * @since 0.1.0
 * @category errors
 */
export class RegistrationError extends Data.TaggedError("RegistrationError")<{
  readonly kind: Kind
  readonly key: string
  readonly message: string
  readonly cause?: unknown
}> {}

/**
 * @since 0.1.0
 * @category models
 */
export type Kind = "tool" | "prompt" | "resource" | "resource template" | "method" | "notification" | "extension"

/**
 * To whom an entry is offered.
 *
 * @since 0.1.0
 * @category models
 */
export interface Visibility {
  /** Must depend on the principal alone; asked for every list and call. Everybody, if it is left out. */
  readonly visibleTo?: ((principal: Principal | undefined) => boolean) | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Entry extends Visibility {
  readonly key: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Registry<E extends Entry> {
  readonly get: (key: string, principal: Principal | undefined) => E | undefined
  /** The entries by key. The same array for those who see the same, until something changes. */
  readonly list: (principal: Principal | undefined) => ReadonlyArray<E>
  /** The entries by key, whoever sees them. The same array until something changes. */
  readonly all: () => ReadonlyArray<E>
  /** Whether some entries are not for everybody. */
  readonly restricted: () => boolean
  /** Whether there ever was an entry: then the capability is declared. */
  readonly used: () => boolean
  /** Adds an entry until the scope closes. */
  readonly add: (entry: E) => Effect.Effect<void, RegistrationError, Scope.Scope>
}

/**
 * An empty registry. `check` says what is wrong with an entry by throwing; `changed` is run after every change.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <E extends Entry>(options: {
  readonly kind: Kind
  readonly check: (entry: E) => void
  readonly changed: Effect.Effect<void>
}): Registry<E> => {
  const { check, kind } = options
  // Whoever joins the processes of a server may be away. What is registered is there nevertheless.
  const changed = Effect.catchCause(
    options.changed,
    (cause) => Effect.logError(`Nobody was told that there is a change of a ${kind}`, cause)
  )
  const entries = new Map<string, E>()
  let sorted: ReadonlyArray<E> | undefined
  let views = new Map<string, ReadonlyArray<E>>()
  let restricted: ReadonlyArray<E> | undefined
  let used = false

  const reset = Effect.suspend(() => {
    sorted = undefined
    restricted = undefined
    views = new Map()
    return changed
  })
  const all = (): ReadonlyArray<E> => sorted ??= [...entries.values()].toSorted((a, b) => a.key < b.key ? -1 : 1)
  const limited = (): ReadonlyArray<E> => restricted ??= all().filter((entry) => entry.visibleTo !== undefined)

  // Those who see the same share one list, so that it is written once.
  const view = (principal: Principal | undefined): ReadonlyArray<E> => {
    const hidden = new Set(limited().filter((entry) => !sees(entry, principal)))
    if (hidden.size === 0) return all()
    const id = JSON.stringify([...hidden].map((entry) => entry.key))
    let seen = views.get(id)
    if (seen === undefined) {
      if (views.size >= VIEWS) views.clear()
      views.set(id, seen = all().filter((entry) => !hidden.has(entry)))
    }
    return seen
  }
  const insert = (entry: E): Effect.Effect<void, RegistrationError> =>
    Effect.suspend(() => {
      const { key } = entry
      if (entries.has(key)) {
        const message = `There is already ${kind === "extension" ? "an" : "a"} ${kind} named ${JSON.stringify(key)}`
        return Effect.fail(new RegistrationError({ kind, key, message }))
      }
      return Effect.flatMap(attempt(kind, key, () => check(entry)), () => {
        used = true
        entries.set(key, entry)
        return reset
      })
    })

  return {
    get: (key, principal) => {
      const entry = entries.get(key)
      return entry !== undefined && sees(entry, principal) ? entry : undefined
    },
    list: (principal) => limited().length === 0 ? all() : view(principal),
    all,
    restricted: () => limited().length > 0,
    used: () => used,
    add: (entry) =>
      Effect.acquireRelease(insert(entry), () =>
        Effect.suspend(() => {
          entries.delete(entry.key)
          return reset
        }))
  }
}

// Views that are kept at once: as many as there are groups of principals who see different things.
const VIEWS = 64

// A predicate that throws fails the request: who cannot be judged sees nothing.
const sees = (entry: Entry, principal: Principal | undefined): boolean =>
  entry.visibleTo === undefined || entry.visibleTo(principal)

/**
 * What throws makes it impossible to register something, and says why.
 *
 * @since 0.1.0
 * @category errors
 */
export const attempt = <A>(kind: Kind, key: string, f: () => A): Effect.Effect<A, RegistrationError> =>
  Effect.try({
    try: f,
    catch: (problem) => {
      if (!(problem instanceof Error)) return new RegistrationError({ kind, key, message: String(problem) })
      // Whoever prints an error prints its cause too, which must not say the same again.
      const { cause, message } = problem
      const told = cause === undefined || (cause instanceof Error && message.includes(cause.message))
      return new RegistrationError({ kind, key, message, ...(told ? {} : { cause }) })
    }
  })
