/**
 * MCP servers for Effect.
 *
 * @since 0.1.0
 */
export * as Caching from "./Caching.ts"
export * as Call from "./Call.ts"
export * as Changes from "./Changes.ts"
export * as ClientInput from "./ClientInput.ts"
export * as Completer from "./Completer.ts"
export * as ConsoleGuard from "./ConsoleGuard.ts"
export * as Dispatch from "./Dispatch.ts"
export * as ErrorCodes from "./ErrorCodes.ts"
export * as Extensions from "./Extensions.ts"
export * as Input from "./Input.ts"
export * as Logging from "./Logging.ts"
export * as McpServer from "./McpServer.ts"
export * as Methods from "./Methods.ts"
export * as Middleware from "./Middleware.ts"
export * as Registry from "./Registry.ts"
export * as RequestContext from "./RequestContext.ts"
export * as RequestState from "./RequestState.ts"
export * as ResourceHandler from "./ResourceHandler.ts"
export * as Resources from "./Resources.ts"
export * as StreamingTools from "./StreamingTools.ts"
export * as Subscriptions from "./Subscriptions.ts"
export * as ToolHandler from "./ToolHandler.ts"
export * as Tools from "./Tools.ts"
export * as Transports from "./Transports.ts"
