/**
 * What a handler may ask of its client while it serves a request: input from the user, a message of a language model, the
 * roots. One way for both eras; a client that cannot answer is told so before anything is asked.
 *
 * In the stateful revisions an ask is a request on the way back. In 2026-07-28 the call ends with its questions, and when
 * it comes again with the answers, the handler runs again from its start and finds them: what it does before an ask is
 * done in every round, unless {@link once} does it, and finalizers run in every round.
 *
 * Only handlers of tools, prompts and resources may ask. A decline and a cancellation are values, not interruptions. When
 * its call is abandoned an ask is interrupted, also where nothing else can be.
 *
 * Source: `client/elicitation`, `client/sampling`, `client/roots` and `basic/patterns/mrtr` of the specification.
 *
 * @since 0.1.0
 */
import type * as Capabilities from "@mcp-effect/protocol/Capabilities"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { MissingRequiredClientCapability } from "@mcp-effect/protocol/McpError"
import * as Problem from "@mcp-effect/protocol/Problem"
import type { Wire } from "@mcp-effect/protocol/Revision"
import * as Roots from "@mcp-effect/protocol/Roots"
import * as Sampling from "@mcp-effect/protocol/Sampling"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { Call } from "./Call.ts"
import { InputFailed } from "./Input.ts"
import { uuid } from "./internal/crypto.ts"
import { CurrentCall } from "./internal/currentCall.ts"
import * as Forward from "./internal/forward.ts"
import * as Memo from "./internal/memo.ts"
import * as Needs from "./internal/needs.ts"

/**
 * Why there is no answer: the client did not declare that it can give one, or gave none that can be used.
 *
 * @since 0.1.0
 * @category errors
 */
export type InputError = InputFailed | MissingRequiredClientCapability

/**
 * `key` names a question within its call, so that its answer can be known ahead, and a question that changes is asked again
 * in its place. Without one, a question is known by what it asks: it must ask the same in every round.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly key?: string
}

/**
 * Asks the user to fill in a form, or to visit a URL.
 *
 * For a URL, accepting means that the user agreed to go there, not that anything was done there.
 *
 * @since 0.1.0
 * @category asking
 */
export const elicit = <R extends Elicitation.Request>(
  request: R,
  options: Options = {}
): Effect.Effect<Elicitation.Answer<Elicitation.Content<R>>, InputError> =>
  asking((call) =>
    Effect.gen(function*() {
      const { wire } = call.revision
      const asked = yield* identified(request, wire)
      yield* needed(call, Elicitation.needs(request))
      const params = yield* written(Elicitation.toWire(asked, wire))
      const result = yield* call.input.ask(call, { key: options.key, method: "elicitation/create", params })
      return yield* Effect.mapError(Elicitation.answer(request, result), malformed("elicitation/create"))
    })
  )

// Where a URL has an id, it is to be unique.
const identified = (request: Elicitation.Request, wire: Wire): Effect.Effect<Elicitation.Request> =>
  request.mode === "url" && wire.elicitationIds && request.elicitationId === undefined
    ? Effect.map(uuid, (elicitationId) => ({ ...request, elicitationId }))
    : Effect.succeed(request)

/**
 * Tells the client that what the user was sent to a URL for is done, where the revision has a message for that.
 *
 * @since 0.1.0
 * @category asking
 */
export const completed = (elicitationId: string): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const call = fiber.getRef(CurrentCall)
    const method = "notifications/elicitation/complete"
    return call?.revision.methods.clientNotifications.has(method) === true &&
        Needs.missing(call, visits, method) === undefined
      ? Effect.ignore(call.back.notify(JsonRpc.notification(method, { elicitationId })))
      : Effect.void
  })

const visits: Capabilities.Client = { elicitation: { url: {} } }

/**
 * Asks for a message of a language model.
 *
 * @since 0.1.0
 * @category asking
 */
export const sample = (
  request: Sampling.Request,
  options: Options = {}
): Effect.Effect<Sampling.Result, InputError> =>
  asking((call) =>
    Effect.gen(function*() {
      const { wire } = call.revision
      yield* needed(call, Sampling.needs(request, wire))
      const params = yield* written(Sampling.toWire(request, wire))
      const result = yield* call.input.ask(call, { key: options.key, method: "sampling/createMessage", params })
      return yield* decoded("sampling/createMessage", decodeMessage(result))
    })
  )

const decodeMessage = SchemaParser.decodeUnknownEffect(Sampling.Result)

/**
 * Asks for the directories and files that the client lets the server work in.
 *
 * @since 0.1.0
 * @category asking
 */
export const roots = (options: Options = {}): Effect.Effect<ReadonlyArray<Roots.Root>, InputError> =>
  asking((call) =>
    Effect.gen(function*() {
      yield* needed(call, Roots.needs)
      const result = yield* call.input.ask(call, { key: options.key, method: "roots/list", params: {} })
      return (yield* decoded("roots/list", decodeRoots(result))).roots
    })
  )

const decodeRoots = SchemaParser.decodeUnknownEffect(Roots.Result)

/**
 * Runs an effect in one round of the call only; in the rounds after it, yields what it has yielded. It may not ask, and is
 * not interrupted by the end of its round. A failure is not kept. To ask in it, or to use its own key, is a defect.
 *
 * A key has one value in its call: whoever comes with it later gets that value, whatever effect comes with it. What is run
 * in a loop needs a key for each turn. (The log says so, at level debug.)
 *
 * What it yields travels with the client, sealed, so it must be small, and JSON; for anything else give a schema.
 *
 * @since 0.1.0
 * @category asking
 */
export const once = <A, E, R>(
  key: string,
  effect: Effect.Effect<A, E, R>,
  schema?: Schema.ConstraintCodec<A, unknown>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const call = fiber.getRef(CurrentCall)
    if (call === undefined) return effect
    const codec = schema === undefined ? plain<A>() : Schema.toCodecJson(schema)
    const orDie = <B>(result: Effect.Effect<B, SchemaIssue.Issue>): Effect.Effect<B> =>
      Effect.catchEager(result, (issue) =>
        Effect.die(new TypeError(`ClientInput.once(${JSON.stringify(key)}): ${Problem.describe(issue)}`)))
    const encoded = Effect.flatMap(effect, (value) =>
      orDie(SchemaParser.encodeUnknownEffect(codec)(value)))
    // In a record, so that nothing at all can be kept too.
    const kept = call.input.once(call, key, Effect.map(encoded, (value) => ({ value })))
    const value = Effect.flatMap(kept, (kept) =>
      // Sound: only what `codec` has encoded is kept.
      orDie(SchemaParser.decodeUnknownEffect(codec)((kept as { readonly value?: unknown }).value)))
    return isAnother(call, key, effect) ? Effect.andThen(shared(key), value) : value
  })

// The effect that came first with a key; `undefined` once somebody was told that another has come.
const firsts = new WeakMap<Call, Map<string, unknown>>()

const isAnother = (call: Call, key: string, effect: unknown): boolean => {
  let ofCall = firsts.get(call)
  if (ofCall === undefined) firsts.set(call, ofCall = new Map())
  const known = ofCall.has(key)
  const first = ofCall.get(key)
  if (known && (first === undefined || first === effect)) return false
  ofCall.set(key, known ? undefined : effect)
  return known
}

// No warning: who tries again what has failed comes with a key again, and rightly so.
const shared = (key: string): Effect.Effect<void> =>
  Forward.outside(Effect.logDebug(
    `ClientInput.once(${
      JSON.stringify(key)
    }) came again in one call with another effect: it yields what the first one ` +
      "does. Where each is to yield its own, give each a key"
  ))

// What is JSON as it is.
const plain = <A>(): Schema.ConstraintCodec<A, unknown> =>
  Schema.Unknown.check(
    Schema.makeFilter((value) => isJson(value) || "what is no JSON needs a schema")
  ) as Schema.ConstraintCodec<unknown, unknown> as Schema.ConstraintCodec<A, unknown>

const isJson = Schema.is(Schema.UndefinedOr(Schema.Json))

const asking = <A>(f: (call: Call) => Effect.Effect<A, InputError>): Effect.Effect<A, InputError> =>
  Effect.withFiber((fiber) => {
    const call = fiber.getRef(CurrentCall)
    if (call === undefined) {
      return Effect.fail(new InputFailed({ reason: "not allowed", message: "No request is being handled here" }))
    }
    // Its round could not end before it, and it could not end before its round.
    return Memo.keysAround(fiber, call).length === 0
      ? f(call)
      : Effect.die(new TypeError("ClientInput.once: what runs once may not ask"))
  })

const needed = (call: Call, needs: Capabilities.Client): Effect.Effect<void, MissingRequiredClientCapability> => {
  const missing = Needs.missing(call, needs, call.request.method)
  return missing === undefined ? Effect.void : Effect.fail(missing)
}

const written = (params: Result.Result<JsonRpc.Params, string>): Effect.Effect<JsonRpc.Params, InputFailed> =>
  Result.match(Result.flatMap(params, asJson), {
    onSuccess: Effect.succeed,
    onFailure: (message) => Effect.fail(new InputFailed({ reason: "unsupported", message }))
  })

// A message that cannot be written would look like one that was lost.
const asJson = (params: JsonRpc.Params): Result.Result<JsonRpc.Params, string> => {
  try {
    JSON.stringify(params)
    return Result.succeed(params)
  } catch (cause) {
    return Result.fail(
      `What is asked cannot be written as JSON: ${cause instanceof Error ? cause.message : String(cause)}`
    )
  }
}

const malformed = (method: string) => (problem: string): InputFailed =>
  new InputFailed({ reason: "malformed", message: `The client's answer to ${method} cannot be used: ${problem}` })

const decoded = <A>(method: string, result: Effect.Effect<A, SchemaIssue.Issue>): Effect.Effect<A, InputFailed> =>
  Effect.mapError(result, (issue) => malformed(method)(Problem.describe(issue)))
