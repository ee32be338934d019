/** A message of each method, which every revision that has the method allows: parameters and result, or parameters. */
import * as Meta from "@mcp-effect/protocol/Meta"
import type * as Revision from "@mcp-effect/protocol/Revision"

type Json = { readonly [key: string]: unknown }

const text = { type: "text", text: "hello" }
const schema = { type: "object", properties: { name: { type: "string" } } }
const info = { name: "sample", version: "1.0.0" }
const task = {
  taskId: "1",
  status: "working",
  createdAt: "2025-11-25T10:30:00Z",
  lastUpdatedAt: "2025-11-25T10:30:00Z",
  ttl: null
}

/** Parameters and a result. */
export const requests: { readonly [method: string]: readonly [params: Json, result: Json] } = {
  "server/discover": [{}, { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }],
  initialize: [
    { protocolVersion: "2025-11-25", capabilities: { roots: { listChanged: true } }, clientInfo: info },
    { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: info }
  ],
  ping: [{}, {}],
  "tools/list": [{ cursor: "a" }, { tools: [{ name: "a", inputSchema: { type: "object" } }], nextCursor: "b" }],
  "tools/call": [{ name: "a", arguments: { x: 1 } }, { content: [text], isError: false }],
  "resources/list": [{}, { resources: [{ uri: "test://a", name: "a" }] }],
  "resources/templates/list": [{}, { resourceTemplates: [{ uriTemplate: "test://{id}", name: "a" }] }],
  "resources/read": [{ uri: "test://a" }, {
    contents: [{ uri: "test://a", text: "a" }, { uri: "test://b", blob: "YQ==", mimeType: "image/png" }]
  }],
  "resources/subscribe": [{ uri: "test://a" }, {}],
  "resources/unsubscribe": [{ uri: "test://a" }, {}],
  "subscriptions/listen": [{ notifications: { toolsListChanged: true } }, { _meta: { [Meta.SUBSCRIPTION_ID]: 1 } }],
  "prompts/list": [{}, { prompts: [{ name: "a", arguments: [{ name: "x", required: true }] }] }],
  "prompts/get": [{ name: "a", arguments: { x: "1" } }, { messages: [{ role: "user", content: text }] }],
  "completion/complete": [
    { ref: { type: "ref/prompt", name: "a" }, argument: { name: "x", value: "p" } },
    { completion: { values: ["paris"], total: 1, hasMore: false } }
  ],
  "logging/setLevel": [{ level: "info" }, {}],
  "roots/list": [{}, { roots: [{ uri: "file:///home", name: "home" }] }],
  "sampling/createMessage": [
    { messages: [{ role: "user", content: text }], maxTokens: 10 },
    { role: "assistant", content: text, model: "m", stopReason: "endTurn" }
  ],
  "elicitation/create": [{ message: "Who?", requestedSchema: schema }, { action: "accept", content: { name: "a" } }],
  "tasks/get": [{ taskId: "1" }, task],
  "tasks/result": [{ taskId: "1" }, {}],
  "tasks/cancel": [{ taskId: "1" }, { ...task, status: "cancelled" }],
  "tasks/list": [{}, { tasks: [task] }]
}

/** Parameters. */
export const notifications: { readonly [method: string]: Json } = {
  "notifications/initialized": {},
  "notifications/cancelled": { requestId: 1, reason: "enough" },
  "notifications/progress": { progressToken: 1, progress: 0.5, total: 1 },
  "notifications/message": { level: "info", logger: "a", data: { x: 1 } },
  "notifications/tools/list_changed": {},
  "notifications/prompts/list_changed": {},
  "notifications/resources/list_changed": {},
  "notifications/resources/updated": { uri: "test://a" },
  "notifications/roots/list_changed": {},
  "notifications/elicitation/complete": { elicitationId: "1" },
  "notifications/tasks/status": task,
  "notifications/subscriptions/acknowledged": {
    _meta: { [Meta.SUBSCRIPTION_ID]: 1 },
    notifications: { toolsListChanged: true }
  }
}

const CACHED = /list$|read$|discover$/

/** What a stateless request says with each call. */
export const meta = {
  [Meta.PROTOCOL_VERSION]: "2026-07-28",
  [Meta.CLIENT_INFO]: info,
  [Meta.CLIENT_CAPABILITIES]: {}
}

/** A request as the revision writes it. */
export const request = (revision: Revision.Name, method: string, params = requests[method]?.[0]): Json => {
  const written = revision === "2026-07-28" ? { ...params, _meta: meta } : params
  return { jsonrpc: "2.0", id: 1, method, params: written }
}

/** A response as the revision writes it. */
export const response = (revision: Revision.Name, method: string, result = requests[method]?.[1]): Json => {
  const complete = revision === "2026-07-28" ? { resultType: "complete", ...result } : result
  const cached = revision === "2026-07-28" && CACHED.test(method) ? { ttlMs: 0, cacheScope: "private" } : {}
  return { jsonrpc: "2.0", id: 1, result: { ...cached, ...complete } }
}

/** A notification. */
export const notification = (method: string, params = notifications[method]): Json => ({
  jsonrpc: "2.0",
  method,
  params
})
