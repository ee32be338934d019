/**
 * The client that the official conformance suite drives: it is started once for each scenario, with the URL of that scenario's
 * server as its last argument, and uses whatever the server has.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Elicitation from "@mcp-effect/client/Elicitation"
import type { ListedTool } from "@mcp-effect/client/ListedTool"
import * as McpClient from "@mcp-effect/client/McpClient"
import * as Roots from "@mcp-effect/client/Roots"
import * as StreamableHttpClient from "@mcp-effect/http/StreamableHttpClient"
import * as Forms from "@mcp-effect/protocol/Elicitation"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"

const context: unknown = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}")

// What the suite wants to be called, with which arguments; or, where it does not say, every tool with what it may take.
const wanted = (tools: ReadonlyArray<ListedTool>): ReadonlyArray<{ readonly name: string; readonly args: Params }> => {
  const given = Predicate.isObject(context) && Array.isArray(context.toolCalls) ? context.toolCalls : undefined
  if (given !== undefined) {
    return given.flatMap((call: unknown) =>
      Predicate.isObject(call) && Predicate.isString(call.name)
        ? [{ name: call.name, args: Predicate.isObject(call.arguments) ? { ...call.arguments } : {} }]
        : []
    )
  }
  return tools.map(({ inputSchema, name }) => ({ name, args: argumentsOf(inputSchema, tools) }))
}

const argumentsOf = ({ properties }: Params, tools: ReadonlyArray<ListedTool>): Params =>
  Object.fromEntries(
    Object.entries(Predicate.isObject(properties) ? properties : {}).map(([name, property]) => [
      name,
      // One wants to see what has become of the schema of another.
      name === "schema" ? tools[0]?.inputSchema ?? {} : exampleOf(property)
    ])
  )

const exampleOf = (property: unknown): unknown => {
  switch (Predicate.isObject(property) ? property.type : undefined) {
    case "number":
    case "integer":
      return 2
    case "boolean":
      return true
    case "object":
      return {}
    case "array":
      return []
    default:
      return "example"
  }
}

const program = Effect.gen(function*() {
  const mcp = yield* McpClient.McpClient
  const { capabilities } = yield* mcp.server
  const tools = yield* mcp.listTools()
  // What one of them does wrong is for the suite to say.
  yield* Effect.forEach(wanted(tools), ({ args, name }) => Effect.ignore(mcp.callTool(name, args)), { discard: true })
  if (capabilities.resources !== undefined) {
    for (const { uri } of yield* mcp.listResources()) yield* Effect.ignore(mcp.readResource(uri))
  }
  if (capabilities.prompts !== undefined) {
    for (const { arguments: args = [], name } of yield* mcp.listPrompts()) {
      yield* Effect.ignore(mcp.getPrompt(name, Object.fromEntries(args.map((argument) => [argument.name, "example"]))))
    }
  }
})

// Everything that has a default is left to it.
const answers = Layer.mergeAll(
  Elicitation.layer({
    form: ({ requestedSchema: { properties, required = [] } }) =>
      Effect.succeed(Forms.accept(Object.fromEntries(
        required.flatMap((name) => {
          const property = properties[name]
          return property === undefined || property.default !== undefined ? [] : [[name, exampleOf(property)]]
        })
      )))
  }),
  Roots.layer([])
)

await Effect.runPromise(
  Effect.provide(
    program,
    McpClient.layer({ name: "conformance", version: "1.0.0" }).pipe(
      Layer.provide(StreamableHttpClient.layer({ url: process.argv.at(-1) ?? "" })),
      Layer.provide(NodeHttpClient.layerUndici),
      Layer.provide(answers)
    )
  )
)
