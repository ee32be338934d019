/** The event stream of the request that is being handled, where there is one that its client can come back to. */
import * as Context from "effect/Context"

export interface CurrentStream {
  /** Closes the connection, and asks the client to come back after `retry` milliseconds. */
  readonly interrupt: (retry: number) => void
}

export const CurrentStream: Context.Reference<CurrentStream | undefined> = Context.Reference<
  CurrentStream | undefined
>("@mcp-effect/http/internal/currentStream", { defaultValue: () => undefined })
