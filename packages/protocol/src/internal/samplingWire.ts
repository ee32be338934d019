/** How a revision writes a request for a message, and what it cannot write. */
import * as Predicate from "effect/Predicate"
import * as Content from "../Content.ts"
import type { Params } from "../JsonRpc.ts"
import type { Wire } from "../Revision.ts"
import type { Block, Message, Request } from "../Sampling.ts"
import * as Tool from "../Tool.ts"
import { single } from "./samplingCheck.ts"

export const unwritable = ({ messages, toolChoice, tools }: Request, wire: Wire): string | undefined => {
  if (!wire.samplingTools && (tools !== undefined || toolChoice !== undefined)) {
    return "Sampling has no tools in this revision of the protocol"
  }
  for (const [i, { content }] of messages.entries()) {
    const what = content.map((block) => unwritableBlock(block, wire)).find(Predicate.isNotUndefined)
    if (what !== undefined) return `Message ${i + 1} has ${what}, which this revision of the protocol cannot write`
  }
  return undefined
}

const unwritableBlock = (block: Block, wire: Wire): string | undefined => {
  switch (block.type) {
    case "tool_use":
      return wire.samplingTools ? undefined : "the use of a tool"
    case "tool_result": {
      if (!wire.samplingTools) return "the result of a tool"
      const { structuredContent } = block
      return wire.structured === "any" || structuredContent === undefined || Predicate.isObject(structuredContent)
        ? undefined
        : "structured content that is no object"
    }
    case "audio":
      return wire.contentTypes.has("audio") ? undefined : "sound"
    default:
      return undefined
  }
}

export const params = ({ messages, tools, ...rest }: Request, wire: Wire): Params => ({
  ...rest,
  messages: messages.flatMap((message) => written(message, wire)),
  ...(tools === undefined ? undefined : { tools: tools.map((tool) => isTool(tool) ? Tool.toWire(tool, wire) : tool) })
})

const written = ({ content, ...rest }: Message, wire: Wire): ReadonlyArray<Params> => {
  if (!wire.samplingTools) return content.map((block) => ({ role: rest.role, content: block }))
  const blocks = content.map((block) =>
    block.type === "tool_result"
      ? { ...block, content: block.content.map((content) => Content.toWire(content, wire)) }
      : block
  )
  return [{ ...rest, content: single(blocks) ?? blocks }]
}

// Only a definition holds an Effect schema.
const isTool = (tool: Tool.Tool | Params): tool is Tool.Tool => "input" in tool && "dynamic" in tool
