/**
 * Sampling, as a client answers it: a message of a language model that a server asks for.
 *
 * Knows neither how a question travels nor which model answers.
 *
 * Source: `client/sampling` of the specification.
 *
 * @since 0.1.0
 */
import type * as Sampling_ from "@mcp-effect/protocol/Sampling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Makes the message. A user should be able to see and change what is asked and what is answered.
 *
 * What it fails with goes to the log, and to the server as an error that says nothing of it.
 *
 * @since 0.1.0
 * @category models
 */
export type Handler<R = never> = (
  request: Sampling_.Received
) => Effect.Effect<Sampling_.Result, unknown, R>

/**
 * - `tools`: whether requests may bring tools for the model (default `false`); who has asked runs them.
 * - `context`: whether requests may ask for what other servers have said (default `false`).
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly tools?: boolean
  readonly context?: boolean
}

/**
 * @since 0.1.0
 * @category services
 */
export class Sampling extends Context.Service<Sampling, Options & { readonly handler: Handler }>()(
  "@mcp-effect/client/Sampling"
) {}

/**
 * Answers the requests for messages of every client that is built with it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <R = never>(handler: Handler<R>, options: Options = {}): Layer.Layer<Sampling, never, R> =>
  Layer.effect(
    Sampling,
    Effect.map(Effect.context<R>(), (context) => ({
      ...options,
      handler: (request: Sampling_.Received) => Effect.provideContext(handler(request), context)
    }))
  )
