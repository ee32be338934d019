/** Messages for tests: as values, and as the JSON that travels. */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as Effect from "effect/Effect"

export const call = (id: JsonRpc.Id = "mine", params?: JsonRpc.Params) => JsonRpc.request(id, "tools/call", params)

export const reply = (id: unknown, result: unknown = {}) => ({ jsonrpc: "2.0", id, result })

export const notification = (method: string, params: JsonRpc.Params) => ({ jsonrpc: "2.0", method, params })

export const progress = (progressToken: unknown, progress: number) =>
  notification("notifications/progress", { progressToken, progress })

export const withToken = (progressToken: JsonRpc.Id) => ({ _meta: { progressToken } })

export const bounded = (limits: Partial<Limits.Limits>) =>
  Effect.provideService(Limits.Limits, { ...Limits.defaults, ...limits })
