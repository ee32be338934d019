/**
 * What suggests values for an argument of a prompt or a variable of a resource template. Knows nothing of how it is asked.
 *
 * @since 0.1.0
 */
import type * as Completion from "@mcp-effect/protocol/Completion"
import type * as Effect from "effect/Effect"
import type { Call } from "./Call.ts"

/**
 * What there is for a value that is not finished, given the arguments that have a value already: all values, or some of
 * them with what is known of the rest. `Scope` is each call's own.
 *
 * What it fails with is the reply: an error of the protocol as it is, anything else as an internal error with its message.
 *
 * @since 0.1.0
 * @category models
 */
export type Completer<out R = never> = (
  value: string,
  context: { readonly arguments: Readonly<Record<string, string>> }
) => Effect.Effect<ReadonlyArray<string> | Completion.Values, unknown, R>

/**
 * Completers by the names of what they complete.
 *
 * @since 0.1.0
 * @category models
 */
export interface Completers<out R = never> {
  readonly [name: string]: Completer<R>
}

/**
 * Completers `C` of the names that `Values` has, and of no others: what completes another does not compile, and the error
 * says why. Where it is not known what there is, or what is completed, anything goes.
 *
 * @since 0.1.0
 * @category models
 */
export type Known<Values, C> = unknown extends Values ? unknown : string extends keyof C ? unknown : {
  readonly [K in Exclude<keyof C, keyof Values>]: `There is no ${K & string} to complete`
}

/**
 * The services that completers need, all together.
 *
 * @since 0.1.0
 * @category models
 */
export type ServicesOf<C> = { [K in keyof C]: C[K] extends Completer<infer R> ? R : never }[keyof C]

/**
 * Completers in the context of the layer that registers them, by the names of what they complete.
 *
 * @since 0.1.0
 * @category models
 */
export interface Bound {
  readonly [name: string]: (call: Call, ...args: Parameters<Completer>) => ReturnType<Completer>
}
