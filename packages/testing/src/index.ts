/**
 * What tests of MCP servers and clients need.
 *
 * @since 0.1.0
 */
export * as Faults from "./Faults.ts"
export * as Player from "./Player.ts"
export * as RawClient from "./RawClient.ts"
export * as Recorder from "./Recorder.ts"
export * as ScriptedPeer from "./ScriptedPeer.ts"
