/**
 * Whether a message satisfies the JSON Schema of its revision, for tests: one message, all that passes on a wire, or all
 * that passes a peer.
 *
 * Says what the specification's schemas say and no more: they allow members that they do not know. Knows no transport.
 *
 * @since 0.1.0
 */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Peer } from "@mcp-effect/protocol/Peer"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as RawClient from "@mcp-effect/testing/RawClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Definitions from "./internal/definitions.ts"
import * as Speech from "./internal/speech.ts"

/**
 * Who sends a message.
 *
 * @since 0.1.0
 * @category models
 */
export type Side = Definitions.Side

/**
 * `resultTypes`: those of extensions. No schema of the specification has them, so a result of such a type is checked as a
 * result of any method is.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly resultTypes?: ReadonlyArray<string>
}

/**
 * Why a message, given as parsed JSON, does not satisfy the schema of a revision. A response is checked as that to
 * `answers`, the request; without it, only its envelope and the data of its error are.
 *
 * A method that no revision has is checked as a plain request or notification. A method of another revision, or of the
 * other side, is a fault.
 *
 * @since 0.1.0
 * @category checks
 */
export const check = (
  revision: Revision.Name,
  from: Side,
  message: unknown,
  answers?: { readonly method: string },
  options: Options = {}
): string | undefined => {
  const fault = faultOf(Definitions.of(revision), from, message, answers?.method, options)
  return fault === undefined ? undefined : `${revision}: ${fault}`
}

const faultOf = (
  definitions: Definitions.Definitions,
  from: Side,
  message: unknown,
  asked: string | undefined,
  options: Options
): string | undefined => {
  if (!Predicate.isObject(message)) return "a message must be a JSON object"
  if (typeof message.method === "string") return callFault(definitions, from, message, message.method)
  if (Predicate.hasProperty(message, "error")) {
    const code = Predicate.isObject(message.error) ? message.error.code : undefined
    const definition = typeof code === "number" ? definitions.errors.get(code) : undefined
    return definitions.fault(definition ?? definitions.failure, message)
  }
  if (!Predicate.hasProperty(message, "result")) return "neither \"method\", \"result\" nor \"error\" is there"
  const fault = definitions.fault(definitions.success, message)
  if (fault !== undefined || asked === undefined) return fault
  const exchange = definitions.requests[other(from)].get(asked)
  return exchange === undefined ? undefined : resultFault(definitions, exchange, asked, message.result, options)
}

const callFault = (
  definitions: Definitions.Definitions,
  from: Side,
  message: object,
  method: string
): string | undefined => {
  const isRequest = "id" in message
  const request = definitions.requests[from].get(method)?.request
  const notification = definitions.notifications[from].get(method)
  if (isRequest && request !== undefined) return definitions.fault(request, message)
  if (!isRequest && notification !== undefined) return definitions.fault(notification, message)
  if (request !== undefined) return `${method} is a request and needs an id`
  if (notification !== undefined) return `${method} is a notification and has no id`
  if (Definitions.isKnown(method)) return `${method} is nothing that a ${from} says`
  return definitions.fault(isRequest ? "JSONRPCRequest" : "JSONRPCNotification", message)
}

const resultFault = (
  definitions: Definitions.Definitions,
  exchange: Definitions.Exchange,
  asked: string,
  result: unknown,
  { resultTypes = [] }: Options
): string | undefined => {
  const { resultType, task } = Predicate.isObject(result) ? result : {}
  if (resultType === "input_required") {
    return exchange.inputRequired
      ? definitions.fault("InputRequiredResult", result)
      : `${asked} cannot be answered with "input_required"`
  }
  // The envelope has been checked, and with it all that every result has.
  if (resultTypes.some((extension) => extension === resultType)) return undefined
  return definitions.fault(exchange.task && task !== undefined ? "CreateTaskResult" : exchange.result, result)
}

const other = (side: Side): Side => side === "client" ? "server" : "client"

/**
 * A message that does not satisfy its schema. `revision` is absent where none had been agreed on, and no revision's
 * schema is satisfied.
 *
 * @since 0.1.0
 * @category models
 */
export interface Violation {
  readonly from: Side
  readonly revision: Revision.Name | undefined
  readonly reason: string
  readonly message: unknown
}

/**
 * Follows one conversation and keeps what is wrong with its messages. The revision is learnt from them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Watch {
  /** One text of the wire: a message, or a batch. Responses find their requests by id. */
  readonly text: (from: Side, text: string) => void
  /** One message, as parsed JSON. */
  readonly message: (from: Side, message: unknown) => void
  /** A request whose response is handed to the function that returns: ids may then repeat. */
  readonly asked: (from: Side, request: unknown) => (response: unknown) => void
  /** How many messages there were. */
  readonly count: () => number
  readonly violations: ReadonlyArray<Violation>
}

/**
 * Makes a watch. It follows one connection, or one HTTP exchange: of several clients, ids would meet.
 *
 * @since 0.1.0
 * @category constructors
 */
export const watch = (
  options?: Options & { readonly onViolation?: (violation: Violation) => void }
): Watch => {
  const speech = Speech.make()
  const pending = new Map<string, Speech.Asked>()
  const violations: Array<Violation> = []
  let count = 0

  const violated = (from: Side, revision: Revision.Name | undefined, reason: string, message: unknown): void => {
    const violation = { from, revision, reason, message }
    violations.push(violation)
    options?.onViolation?.(violation)
  }
  const examine = (
    from: Side,
    message: unknown,
    revisions: ReadonlyArray<Revision.Name>,
    asked?: Speech.Asked
  ): void => {
    count++
    const reasons = revisions.map((revision) => check(revision, from, message, asked, options))
    const [reason] = reasons
    if (reason === undefined || reasons.includes(undefined)) return
    violated(from, revisions.length === 1 ? revisions[0] : undefined, reason, message)
  }
  const ask = (from: Side, request: unknown): Speech.Asked => {
    const asked = speech.request(from, request)
    examine(from, request, asked.revisions)
    return asked
  }
  const answer = (from: Side, asked: Speech.Asked, response: unknown): void =>
    examine(from, response, speech.response(asked, response), asked)

  const message = (from: Side, message: unknown): void => {
    const kind = Speech.kindOf(message)
    if (kind === "request") pending.set(Speech.idKey(other(from), message), ask(from, message))
    else if (kind !== "response") examine(from, message, speech.notification(from, message))
    else {
      const key = Speech.idKey(from, message)
      const asked = pending.get(key)
      pending.delete(key)
      if (asked !== undefined) return answer(from, asked, message)
      examine(from, message, speech.current())
      // An error without an id answers what could not be read.
      if (Predicate.hasProperty(message, "id")) violated(from, undefined, "it answers no request", message)
    }
  }
  return {
    text: (from, text) => {
      const json = parse(text)
      if (json === undefined) return violated(from, undefined, "it is not JSON", text)
      if (!Array.isArray(json)) return message(from, json)
      if (!speech.current().includes("2025-03-26")) violated(from, undefined, "only 2025-03-26 has batches", json)
      for (const element of json) message(from, element)
    },
    message,
    asked: (from, request) => {
      const asked = ask(from, request)
      return (response) => answer(other(from), asked, response)
    },
    count: () => count,
    violations
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * A peer whose messages are watched: those that it takes, those that it answers with, and those that go back meanwhile.
 * `side` is who this peer is.
 *
 * @since 0.1.0
 * @category peers
 */
export const checked = (peer: Peer, side: Side, watch: Watch): Peer => ({
  request: (request, back) =>
    Effect.suspend(() => {
      const answered = watch.asked(other(side), json(request))
      return Effect.map(peer.request(request, checked(back, other(side), watch)), (response) => {
        answered(json(response))
        return response
      })
    }),
  notify: (notification) =>
    Effect.suspend(() => {
      watch.message(other(side), json(notification))
      return peer.notify(notification)
    })
})

const json = (message: JsonRpc.Message): unknown => JSON.parse(JsonRpc.encode(message))

/**
 * A client transport whose every message is watched, one watch for each connection. When it closes, it dies of the
 * violations that `allow` does not pass over, so that the test fails.
 *
 * @since 0.1.0
 * @category layers
 */
export const transport = <E, R>(
  inner: Layer.Layer<ClientTransport, E, R>,
  options?: Options & { readonly allow?: (violation: Violation) => boolean }
): Layer.Layer<ClientTransport, E, R> =>
  Layer.effect(
    ClientTransport,
    Effect.gen(function*() {
      const { connect } = yield* ClientTransport
      const violations: Array<Violation> = []
      const onViolation = (violation: Violation) => {
        if (options?.allow?.(violation) !== true && !isDeliberate(violation)) violations.push(violation)
      }
      yield* Effect.addFinalizer(() =>
        violations.length === 0 ? Effect.void : Effect.die(new Error(violations.map(toSentence).join("\n")))
      )
      return {
        connect: (local) =>
          Effect.suspend(() => {
            const seen = watch({ ...options, onViolation })
            return Effect.map(
              connect({ ...local, ...checked(local, "client", seen) }),
              (connection) => ({ ...connection, ...checked(connection, "server", seen) })
            )
          })
      }
    })
  ).pipe(Layer.provide(inner))

// What a test sends to see it refused, as `RawClient.error` of the testing package does.
const isDeliberate = ({ from, message }: Violation): boolean =>
  from === "client" && Predicate.hasProperty(message, "params") && Predicate.isObject(message.params) &&
  Meta.of(message.params)?.[RawClient.DELIBERATE] === true

/**
 * A violation as one line: who sent what, and what is wrong with it.
 *
 * @since 0.1.0
 * @category accessors
 */
export const toSentence = ({ from, message, reason }: Violation): string =>
  `The ${from} sent ${typeof message === "string" ? message : JSON.stringify(message)}, but ${reason}`
