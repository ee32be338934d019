/**
 * MCP for Effect: messages, sessions, revisions, and the model that servers and clients share.
 *
 * @since 0.1.0
 */
export * as Capabilities from "./Capabilities.ts"
export * as Content from "./Content.ts"
export * as Duplex from "./Duplex.ts"
export * as Implementation from "./Implementation.ts"
export * as Incoming from "./Incoming.ts"
export * as JsonRpc from "./JsonRpc.ts"
export * as JsonSchemaValidator from "./JsonSchemaValidator.ts"
export * as Limits from "./Limits.ts"
export * as McpError from "./McpError.ts"
export * as Meta from "./Meta.ts"
export * as Outbox from "./Outbox.ts"
export * as Outgoing from "./Outgoing.ts"
export * as Peer from "./Peer.ts"
export * as Problem from "./Problem.ts"
export * as Progress from "./Progress.ts"
export * as Revision from "./Revision.ts"
export * as Revisions from "./Revisions.ts"
export * as Session from "./Session.ts"
export * as StreamingTools from "./StreamingTools.ts"
export * as Tool from "./Tool.ts"
export * as ToolResult from "./ToolResult.ts"
export * as TraceContext from "./TraceContext.ts"
