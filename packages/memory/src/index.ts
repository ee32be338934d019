/**
 * MCP inside one program.
 *
 * @since 0.1.0
 */
export * as InMemory from "./InMemory.ts"
