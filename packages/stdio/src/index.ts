/**
 * MCP over standard streams.
 *
 * @since 0.1.0
 */
export * as Lines from "./Lines.ts"
export * as StdioClient from "./StdioClient.ts"
export * as StdioServer from "./StdioServer.ts"
export * as Wire from "./Wire.ts"
