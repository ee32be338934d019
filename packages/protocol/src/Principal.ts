/**
 * Who is calling: what authentication has found out, for handlers, visibility and middleware to decide by.
 *
 * Knows no token and no header. A transport, or what guards it, provides the principal around each request.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type { Params } from "./JsonRpc.ts"

/**
 * - `subject`: the caller's identity, unique among all that the server may meet.
 * - `scopes`: what the caller was granted.
 * - `claims`: whatever else is known of the caller, such as the claims of a token.
 *
 * @since 0.1.0
 * @category models
 */
export interface Principal {
  readonly subject: string
  readonly scopes: ReadonlyArray<string>
  readonly claims: Params
}

/**
 * The caller of the current request; `undefined`, the default, if nobody was authenticated.
 *
 * @since 0.1.0
 * @category references
 */
export const Principal: Context.Reference<Principal | undefined> = Context.Reference<Principal | undefined>(
  "@mcp-effect/protocol/Principal",
  { defaultValue: () => undefined }
)

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly subject: string
  readonly scopes?: ReadonlyArray<string>
  readonly claims?: Params
}): Principal => ({ subject: options.subject, scopes: options.scopes ?? [], claims: options.claims ?? {} })
