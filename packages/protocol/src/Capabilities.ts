/**
 * What each side declares that it can do. What a side did not declare, the other does not use.
 *
 * Capabilities are read leniently: an unknown one is kept, and a known one counts as declared whatever it holds.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import type { Params } from "./JsonRpc.ts"

/**
 * Capabilities of a server.
 *
 * @since 0.1.0
 * @category models
 */
export interface Server extends Params {
  readonly tools?: { readonly listChanged?: boolean }
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean }
  readonly prompts?: { readonly listChanged?: boolean }
  readonly completions?: Params
  readonly logging?: Params
  readonly experimental?: Params
  readonly extensions?: Params
}

/**
 * Capabilities of a client.
 *
 * @since 0.1.0
 * @category models
 */
export interface Client extends Params {
  readonly sampling?: Params
  readonly elicitation?: Params
  readonly roots?: { readonly listChanged?: boolean }
  readonly experimental?: Params
  readonly extensions?: Params
}

/**
 * Whether an extension was declared.
 *
 * @since 0.1.0
 * @category accessors
 */
export const hasExtension = (capabilities: Server | Client, id: string): boolean =>
  capabilities.extensions?.[id] !== undefined || capabilities.experimental?.[id] !== undefined

/**
 * Whether a text can be the id of an extension, such as `com.example/thing`: a prefix of labels, and a name, as in `_meta`.
 *
 * @since 0.1.0
 * @category guards
 */
export const isExtensionId = (id: string): boolean => {
  const [prefix = "", name = "", ...rest] = id.split("/")
  return rest.length === 0 && /^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/.test(name) &&
    prefix.split(".").every((label) => /^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$/.test(label))
}

/**
 * The part of what is needed that a client did not declare, or nothing. Compares two levels deep: `sampling`, and `tools`
 * within it. Elicitation without a mode is elicitation by forms.
 *
 * @since 0.1.0
 * @category accessors
 */
export const missing = (declared: Client, needed: Client): Client | undefined => {
  const parts = Object.entries(needed).flatMap(([name, wanted]) => {
    const own = name === "elicitation" ? modes(declared[name]) : declared[name]
    if (wanted === undefined) return []
    if (!isDeclared(own)) return [[name, wanted]]
    const lacking = Object.entries(Predicate.isObject(wanted) ? wanted : {}).filter(([part, value]) =>
      isDeclared(value) && !isDeclared(Predicate.isObject(own) ? own[part] : undefined)
    )
    return lacking.length === 0 ? [] : [[name, Object.fromEntries(lacking)]]
  })
  return parts.length === 0 ? undefined : Object.fromEntries(parts)
}

const isDeclared = (value: unknown): boolean => value !== undefined && value !== false

const modes = (elicitation: Params | undefined): unknown =>
  Predicate.isObject(elicitation) && elicitation.form === undefined && elicitation.url === undefined
    ? { ...elicitation, form: {} }
    : elicitation
