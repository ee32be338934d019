/**
 * MCP clients for Effect.
 *
 * @since 0.1.0
 */
export * as ClientTransport from "./ClientTransport.ts"
export * as Completions from "./Completions.ts"
export * as Elicitation from "./Elicitation.ts"
export * as Extension from "./Extension.ts"
export * as Handshake from "./Handshake.ts"
export * as InputHandlers from "./InputHandlers.ts"
export * as ListedTool from "./ListedTool.ts"
export * as Logging from "./Logging.ts"
export * as McpClient from "./McpClient.ts"
export * as McpClients from "./McpClients.ts"
export * as Prompts from "./Prompts.ts"
export * as Reconnect from "./Reconnect.ts"
export * as Requests from "./Requests.ts"
export * as Resources from "./Resources.ts"
export * as ResponseCache from "./ResponseCache.ts"
export * as Roots from "./Roots.ts"
export * as Sampling from "./Sampling.ts"
export * as ServersConfig from "./ServersConfig.ts"
export * as StreamingTools from "./StreamingTools.ts"
export * as Subscriptions from "./Subscriptions.ts"
export * as ToolFailure from "./ToolFailure.ts"
export * as Tools from "./Tools.ts"
