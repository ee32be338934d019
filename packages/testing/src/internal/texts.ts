/** What the rules read out of a result. */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"

/** The texts of a tool's content. */
export const texts = (result: JsonRpc.Params): ReadonlyArray<string> =>
  (result.content as ReadonlyArray<{ readonly text: string }>).map(({ text }) => text)

/** The JSON that is a tool's only text. */
export const json = (result: JsonRpc.Params): unknown => {
  const [text = "null"] = texts(result)
  return JSON.parse(text)
}
