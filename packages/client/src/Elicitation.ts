/**
 * Elicitation, as a client answers it: what a server asks the user, and who shows it to them.
 *
 * Knows neither how a question travels nor how it is shown.
 *
 * Source: `client/elicitation` of the specification.
 *
 * @since 0.1.0
 */
import type * as Elicitation_ from "@mcp-effect/protocol/Elicitation"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * A form for the user to fill in.
 *
 * @since 0.1.0
 * @category models
 */
export type Form = Extract<Elicitation_.Received, { readonly requestedSchema: unknown }>

/**
 * A URL for the user to open, once they agree.
 *
 * @since 0.1.0
 * @category models
 */
export type Url = Extract<Elicitation_.Received, { readonly mode: "url" }>

/**
 * Who shows questions to the user. What is left out is not declared, and not asked.
 *
 * - `form`: its answer holds the values of the fields; those that it lacks get their defaults. What does not fit the form is
 *   not sent, but an error.
 * - `url`: accepting means that the user agreed to go there. It must not be fetched by the program, and its whole text must be
 *   shown to the user first. In 2025-11-25 `notifications/elicitation/complete` says when they are done there.
 *
 * What a handler fails with goes to the log, and to the server as an error that says nothing of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Handlers<out R = never> {
  readonly form?: (form: Form) => Effect.Effect<Elicitation_.Answer<Params>, unknown, R>
  readonly url?: (url: Url) => Effect.Effect<Elicitation_.Answer<void>, unknown, R>
}

/**
 * @since 0.1.0
 * @category services
 */
export class Elicitation extends Context.Service<Elicitation, Handlers>()("@mcp-effect/client/Elicitation") {}

/**
 * Answers the elicitations of every client that is built with it.
 *
 * `McpClient.layer(options).pipe(Layer.provide(Elicitation.layer({ form: (form) => ask(form) })))`
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <R = never>({ form, url }: Handlers<R>): Layer.Layer<Elicitation, never, R> =>
  Layer.effect(
    Elicitation,
    Effect.map(Effect.context<R>(), (context) => ({
      ...(form === undefined ? {} : { form: (asked: Form) => Effect.provideContext(form(asked), context) }),
      ...(url === undefined ? {} : { url: (asked: Url) => Effect.provideContext(url(asked), context) })
    }))
  )
