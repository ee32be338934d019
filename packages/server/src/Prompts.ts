/**
 * The prompts feature: `prompts/list` and `prompts/get`. Which prompts there are is the registry's to know, how one is made
 * is its own.
 *
 * Source: `server/prompts` of the specification.
 *
 * @since 0.1.0
 */
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Feature, Method } from "./Call.ts"
import * as Changes from "./Changes.ts"
import type { Bound, Completer, Known, ServicesOf } from "./Completer.ts"
import * as Completers from "./internal/completers.ts"
import * as Listens from "./internal/listens.ts"
import * as Pages from "./internal/pages.ts"
import * as PromptHandler from "./PromptHandler.ts"
import * as Registry from "./Registry.ts"

/**
 * A prompt, what gets it, and what completes its arguments.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry extends Registry.Entry {
  readonly prompt: Prompt.Prompt
  readonly get: Method
  readonly complete: Bound
}

/**
 * The prompts that a server offers now, by name.
 *
 * @since 0.1.0
 * @category models
 */
export type Prompts = Registry.Registry<Entry>

/**
 * What suggests values of arguments of a prompt, by their names.
 *
 * @since 0.1.0
 * @category models
 */
export type CompletersOf<P extends Prompt.Prompt> = {
  readonly [K in keyof Prompt.Arguments<P>]?: Completer<unknown>
}

/**
 * - `complete`: what suggests values of arguments, by their names. One whose schema is `Schema.Literals` needs none: those
 *   that begin with the value are suggested.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<P extends Prompt.Prompt, C> extends Registry.Visibility {
  readonly complete?: CompletersOf<P> & C & Known<Prompt.Arguments<P>, C>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const registry = (changes: Changes.Changes["Service"]): Prompts =>
  Registry.make<Entry>({
    kind: "prompt",
    check: ({ complete, key, prompt }) => {
      // Half a character would be lost in a cursor.
      if (key.length === 0 || key.length > 128 || /\p{Surrogate}/u.test(key)) {
        throw new TypeError(`The prompt name ${JSON.stringify(key)} is ill-formed: it must have 1 to 128 characters`)
      }
      Prompt.check(prompt)
      for (const name of Object.keys(complete)) {
        if (prompt.arguments.some((argument) => argument.name === name)) continue
        throw new TypeError(
          `The prompt ${JSON.stringify(key)} has no argument ${JSON.stringify(name)} to complete`
        )
      }
    },
    changed: changes.publish(Changes.prompts)
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const entry = <P extends Prompt.Prompt, R = never, C = {}>(
  prompt: P,
  handler: PromptHandler.PromptHandler<P, R>,
  options: Options<P, C> = {}
): Effect.Effect<Entry, never, Exclude<R, Scope.Scope> | ServicesOf<C>> =>
  Effect.gen(function*() {
    const get = yield* PromptHandler.method(prompt, handler)
    // Sound: `C` has completers only, and these are their services.
    const given = Object.entries(options.complete ?? {}) as ReadonlyArray<
      [string, Completer<ServicesOf<C>> | undefined]
    >
    const complete = yield* Completers.bind<ServicesOf<C>>(
      Object.fromEntries(given.flatMap(([name, completer]) => completer === undefined ? [] : [[name, completer]]))
    )
    return { key: prompt.name, prompt, get, complete, visibleTo: options.visibleTo }
  })

/**
 * The feature over a registry, in pages of `pageSize` prompts. It is declared once a prompt was registered, or from the
 * start if `declare` is set.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  prompts: Prompts,
  { declare, pageSize }: { readonly declare: boolean; readonly pageSize: number }
): Feature => {
  const get: Method = (call) => {
    const name = call.request.params?.name
    if (typeof name !== "string") {
      return Effect.fail(new McpError.InvalidParams({ message: "Invalid params: \"name\" must be a string" }))
    }
    const entry = prompts.get(name, call.principal)
    return entry === undefined
      ? Effect.fail(new McpError.PromptNotFound({ prompt: name, message: `Unknown prompt: ${name}` }))
      : entry.get(call)
  }
  return {
    declared: () => declare || prompts.used(),
    capability: () => ({ prompts: { listChanged: true } }),
    methods: {
      "prompts/list": Pages.make(prompts, {
        member: "prompts",
        pageSize,
        write: ({ prompt }, wire) => Prompt.toWire(prompt, wire)
      }),
      "prompts/get": get
    },
    announces: () => Listens.to(Changes.prompts),
    listens: { promptsListChanged: Listens.flag(Changes.prompts) }
  }
}
