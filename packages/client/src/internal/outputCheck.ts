/** Checks structured content against the output schema that the server advertised, with the validator that is provided. */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import { JsonSchemaValidator } from "@mcp-effect/protocol/JsonSchemaValidator"
import * as McpError from "@mcp-effect/protocol/McpError"
import type { ToolResult } from "@mcp-effect/protocol/ToolResult"
import * as Effect from "effect/Effect"
import type { ListedTool } from "../ListedTool.ts"
import type { RequestOptions } from "../Requests.ts"

export interface OutputCheck {
  /** A list is being read. What is returned takes it, unless it has changed meanwhile. */
  readonly listing: () => (tools: ReadonlyArray<ListedTool>) => void
  readonly forget: () => void
  readonly run: (
    name: string,
    result: ToolResult,
    options: RequestOptions | undefined
  ) => Effect.Effect<void, McpError.InvalidResult>
}

export const make = (
  list: (options: RequestOptions | undefined) => Effect.Effect<unknown, McpError.McpError>
): Effect.Effect<OutputCheck> =>
  Effect.map(JsonSchemaValidator, (validator) => {
    let schemas: Map<string, Params | undefined> | undefined
    let changes = 0
    let warned = false

    const broken = (name: string, what: string): McpError.InvalidResult =>
      new McpError.InvalidResult({ method: "tools/call", message: `The result of tool ${name} ${what}` })

    const against = (name: string, schema: Params | undefined, result: ToolResult) => {
      if (schema === undefined) return Effect.void
      if (result.structuredContent === undefined) {
        return Effect.fail(broken(name, "has no structured content, although the tool advertises an output schema"))
      }
      if (validator === undefined) {
        if (warned) return Effect.void
        warned = true
        return Effect.logDebug(
          "Structured results are not checked: no JsonSchemaValidator is provided (see AjvValidator.layer)"
        )
      }
      return Effect.matchEffect(validator.compile(schema), {
        onFailure: (reason) =>
          Effect.fail(broken(name, `cannot be checked, its output schema being unusable: ${reason}`)),
        onSuccess: (check) => {
          const problem = check(result.structuredContent)
          return problem === undefined ? Effect.void : Effect.fail(broken(name, `breaks its output schema: ${problem}`))
        }
      })
    }

    return {
      listing: () => {
        const before = changes
        return (tools) => {
          if (changes === before) schemas = new Map(tools.map((tool) => [tool.name, tool.outputSchema]))
        }
      },
      forget: () => {
        changes++
        schemas = undefined
      },
      run: (name, result, options) =>
        Effect.suspend(() => {
          // Only structured results of a server whose list is not known are worth a look at the list.
          const known = schemas !== undefined || result.structuredContent === undefined || validator === undefined
            ? Effect.void
            : Effect.catch(list(options), (error) => {
              // Once; the next change of the list, or a list that is asked for, is another chance.
              schemas = new Map()
              return Effect.logWarning("Structured results are not checked: the tools could not be listed", error)
            })
          return Effect.flatMap(known, () => against(name, schemas?.get(name), result))
        })
    }
  })
