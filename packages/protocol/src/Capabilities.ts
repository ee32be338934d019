/**
 * What each side declares that it can do. What a side did not declare, the other does not use.
 *
 * Capabilities are read leniently: an unknown one is kept, and a known one counts as declared whatever it holds.
 *
 * @since 0.1.0
 */
import type { Params } from "./JsonRpc.ts"

/**
 * Capabilities of a server.
 *
 * @since 0.1.0
 * @category models
 */
export interface Server extends Params {
  readonly tools?: { readonly listChanged?: boolean }
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean }
  readonly prompts?: { readonly listChanged?: boolean }
  readonly completions?: Params
  readonly logging?: Params
  readonly experimental?: Params
  readonly extensions?: Params
}

/**
 * Capabilities of a client.
 *
 * @since 0.1.0
 * @category models
 */
export interface Client extends Params {
  readonly sampling?: Params
  readonly elicitation?: Params
  readonly roots?: { readonly listChanged?: boolean }
  readonly experimental?: Params
  readonly extensions?: Params
}

/**
 * Whether an extension was declared.
 *
 * @since 0.1.0
 * @category accessors
 */
export const hasExtension = (capabilities: Server | Client, id: string): boolean =>
  capabilities.extensions?.[id] !== undefined || capabilities.experimental?.[id] !== undefined
