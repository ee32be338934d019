/** Which template gives a URI, if several do: the one with the most literal text. */
import type { Principal } from "@mcp-effect/protocol/Principal"
import type { Entry, Registry } from "../Registry.ts"

/** The templates that a principal sees, in the order in which a URI is looked for. */
export const make = <E extends Entry>(templates: Registry<E>) => {
  // The same list until something changes.
  const sorted = new WeakMap<ReadonlyArray<E>, ReadonlyArray<E>>()
  return (principal: Principal | undefined): ReadonlyArray<E> => {
    const list = templates.list(principal)
    let order = sorted.get(list)
    if (order === undefined) sorted.set(list, order = list.toSorted((a, b) => literals(b.key) - literals(a.key)))
    return order
  }
}

const literals = (template: string): number => template.replaceAll(/\{[^}]*\}/g, "").length
