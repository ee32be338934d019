/** What every revision asks of a request for a message. */
import * as Predicate from "effect/Predicate"
import type { Block, Message, Request } from "../Sampling.ts"

export const isList = (given: Block | ReadonlyArray<Block>): given is ReadonlyArray<Block> => Array.isArray(given)

/** The only block, if there is just one. */
export const single = (blocks: ReadonlyArray<Block>): Block | undefined => blocks.length === 1 ? blocks[0] : undefined

export const problem = ({ maxTokens, messages, modelPreferences, temperature, tools }: Request): string | undefined => {
  if (!Number.isInteger(maxTokens) || maxTokens < 1) return `maxTokens must be a positive integer, and is ${maxTokens}`
  for (const name of ["costPriority", "speedPriority", "intelligencePriority"] as const) {
    const priority = modelPreferences?.[name]
    if (priority !== undefined && !(priority >= 0 && priority <= 1)) {
      return `${name} must be from 0 to 1, and is ${priority}`
    }
  }
  if (temperature !== undefined && !Number.isFinite(temperature)) {
    return `temperature must be a finite number, and is ${temperature}`
  }
  const unnamed = tools?.findIndex(({ inputSchema, name }) =>
    typeof name !== "string" || !Predicate.isObject(inputSchema)
  )
  if (unnamed !== undefined && unnamed >= 0) return `Tool ${unnamed + 1} must have a name and an inputSchema`
  let open: ReadonlyArray<string> = []
  for (const [i, message] of messages.entries()) {
    const wrong = misplaced(message) ?? unbalanced(message, open)
    if (wrong !== undefined) return `Message ${i + 1} ${wrong}`
    open = message.content.flatMap((block) => block.type === "tool_use" ? [block.id] : [])
  }
  return open.length === 0 ? undefined : `Message ${messages.length} uses tools, and no message with results follows it`
}

const misplaced = ({ content, role }: Message): string | undefined => {
  if (content.length === 0) return "has no content"
  const has = (type: Block["type"]): boolean => content.some((block) => block.type === type)
  if (role === "user" && has("tool_use")) return "uses a tool, which only the assistant does"
  if (role === "assistant" && has("tool_result")) return "has the result of a tool, which only the user sends"
  return has("tool_result") && content.some(({ type }) => type !== "tool_result")
    ? "mixes results of tools with other content, which goes into a message of its own"
    : repeated(content.flatMap((block) => block.type === "tool_use" ? [block.id] : []), "uses tools twice by the id")
}

const unbalanced = ({ content }: Message, open: ReadonlyArray<string>): string | undefined => {
  const results = content.flatMap((block) => block.type === "tool_result" ? [block.toolUseId] : [])
  const unasked = results.find((id) => !open.includes(id))
  if (unasked !== undefined) {
    return `has a result for ${JSON.stringify(unasked)}, which the message before it does not use`
  }
  const unanswered = open.find((id) => !results.includes(id))
  return unanswered === undefined
    ? repeated(results, "has two results for")
    : `must have the result of the tool use ${JSON.stringify(unanswered)}`
}

const repeated = (ids: ReadonlyArray<string>, what: string): string | undefined => {
  const id = ids.find((id, i) => ids.indexOf(id) !== i)
  return id === undefined ? undefined : `${what} ${JSON.stringify(id)}`
}
