/** One of the two ways to be spoken to over HTTP, and what of it there is. */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as Effect from "effect/Effect"
import type { Headers } from "effect/http/Headers"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"

/** The body of a POST, decoded. */
export type Decoded = ReturnType<typeof JsonRpc.decode>

export type Responds = Effect.Effect<HttpServerResponse, never, Scope.Scope>

export interface Era {
  readonly post: (headers: Headers, message: Decoded) => Responds
  /** Where there are sessions: their streams, by GET, and their end, by DELETE. */
  readonly listen?: (headers: Headers) => Responds
  readonly end?: (headers: Headers) => Responds
}
