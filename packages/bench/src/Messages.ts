/** What is asked of the servers, over any transport, and how a reply is known to be right. */
import { REPORTS } from "./servers/tools.ts"

const META = "io.modelcontextprotocol/"
const clientInfo = { name: "bench-driver", version: "1.0.0" }

/** The newest revision of each era. */
export const STATEFUL = "2025-11-25"
export const STATELESS = "2026-07-28"

const message = (members: object): string => JSON.stringify({ jsonrpc: "2.0", ...members })

export const initialize = (protocolVersion: string): string =>
  message({ id: 0, method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo } })

export const initialized = message({ method: "notifications/initialized" })

/** A request by its id. Made of parts, so that a call costs the driver a concatenation. */
export const request = (method: string, params: object): (id: number) => string => {
  const rest = `,"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`
  return (id) => `{"jsonrpc":"2.0","id":${id}${rest}`
}

export const TEXT = "The quick brown fox jumps over the lazy dog"
export const PROGRESS_TOKEN = 7

export const echo = { name: "echo", arguments: { text: TEXT } }
export const progress = { name: "progress", arguments: {}, _meta: { progressToken: PROGRESS_TOKEN } }

/** The parameters as they are in the stateless era, where each request says who asks, and in which revision. */
export const stateless = (params: { readonly name: string; readonly _meta?: object }): object => ({
  ...params,
  _meta: {
    ...params._meta,
    [`${META}protocolVersion`]: STATELESS,
    [`${META}clientInfo`]: clientInfo,
    [`${META}clientCapabilities`]: {}
  }
})

const resultOf = (text: string | undefined) => {
  const { result } = JSON.parse(text ?? "{}")
  return {
    content: String(result?.content?.[0]?.text),
    tools: result?.tools?.length,
    isError: result?.isError === true
  }
}

/** What is wrong with the messages that answer a call, if anything is. */
export type Problem = (messages: ReadonlyArray<string>) => string | undefined

export const problemOfEcho: Problem = (messages) => {
  const { content, isError } = resultOf(messages[0])
  return messages.length === 1 && content.includes(TEXT) && !isError ? undefined : `not an echo: ${messages[0]}`
}

export const problemOfList = (tools: number): Problem => (messages) =>
  resultOf(messages[0]).tools === tools ? undefined : `not ${tools} tools: ${messages[0]?.slice(0, 200)}`

export const problemOfProgress: Problem = (messages) => {
  const reports = messages.filter((text) => JSON.parse(text).params?.progressToken === PROGRESS_TOKEN).length
  if (reports !== REPORTS) return `${reports} progress notifications`
  return resultOf(messages.at(-1)).content.includes("done") ? undefined : "the result is not last"
}
