/**
 * MCP servers for Effect.
 *
 * @since 0.1.0
 */
export * as Call from "./Call.ts"
export * as ConsoleGuard from "./ConsoleGuard.ts"
export * as Dispatch from "./Dispatch.ts"
export * as ErrorCodes from "./ErrorCodes.ts"
export * as McpServer from "./McpServer.ts"
export * as ToolHandler from "./ToolHandler.ts"
export * as ToolRegistry from "./ToolRegistry.ts"
export * as Tools from "./Tools.ts"
export * as Transports from "./Transports.ts"
