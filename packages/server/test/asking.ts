/** Tools that ask, and a client of revision 2026-07-28 that answers round by round. */
import { assert } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Client, serve, speak, texts } from "./client.ts"

type Params = JsonRpc.Params

export const Ask = Tool.make("ask", { input: { what: Schema.optionalKey(Schema.String) } })

const question = (message: string) => Elicitation.form({ message, fields: { it: Schema.String } })
export const ask = (message: string, options?: ClientInput.Options) =>
  Effect.map(
    ClientInput.elicit(question(message), options),
    (answer) => answer._tag === "Accept" ? answer.content.it : answer._tag
  )
export const said = (it: string): Params => ({ action: "accept", content: { it } })

export const capabilities = { elicitation: {}, sampling: {}, roots: {} }

export const served = <E>(
  handler: () => Effect.Effect<string, E>,
  more: Params = {}
): Effect.Effect<Client, unknown, never> =>
  // The scope of these tests is that of the server.
  Effect.flatMap(
    serve(McpServer.tool(Ask, handler)),
    (server) => speak(server, "2026-07-28", { ...capabilities, ...more })
  ) as Effect.Effect<Client, unknown, never>

export interface Asked {
  readonly keys: ReadonlyArray<string>
  readonly messages: ReadonlyArray<unknown>
  readonly state: string
}

export const asked = (result: Params): Asked => {
  assert.strictEqual(result.resultType, "input_required", JSON.stringify(result))
  const requests = result.inputRequests as Record<string, { readonly params: { readonly message?: string } }>
  return {
    keys: Object.keys(requests),
    messages: Object.values(requests).map(({ params }) => params.message),
    state: String(result.requestState)
  }
}

export const again = (client: Client, { state }: Pick<Asked, "state">, inputResponses: Params, args: Params = {}) =>
  client.result("tools/call", { name: "ask", arguments: args, inputResponses, requestState: state })

export const first = (client: Client, args: Params = {}) => client.call("ask", args)

/** Answers every round with what `answer` says to a key, and yields the keys of each, and the texts of the result. */
export const rounds = (
  client: Client,
  answer: (key: string) => Params = said
): Effect.Effect<readonly [ReadonlyArray<ReadonlyArray<string>>, ReadonlyArray<unknown>], unknown> =>
  Effect.gen(function*() {
    const keys: Array<ReadonlyArray<string>> = []
    let result = yield* first(client)
    while (result.resultType === "input_required") {
      assert.isBelow(keys.length, 10, "asks for ever")
      const round = asked(result)
      keys.push(round.keys)
      result = yield* again(client, round, Object.fromEntries(round.keys.map((key) => [key, answer(key)])))
    }
    return [keys, texts(result)] as const
  })
