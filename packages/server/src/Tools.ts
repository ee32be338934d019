/**
 * The tools feature: `tools/list` and `tools/call`. Which tools there are is the registry's to know, how one runs is
 * its own.
 *
 * Source: `server/tools` and `server/utilities/pagination` of the specification.
 *
 * @since 0.1.0
 */
import * as McpError from "@mcp-effect/protocol/McpError"
import type { Wire } from "@mcp-effect/protocol/Revision"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Effect from "effect/Effect"
import type { Call, Feature, Result } from "./Call.ts"
import * as Cursor from "./internal/cursor.ts"
import type { Entry, ToolRegistry } from "./ToolRegistry.ts"

/**
 * The feature over a registry, in pages of `pageSize` tools. It is declared once a tool was registered, or from the start
 * if `declare` is set.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  registry: ToolRegistry,
  { declare, pageSize }: { readonly declare: boolean; readonly pageSize: number }
): Feature => {
  // One page and one wire are serialised once, until the registry makes a new list.
  const pages = new WeakMap<ReadonlyArray<Entry>, WeakMap<Wire, Map<string, Result>>>()

  const page = (entries: ReadonlyArray<Entry>, wire: Wire, after: string): Result => {
    let byWire = pages.get(entries)
    if (byWire === undefined) pages.set(entries, byWire = new WeakMap())
    let byCursor = byWire.get(wire)
    if (byCursor === undefined) byWire.set(wire, byCursor = new Map())
    // Pages are known by their first tool, so that there are no more of them than tools.
    const start = after === "" ? 0 : firstAfter(entries, after)
    const first = entries[start]?.tool.name ?? ""
    const known = byCursor.get(first)
    if (known !== undefined) return known
    const shown = entries.slice(start, start + pageSize)
    const last = shown.at(-1)
    const tools = shown.map((entry) => Tool.toWire(entry.tool, wire))
    const value = start + pageSize < entries.length && last !== undefined
      ? { tools, nextCursor: Cursor.encode(last.tool.name) }
      : { tools }
    const result: Result = { value, cacheable: true, key: value }
    byCursor.set(first, result)
    return result
  }

  const list = ({ request, revision }: Call): Effect.Effect<Result, McpError.ProtocolError> => {
    const cursor = request.params?.cursor
    if (cursor === undefined) return Effect.succeed(page(registry.list(), revision.wire, ""))
    const after = Cursor.decode(cursor)
    if (after !== undefined) return Effect.succeed(page(registry.list(), revision.wire, after))
    return Effect.fail(new McpError.InvalidParams({ message: "Invalid params: this is no cursor of this server" }))
  }

  const call = (call: Call): Effect.Effect<Result, McpError.ProtocolError> => {
    const name = call.request.params?.name
    if (typeof name !== "string") {
      return Effect.fail(new McpError.InvalidParams({ message: "Invalid params: \"name\" must be a string" }))
    }
    const entry = registry.get(name)
    return entry === undefined
      ? Effect.fail(new McpError.ToolNotFound({ tool: name, message: `Unknown tool: ${name}` }))
      : entry.call(call)
  }

  return {
    declared: () => declare || registry.used(),
    capability: ({ changes }) => ({ tools: changes ? { listChanged: true } : {} }),
    methods: { "tools/list": list, "tools/call": call },
    onChange: (notify) => registry.onChange(() => notify("notifications/tools/list_changed"))
  }
}

const firstAfter = (entries: ReadonlyArray<Entry>, name: string): number => {
  const index = entries.findIndex((entry) => entry.tool.name > name)
  return index < 0 ? entries.length : index
}
