/**
 * The tools feature: `tools/list` and `tools/call`. Which tools there are is the registry's to know, how one runs is
 * its own.
 *
 * Source: `server/tools` and `server/utilities/pagination` of the specification.
 *
 * @since 0.1.0
 */
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Effect from "effect/Effect"
import type { Feature, Method } from "./Call.ts"
import * as Changes from "./Changes.ts"
import * as Listens from "./internal/listens.ts"
import * as Pages from "./internal/pages.ts"
import * as Registry from "./Registry.ts"

/**
 * A tool and what calls it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry extends Registry.Entry {
  readonly tool: Tool.Tool
  readonly call: Method
}

/**
 * The tools that a server offers now, by name.
 *
 * @since 0.1.0
 * @category models
 */
export type Tools = Registry.Registry<Entry>

/**
 * @since 0.1.0
 * @category constructors
 */
export const registry = (changes: Changes.Changes["Service"]): Tools =>
  Registry.make<Entry>({
    kind: "tool",
    check: ({ key, tool }) => {
      if (!/^[A-Za-z0-9_.-]{1,128}$/.test(key)) {
        throw new TypeError(
          `The tool name ${JSON.stringify(key)} is ill-formed: 1 to 128 of A-Z, a-z, 0-9, "_", "-" and "." are allowed`
        )
      }
      Tool.check(tool)
    },
    changed: changes.publish(Changes.tools)
  })

/**
 * The feature over a registry, in pages of `pageSize` tools. It is declared once a tool was registered, or from the start
 * if `declare` is set.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  tools: Tools,
  { declare, pageSize }: { readonly declare: boolean; readonly pageSize: number }
): Feature => {
  const call: Method = (call) => {
    const name = call.request.params?.name
    if (typeof name !== "string") {
      return Effect.fail(new McpError.InvalidParams({ message: "Invalid params: \"name\" must be a string" }))
    }
    const entry = tools.get(name, call.principal)
    return entry === undefined
      ? Effect.fail(new McpError.ToolNotFound({ tool: name, message: `Unknown tool: ${name}` }))
      : entry.call(call)
  }
  return {
    declared: () => declare || tools.used(),
    capability: () => ({ tools: { listChanged: true } }),
    methods: {
      "tools/list": Pages.make(tools, {
        member: "tools",
        pageSize,
        write: ({ tool }, wire) => Tool.toWire(tool, wire)
      }),
      "tools/call": call
    },
    announces: () => Listens.to(Changes.tools),
    listens: { toolsListChanged: Listens.flag(Changes.tools) }
  }
}
