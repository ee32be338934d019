/**
 * What handles a prompt: a function from its arguments to an effect of the messages that it is made of.
 *
 * Knows nothing of which prompts there are.
 *
 * @since 0.1.0
 */
import * as Content from "@mcp-effect/protocol/Content"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type * as McpError from "@mcp-effect/protocol/McpError"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type Call, type Method, result } from "./Call.ts"
import * as Binary from "./internal/binary.ts"
import * as Invocation from "./internal/invocation.ts"
import * as Needs from "./internal/needs.ts"
import * as ProtocolError from "./internal/protocolError.ts"
import * as Reporter from "./internal/reporter.ts"

/**
 * A message; content, or text, is one of the user.
 *
 * @since 0.1.0
 * @category models
 */
export type Message = Prompt.Message | Content.Content | string

/**
 * What a prompt is made of: messages, or messages with a description that goes before the one of the definition, and
 * `_meta` of the result.
 *
 * @since 0.1.0
 * @category models
 */
export type Returned =
  | Message
  | ReadonlyArray<Message>
  | { readonly description?: string; readonly messages: ReadonlyArray<Message>; readonly meta?: Params }

/**
 * A handler of a prompt. `Scope` is each call's own.
 *
 * What it fails with is the reply: an error of the protocol as it is, anything else as an internal error with its message,
 * which is thus written for the client. Of a defect the client learns nothing.
 *
 * @since 0.1.0
 * @category models
 */
export type PromptHandler<P extends Prompt.Prompt, R> = (
  args: Prompt.Arguments<P>
) => Effect.Effect<Returned, unknown, R>

/**
 * The method that gets a prompt from its handler, in the context of the layer that registers it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const method = <P extends Prompt.Prompt, R>(
  prompt: P,
  handler: PromptHandler<P, R>
): Effect.Effect<Method, never, Exclude<R, Scope.Scope>> =>
  Effect.map(Invocation.make<R>(), (invocation) => {
    const run = (call: Call, args: Prompt.Arguments<P>): Effect.Effect<unknown, McpError.ProtocolError> =>
      Effect.mapErrorEager(
        Effect.suspend(() => {
          const running = handler(args)
          // A value that is there already needs nothing of what follows.
          return Exit.isExit(running) && Exit.isSuccess(running)
            ? running
            : invocation.run(call, Reporter.make(call), running)
        }),
        (error) => ProtocolError.of(error, `The prompt ${prompt.name} could not be made`)
      )
    return (call) => {
      const missing = Needs.missing(call, prompt.needs, `The prompt ${prompt.name}`)
      if (missing !== undefined) return Effect.fail(missing)
      return Effect.flatMapEager(
        Prompt.decodeArguments(prompt, call.request.params?.arguments),
        (args) =>
          Effect.flatMapEager(
            run(call, args),
            (returned) => Effect.sync(() => result(Prompt.resultToWire(made(prompt, returned), call.revision.wire)))
          )
      )
    }
  })

// What cannot be a result is a defect.
const made = (prompt: Prompt.Prompt, returned: unknown): Prompt.Result => {
  const whole = hasMessages(returned) ? returned : undefined
  const given = whole === undefined ? returned : whole.messages
  const messages = (Array.isArray(given) ? given : [given]).map((item: unknown) => {
    const message = isText(item) || isContent(item) ? Prompt.user(item) : item
    if (isMessage(message)) {
      const problem = Binary.problemOfContent(message.content)
      if (problem === undefined) return message
      throw new TypeError(`The prompt ${prompt.name} cannot be written: ${problem}`)
    }
    throw new TypeError(`The handler of the prompt ${prompt.name} must return messages, content, or text`)
  })
  const description = isText(whole?.description) ? whole.description : prompt.description
  return {
    ...(description === undefined ? {} : { description }),
    messages,
    // Written here once more, so that what JSON cannot hold is a defect of the handler.
    ...(whole?.meta === undefined ? {} : { _meta: JSON.parse(JSON.stringify(whole.meta)) })
  }
}

const isText = Predicate.isString

const isContent = Schema.is(Content.Content)

const isMessage = Schema.is(Prompt.Message)

const hasMessages = (
  u: unknown
): u is { readonly description?: unknown; readonly messages: unknown; readonly meta?: unknown } =>
  Predicate.hasProperty(u, "messages")
