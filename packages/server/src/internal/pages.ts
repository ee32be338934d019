/**
 * Lists in pages: `server/utilities/pagination` of the specification. One page of one list is written once for each wire,
 * until the registry makes a new list.
 */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import type { Wire } from "@mcp-effect/protocol/Revision"
import * as Effect from "effect/Effect"
import type { Method, Result } from "../Call.ts"
import type { Entry, Registry } from "../Registry.ts"
import * as Cursor from "./cursor.ts"

export interface Options<E extends Entry> {
  /** The member of the result that holds the items. */
  readonly member: string
  readonly pageSize: number
  readonly write: (entry: E, wire: Wire) => JsonRpc.Params
}

/** The method that lists a registry. */
export const make = <E extends Entry>(registry: Registry<E>, options: Options<E>): Method => {
  const pages = new WeakMap<ReadonlyArray<E>, WeakMap<Wire, Map<string, Result>>>()

  const page = (entries: ReadonlyArray<E>, wire: Wire, after: string): Result => {
    let byWire = pages.get(entries)
    if (byWire === undefined) pages.set(entries, byWire = new WeakMap())
    let byCursor = byWire.get(wire)
    if (byCursor === undefined) byWire.set(wire, byCursor = new Map())
    // Pages are known by their first item, so that there are no more of them than items.
    const start = after === "" ? 0 : firstAfter(entries, after)
    const first = entries[start]?.key ?? ""
    const known = byCursor.get(first)
    if (known !== undefined) return known
    const result = write(entries, start, wire, options, registry.restricted())
    byCursor.set(first, result)
    return result
  }

  return ({ principal, request, revision }) => {
    const cursor = request.params?.cursor
    // Some clients write `null` for what they leave out.
    const after = cursor === undefined || cursor === null ? "" : Cursor.decode(cursor)
    return after === undefined
      ? Effect.fail(new McpError.InvalidParams({ message: "Invalid params: this is no cursor of this server" }))
      : Effect.succeed(page(registry.list(principal), revision.wire, after))
  }
}

const write = <E extends Entry>(
  entries: ReadonlyArray<E>,
  start: number,
  wire: Wire,
  { member, pageSize, write }: Options<E>,
  restricted: boolean
): Result => {
  const shown = entries.slice(start, start + pageSize)
  const last = shown.at(-1)
  // Everybody is given this one page, so that nobody, such as middleware, may change it for the others.
  const items = Object.freeze(shown.map((entry) => Object.freeze(write(entry, wire))))
  const value = Object.freeze(
    start + pageSize < entries.length && last !== undefined
      ? { [member]: items, nextCursor: Cursor.encode(last.key) }
      : { [member]: items }
  )
  // What not everybody may see must not be kept for everybody.
  return { value, caching: restricted ? { cacheScope: "private" } : undefined, key: value }
}

const firstAfter = (entries: ReadonlyArray<Entry>, key: string): number => {
  const index = entries.findIndex((entry) => entry.key > key)
  return index < 0 ? entries.length : index
}
