/** What is checked before a foreign schema reaches a compiler: its size, and references that JavaScript itself answers. */
import type { Params } from "@mcp-effect/protocol/JsonRpc"

/** What is wrong with a schema, if anything. Stops at the first thing, so that cycles and sharing end too. */
export const check = (
  root: Params,
  limits: { readonly maxDepth: number; readonly maxNodes: number }
): string | undefined => {
  let nodes = 0
  const visit = (value: unknown, depth: number): string | undefined => {
    if (typeof value !== "object" || value === null) return undefined
    if (depth > limits.maxDepth) return `The schema is nested deeper than ${limits.maxDepth} levels`
    if (++nodes > limits.maxNodes) return `The schema is larger than ${limits.maxNodes} objects and arrays`
    for (const [key, item] of Object.entries(value)) {
      const wrong = references.has(key) && typeof item === "string" && isInherited(root, item)
        ? notInIt(item)
        : visit(item, depth + 1)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }
  return visit(root, 1)
}

const references = new Set(["$ref", "$dynamicRef", "$recursiveRef"])

export const notInIt = (ref: string): string =>
  `The schema refers to ${JSON.stringify(ref.slice(0, 200))}, which is not in it; other documents are never fetched`

// ajv looks references up in plain objects, where "constructor" is always there. One that has such a name in it is let
// through only if the schema itself has a member at that place.
const isInherited = (root: Params, ref: string): boolean => {
  const segments = decode(ref).split(/[#/]/).map((s) => s.replaceAll("~1", "/").replaceAll("~0", "~"))
  if (!segments.some((segment) => segment in Object.prototype)) return false
  if (!ref.startsWith("#/")) return true
  let at: unknown = root
  for (const segment of segments.slice(2)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, segment)) return true
    at = (at as Params)[segment]
  }
  return false
}

const decode = (ref: string): string => {
  try {
    return decodeURIComponent(ref)
  } catch {
    return ref
  }
}
