import { Tool } from "@mcp-effect/protocol"
import { Schema } from "effect"

/** It only reads, so that a client may send a call again when it cannot know what became of it. */
export const Pid = Tool.make("pid", {
  description: "The id of the server's process",
  output: { pid: Schema.Int },
  annotations: { readOnlyHint: true }
})
