/**
 * What tests of MCP servers and clients need.
 *
 * @since 0.1.0
 */
export * as RawClient from "./RawClient.ts"
export * as ScriptedPeer from "./ScriptedPeer.ts"
