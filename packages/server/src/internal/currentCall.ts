/** The call that a handler serves. */
import * as Context from "effect/Context"
import type { Call } from "../Call.ts"

export const CurrentCall: Context.Reference<Call | undefined> = Context.Reference<Call | undefined>(
  "@mcp-effect/server/CurrentCall",
  { defaultValue: () => undefined }
)
