/**
 * What a dated revision of the protocol is: its name, its era, the methods that exist in it, and how the model is
 * written on its wire. A method that is not in the table is answered with -32601.
 *
 * A revision is a value, made as a delta of the one before it; the dated ones are in `revision/`, all in `Revisions`.
 *
 * @since 0.1.0
 */
import type { Params } from "./JsonRpc.ts"

/**
 * The names of the revisions that exist, oldest first.
 *
 * @since 0.1.0
 * @category models
 */
export type Name = "2024-11-05" | "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28"

/**
 * `stateful`: `initialize` opens a session. `stateless`: every request carries its version and capabilities.
 *
 * @since 0.1.0
 * @category models
 */
export type Era = "stateful" | "stateless"

/**
 * Which methods exist, by who receives them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Methods {
  readonly serverRequests: ReadonlySet<string>
  readonly clientRequests: ReadonlySet<string>
  readonly serverNotifications: ReadonlySet<string>
  readonly clientNotifications: ReadonlySet<string>
}

/**
 * What a list holds: the members that each kind has in a revision.
 *
 * @since 0.1.0
 * @category models
 */
export type Fields = Readonly<
  Record<"tool" | "resource" | "resourceTemplate" | "prompt" | "promptArgument", ReadonlySet<string>>
>

/**
 * How far the wire of a revision can say what the model holds.
 *
 * - `fields`: the members of a listed tool, resource, resource template, prompt, and prompt argument.
 * - `contentTypes`: the kinds of content; others are written as the nearest kind that exists.
 * - `structured`: the values that `structuredContent` and an `outputSchema` may be.
 * - `progressMessage`: whether progress has a message.
 * - `invalidArguments`: invalid arguments of a tool are a protocol `error`, or a `result` for the model to read.
 * - `results`: whether results carry `resultType`, `serverInfo` and, where they can be cached, the caching hints.
 * - `completions`: whether completion is a capability of its own; before, every server may have it.
 * - `elicitation`: none; `plain` forms (no list of choices, titles of choices apart, defaults of booleans only); or `full`.
 * - `elicitationIds`: whether sending the user to a URL needs an id, by which its completion is announced.
 * - `samplingTools`: whether sampling knows tools, and messages of several pieces of content.
 * - `resourceNotFound`: the code for a resource that does not exist.
 * - `missingCapability`: the code for a request that needs what the client did not declare.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wire {
  readonly fields: Fields
  readonly contentTypes: ReadonlySet<string>
  readonly structured: "none" | "object" | "any"
  readonly progressMessage: boolean
  readonly invalidArguments: "error" | "result"
  readonly results: "plain" | "typed"
  readonly completions: boolean
  readonly elicitation: "none" | "plain" | "full"
  readonly elicitationIds: boolean
  readonly samplingTools: boolean
  readonly resourceNotFound: number
  readonly missingCapability: number
}

/**
 * A dated version of the protocol.
 *
 * @since 0.1.0
 * @category models
 */
export interface Revision {
  readonly name: Name
  readonly era: Era
  readonly batches: boolean
  readonly methods: Methods
  readonly wire: Wire
}

/**
 * The revision after another: what it adds, removes and changes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const after = (
  previous: Revision,
  delta: {
    readonly name: Name
    readonly era?: Era
    readonly batches: boolean
    readonly add?: Partial<Record<keyof Methods, ReadonlyArray<string>>>
    readonly remove?: Partial<Record<keyof Methods, ReadonlyArray<string>>>
    readonly fields?: Partial<Record<keyof Fields, ReadonlyArray<string>>>
    readonly contentTypes?: ReadonlyArray<string>
    readonly wire?: Partial<Omit<Wire, "fields" | "contentTypes">>
  }
): Revision => {
  const methods = (kind: keyof Methods): ReadonlySet<string> => {
    const removed = new Set(delta.remove?.[kind])
    return new Set([...previous.methods[kind]].filter((m) => !removed.has(m)).concat(delta.add?.[kind] ?? []))
  }
  const fields = (kind: keyof Fields): ReadonlySet<string> =>
    new Set([...previous.wire.fields[kind], ...(delta.fields?.[kind] ?? [])])
  return {
    name: delta.name,
    era: delta.era ?? previous.era,
    batches: delta.batches,
    methods: {
      serverRequests: methods("serverRequests"),
      clientRequests: methods("clientRequests"),
      serverNotifications: methods("serverNotifications"),
      clientNotifications: methods("clientNotifications")
    },
    wire: {
      ...previous.wire,
      ...delta.wire,
      fields: {
        tool: fields("tool"),
        resource: fields("resource"),
        resourceTemplate: fields("resourceTemplate"),
        prompt: fields("prompt"),
        promptArgument: fields("promptArgument")
      },
      contentTypes: new Set([...previous.wire.contentTypes, ...(delta.contentTypes ?? [])])
    }
  }
}

/**
 * An object with just the members that a revision has, of those that have a value.
 *
 * @since 0.1.0
 * @category wire
 */
export const written = (all: Params, fields: ReadonlySet<string>): Params =>
  Object.fromEntries(Object.entries(all).filter(([field, value]) => value !== undefined && fields.has(field)))
